// Two shapes, blended by a weight of the host.
struct Uniforms { mvp: mat4x4<f32>, weight: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct In {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) target_position: vec3f,
    @location(3) target_normal: vec3f,
}
struct Out { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) color: vec4f }

@vertex
fn main(in: In) -> Out {
    let t = smoothstep(0.0, 1.0, u.weight);
    let position = mix(in.position, in.target_position, t);
    let normal = normalize(mix(in.normal, in.target_normal, t));
    return Out(u.mvp * vec4f(position, 1.0), normal, vec4f(normal * 0.5 + 0.5, 1.0));
}
