// Water: two sines displace the surface.
struct Uniforms { mvp: mat4x4<f32>, time: f32, height: f32, speed: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;
const WAVE_LENGTH = 0.7;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) texcoord0: vec2f }

@vertex
fn main(@location(0) position: vec3f, @location(1) uv: vec2f) -> Out {
    var p = position;
    let phase = u.time * u.speed;
    p.y += sin(p.x * WAVE_LENGTH + phase) * u.height + 0.5 * cos(p.z * 1.3 - phase * 0.5) * u.height;
    let crest = saturate(p.y * 0.5 + 0.5);
    var out: Out;
    out.position = u.mvp * vec4(p, 1.0);
    out.color = mix(vec4(0.0, 0.1, 0.3, 1.0), vec4(0.6, 0.8, 1.0, 1.0), crest);
    out.texcoord0 = uv + vec2(u.time * 0.1, sin(u.time) * 0.05);
    return out;
}
