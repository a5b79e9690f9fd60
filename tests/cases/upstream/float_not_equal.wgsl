// naga's SPIR-V writer makes `!=` of floats ordered (OpFOrdNotEqual): false where an operand is NaN.
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(1) fn main() {
    if x[0] != x[1] { x[0] = 1.0; }
}
