// The smallest program: a transform, and a color that passes through.
struct Uniforms { mvp: mat4x4<f32> }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn main(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> Out {
    var out: Out;
    out.position = u.mvp * vec4(position, 1.0);
    out.color = color;
    return out;
}
