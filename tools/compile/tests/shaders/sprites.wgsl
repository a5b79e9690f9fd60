// A cell of a sheet by floor and mod.
struct Uniforms { projection: mat4x4<f32>, columns: f32, rows: f32, time: f32, rate: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) uv: vec2f }

@vertex
fn main(@location(0) position: vec2f, @location(1) uv: vec2f, @location(2) first: f32) -> Out {
    let frame = floor(first + u.time * u.rate);
    let column = frame % u.columns;
    let row = floor(frame / u.columns);
    let cell = vec2f(1.0 / u.columns, 1.0 / u.rows);
    return Out(u.projection * vec4f(position, 0.0, 1.0), (uv + vec2f(column, row)) * cell);
}
