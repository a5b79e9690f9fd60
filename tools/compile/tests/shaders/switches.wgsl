// Bools that a pipeline overrides are bool uniforms.
override lit: bool = true;
override textured: bool = false;
override GAMMA: f32 = 2.2;
struct Uniforms { mvp: mat4x4<f32>, light: vec3f, scroll: vec2f }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Out {
    var out: Out;
    out.position = u.mvp * vec4f(position, 1.0);
    out.color = vec4f(1.0);
    if lit {
        let amount = max(dot(normal, u.light), 0.0);
        out.color = vec4f(vec3f(pow(amount, 1.0 / GAMMA)), 1.0);
    }
    out.uv = select(vec2f(0.0), uv + u.scroll, textured);
    return out;
}
