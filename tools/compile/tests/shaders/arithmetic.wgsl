// Whole numbers: cells of a grid by quotients, remainders, shifts and masks.
struct Uniforms { mvp: mat4x4<f32>, width: u32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }

@vertex
fn main(@location(0) position: vec3f, @location(1) cell: vec2<u32>, @location(2) number: i32) -> Out {
    let index = cell.x + cell.y * 7u;
    let row = index / 5u;
    let column = index % 5u;
    let high = index >> 2u;
    let low = index & 3u;
    let doubled = index << 1u;
    let signed = (number - 2) / 2;
    let rest = (number - 2) % 3;
    let whole = i32(position.x * 3.0);
    var out: Out;
    out.position = u.mvp * vec4f(position + vec3f(f32(row), f32(column), f32(whole)), 1.0);
    out.color = vec4f(f32(high), f32(low), f32(doubled), f32(signed));
    out.uv = vec2f(f32(rest), f32(max(number, 1) + abs(number - 3)));
    return out;
}
