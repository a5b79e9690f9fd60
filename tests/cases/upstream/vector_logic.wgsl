// naga's GLSL writer repeats the operands of `&` on vectors of bools for each lane: three `&` become 4 * 4 * 4 times the text.
@vertex fn main(@location(0) a: vec4<f32>, @location(1) b: vec4<f32>) -> @builtin(position) vec4<f32> {
    return select(a, b, (((a < b) & (b < a)) & (a > b)) & (b > a));
}
