// One to four bones a vertex, from a palette of matrices of three rows.
struct Skin { palette: array<mat4x3f, 20>, bones2: u32, bones3: u32, bones4: u32 }
@group(0) @binding(0) var<uniform> projection: mat4x4f;
@group(0) @binding(1) var<uniform> skin: Skin;

struct Vertex { @location(0) inpos: vec3f, @location(1) inidx: vec4u, @location(2) inwgt: vec4f }
struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f }

fn bone(index: u32, weight: f32, place: vec3f) -> vec3f {
    return skin.palette[index] * vec4f(place, 1.0) * weight;
}

@vertex
fn main(in: Vertex) -> Result {
    var place = bone(in.inidx.x, in.inwgt.x, in.inpos);
    if skin.bones2 != 0 {
        place += bone(in.inidx.y, in.inwgt.y, in.inpos);
        if skin.bones3 != 0 {
            place += bone(in.inidx.z, in.inwgt.z, in.inpos);
            if skin.bones4 != 0 {
                place += bone(in.inidx.w, in.inwgt.w, in.inpos);
            }
        }
    }
    return Result(projection * vec4f(place, 1.0), in.inwgt);
}
