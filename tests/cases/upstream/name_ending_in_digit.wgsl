// naga's writers append `_` to every name that ends in a digit.
@vertex fn main(@location(0) v0: vec4<f32>) -> @builtin(position) vec4<f32> {
    let r1 = v0 * v0;
    return r1 + r1;
}
