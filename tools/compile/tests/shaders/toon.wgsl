// Steps of light, and the inverse of the model matrix that the host computes.
struct Uniforms {
    projection: mat4x4<f32>,
    view: mat4x4<f32>,
    model: mat4x4<f32>,
    light_direction: vec3f,
    levels: f32,
    color: vec4f,
}
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

fn cel(intensity: f32) -> f32 {
    if intensity > 0.95 { return 1.0; }
    else if intensity > 0.5 { return 0.7; }
    else if intensity > 0.25 { return 0.4; }
    return 0.2;
}

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Out {
    let mvp = u.projection * u.view * u.model;
    let n = normalize((transpose(u.model) * vec4f(normal, 0.0)).xyz);
    let intensity = dot(n, normalize(-u.light_direction));
    var out: Out;
    out.position = mvp * vec4f(position, 1.0);
    out.color = vec4f(u.color.rgb * cel(intensity), u.color.a);
    return out;
}
