// A projected shadow: a second camera gives coordinates in the texture of the shadow.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Shadow {
    shadowMatrix: mat4x4f,
    shadowReach: vec4f, // 1 / reach, darkness
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> shadow: Shadow;

struct Vertex { @location(0) inpos: vec3f, @location(1) inuv: vec2f, @location(2) incol: vec4f }
struct Result {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0: vec2f,
    @location(2) texcoord1: vec2f,
    @location(3) texcoord2: vec2f,
}

@vertex
fn main(in: Vertex) -> Result {
    let eye = scene.modelView * vec4f(in.inpos, 1.0);
    let seen = shadow.shadowMatrix * eye;
    var place = vec2f(0.0);
    var darkness = 0.0;
    if seen.w > 0.0 {
        place = seen.xy / seen.w;
        darkness = max(1.0 - seen.w * shadow.shadowReach.x, 0.0) * shadow.shadowReach.y;
    }
    var out: Result;
    out.position = scene.projection * eye;
    out.color = vec4f(in.incol.rgb * (1.0 - darkness), in.incol.a);
    out.texcoord0 = in.inuv;
    out.texcoord1 = in.inuv;
    out.texcoord2 = 0.5 * place + 0.5;
    return out;
}
