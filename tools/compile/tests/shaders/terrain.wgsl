// Colors by height, with a branch for water.
struct Uniforms { mvp: mat4x4<f32>, scale: vec3f, water: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f, @location(1) uv: vec2f, @location(2) uv1: vec2f }

fn color_of(height: f32) -> vec3f {
    let sand = vec3f(0.8, 0.7, 0.5);
    let grass = vec3f(0.2, 0.6, 0.1);
    let snow = vec3f(1.0);
    return mix(mix(sand, grass, smoothstep(0.1, 0.3, height)), snow, smoothstep(0.6, 0.9, height));
}

@vertex
fn main(@location(0) position: vec2f, @location(1) height: f32) -> Out {
    var h = height;
    var color: vec3f;
    if h < u.water {
        color = vec3f(0.0, 0.2, 0.6) * (1.0 - (u.water - h));
        h = u.water;
    } else {
        color = color_of(h);
    }
    let p = vec3f(position.x, h, position.y) * u.scale;
    return Out(u.mvp * vec4f(p, 1.0), color, position * 8.0, position);
}
