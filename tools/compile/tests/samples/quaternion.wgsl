// Normal and tangent as the quaternion that fragment lighting takes.
@group(0) @binding(0) var<uniform> projection: mat4x4f;

struct Vertex { @location(0) inpos: vec4f, @location(1) innrm: vec3f, @location(2) intan: vec3f }
struct Result { @builtin(position) position: vec4f, @location(0) quaternion: vec4f }

fn to_quaternion(t: vec3f, b: vec3f, n: vec3f) -> vec4f {
    if t.x + b.y + n.z > 0.0 {
        return vec4f(b.z - n.y, n.x - t.z, t.y - b.x, 1.0 + t.x + b.y + n.z);
    }
    if t.x > b.y && t.x > n.z {
        return vec4f(1.0 + t.x - b.y - n.z, t.y + b.x, t.z + n.x, b.z - n.y);
    }
    if b.y > n.z {
        return vec4f(t.y + b.x, 1.0 + b.y - t.x - n.z, b.z + n.y, n.x - t.z);
    }
    return vec4f(t.z + n.x, b.z + n.y, 1.0 + n.z - t.x - b.y, t.y - b.x);
}

@vertex
fn main(in: Vertex) -> Result {
    let quaternion = to_quaternion(in.intan, cross(in.innrm, in.intan), in.innrm);
    return Result(projection * in.inpos, normalize(quaternion));
}
