// Light of sky and ground.
struct Uniforms { mvp: mat4x4<f32>, model: mat4x4<f32>, sky: vec3f, ground: vec3f, up: vec3f }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Out {
    let inverse_transpose = transpose(mat3x3f(u.model[0].xyz, u.model[1].xyz, u.model[2].xyz));
    let n = normalize(inverse_transpose * normal);
    let amount = dot(n, normalize(u.up)) * 0.5 + 0.5;
    return Out(u.mvp * vec4f(position, 1.0), mix(u.ground, u.sky, amount));
}
