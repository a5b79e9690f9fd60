// Grass and leaves in the wind: octaves of each of several gusts.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Wind {
    gusts: array<vec4f, 5>,   // w: strength
    seasons: array<vec4f, 6>,
    octaves: array<vec4f, 4>, // scale, part
    stem: vec4f,              // stiffness, height of the stiff part, least part
    lightDir: vec4f,
    gustCount: u32,
    dusk: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> wind: Wind;

struct Vertex { @location(0) inpos: vec3f, @location(1) innrm: vec3f, @location(2) inuv: vec2f }
struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) texcoord0: vec2f }

@vertex
fn main(in: Vertex) -> Result {
    var moved = vec2f(0.0);
    for (var i = 0u; i < wind.gustCount; i++) {
        let gust = wind.gusts[i];
        let phase = dot(gust.xyz, in.inpos);
        var strength = 0.0;
        for (var j = 0u; j < 4; j++) {
            let part = gust.w * wind.octaves[j].y;
            if part < wind.stem.z {
                break;
            }
            strength += part * sin(6.283185307 * phase * wind.octaves[j].x);
        }
        moved += strength * gust.xz;
    }
    let season = wind.seasons[wind.gustCount];
    let soft = max(in.inpos.y - wind.stem.y, 0.0);
    let bend = wind.stem.x * soft * soft;
    var place = in.inpos;
    place.x += moved.x * bend;
    place.z += moved.y * bend;
    place.y -= 0.5 * (moved.x * bend) * (moved.x * bend);
    var light = max(abs(dot(wind.lightDir.xyz, in.innrm)), 0.3);
    if wind.dusk != 0 {
        light *= 0.5;
    }
    return Result(
        scene.projection * scene.modelView * vec4f(place, 1.0),
        vec4f(season.rgb * light, season.a),
        in.inuv,
    );
}
