// Inverse trigonometric functions: a panorama by angles.
struct Uniforms { mvp: mat4x4<f32>, turn: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) uv1: vec2f }

@vertex
fn main(@location(0) p: vec3f, @location(1) angle: f32) -> Out {
    let d = normalize(p + vec3f(0.0, 0.0, 0.01));
    let around = atan2(d.y, d.x) + u.turn;
    let up = acos(clamp(d.z, -1.0, 1.0));
    let s = sin(angle);
    let c = cos(angle);
    let turned = mat2x2f(c, s, -s, c) * p.xy;
    return Out(u.mvp * vec4f(turned, p.z, 1.0), vec2f(around, up), vec2f(asin(d.x), atan(angle)));
}
