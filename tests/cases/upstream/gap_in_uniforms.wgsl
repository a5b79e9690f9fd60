// naga's WGSL writer prints no @size and no @align: the second member moves from offset 64 to 16.
struct Uniforms { @size(64) first: vec4<f32>, second: vec4<f32> }
@group(0) @binding(0) var<uniform> u: Uniforms;
@vertex fn main() -> @builtin(position) vec4<f32> { return u.first + u.second; }
