// source: shaders/textured.shbin#0
// program: DVLE 0
// entry: code word 0x0
// translator: transpica 0.1.0

struct Uniforms {
    projection: array<vec4f, 4>,
    modelView: array<vec4f, 4>,
    texScale: vec4f,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0_uv: vec2f,
}

@group(0) @binding(0) var<uniform> uniforms: Uniforms;

fn pica_has_nan_vec4f(a: vec4f) -> bool {
    return any(vec4u(0x7f800000u) < (bitcast<vec4u>(a) & vec4u(0x7fffffffu)));
}

fn pica_mul_vec3f(a: vec3f, b: vec3f) -> vec3f {
    return select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
}

fn pica_dot_point_or_nan_vec4f(a: vec4f, b: vec4f, is_nan: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let product = pica_mul_vec3f(a.xyz, b.xyz);
    let sum = select(0.0, bitcast<f32>(not_a_number_bits), is_nan) + product.x + product.y;
    return sum + product.z + a.w * b.w;
}

fn pica_mul_vec4f(a: vec4f, b: vec4f) -> vec4f {
    return select(a, vec4f(0.0), b == vec4f(0.0)) * select(b, vec4f(0.0), a == vec4f(0.0));
}

fn pica_dot_or_nan_vec4f(a: vec4f, b: vec4f, is_nan: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let product = pica_mul_vec4f(a, b);
    let sum = select(0.0, bitcast<f32>(not_a_number_bits), is_nan) + product.x + product.y;
    return sum + product.z + product.w;
}

fn pica_mul_either_nan_vec2f(a: vec2f, b: vec2f) -> vec2f {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let a_is_nan = vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu));
    let b_is_nan = vec2u(0x7f800000u) < (bitcast<vec2u>(b) & vec2u(0x7fffffffu));
    let product = select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
    return select(vec2f(0.0), vec2f(not_a_number), a_is_nan | b_is_nan) + product;
}

@vertex
fn main(
    @location(0) inpos: vec4f,
    @location(1) inuv: vec4f,
    @location(2) incol: vec4f,
) -> VertexOutput {
    let inpos_1 = vec4f(inpos.xyz, 1.0);
    let inpos_has_nan = pica_has_nan_vec4f(inpos_1);
    let modelView_0_has_nan = pica_has_nan_vec4f(uniforms.modelView[0]) || inpos_has_nan;
    let modelView_1_has_nan = pica_has_nan_vec4f(uniforms.modelView[1]) || inpos_has_nan;
    let modelView_2_has_nan = pica_has_nan_vec4f(uniforms.modelView[2]) || inpos_has_nan;
    let modelView_3_has_nan = pica_has_nan_vec4f(uniforms.modelView[3]) || inpos_has_nan;
    let r1 = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms.modelView[0], inpos_1, modelView_0_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[1], inpos_1, modelView_1_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[2], inpos_1, modelView_2_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[3], inpos_1, modelView_3_has_nan),
    );
    let r1_has_nan = pica_has_nan_vec4f(r1);
    let projection_0_has_nan = pica_has_nan_vec4f(uniforms.projection[0]) || r1_has_nan;
    let projection_1_has_nan = pica_has_nan_vec4f(uniforms.projection[1]) || r1_has_nan;
    let projection_2_has_nan = pica_has_nan_vec4f(uniforms.projection[2]) || r1_has_nan;
    let projection_3_has_nan = pica_has_nan_vec4f(uniforms.projection[3]) || r1_has_nan;
    let out_texcoord0_uv = pica_mul_either_nan_vec2f(uniforms.texScale.xy, inuv.xy);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.projection[0], r1, projection_0_has_nan),
        pica_dot_or_nan_vec4f(uniforms.projection[1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.projection[2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.projection[3], r1, projection_3_has_nan),
    );
    let color_magnitude = abs(0.0039215684 * incol);
    let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_texcoord0_uv);
}
