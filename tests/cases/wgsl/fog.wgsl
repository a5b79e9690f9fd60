// source: shaders/fog.shbin#0
// program: DVLE 0
// entry: code word 0x0
// translator: transpica 0.1.0

struct Uniforms {
    c: array<vec4f, 96>,
    layerLoop: vec4i,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0_uv: vec2f,
    @location(2) texcoord1_uv: vec2f,
    @location(4) texcoord0_w: f32,
}

const projection: i32 = 0;
const modelView: i32 = 4;
const layers: i32 = 8;
const fogColor: i32 = 16;

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

fn pica_mul_either_nan(a: f32, b: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let b_is_nan = 0x7f800000u < (bitcast<u32>(b) & 0x7fffffffu);
    let a_or_b_is_nan = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu) || b_is_nan;
    let choice = select(0.0, bitcast<f32>(not_a_number_bits), a_or_b_is_nan);
    return choice + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_exp_two(a: f32) -> f32 {
    var infinity_bits = 0x7f800000u;
    let floor_1 = floor(a);
    let sum = a - floor_1;
    let product = sum * (0.055485282 + sum * (0.009675452 + sum * (0.0012467847 + sum * 0.00021612915)));
    let sum_1 = sum * (0.69314706 + sum * (0.24022931 + product)) + 1.0;
    let product_1 = sum_1 * bitcast<f32>(bitcast<u32>(floor_1 + 8388735.0) << 23u);
    let choice = select(select(a, bitcast<f32>(infinity_bits), a >= 128.0), 0.0, a <= -126.00001);
    return select(choice, product_1, a > -126.00001 && a < 128.0);
}

fn pica_log_two(a: f32) -> f32 {
    var negative_infinity_bits = 0xff800000u;
    var not_a_number_bits = 0x7fc00000u;
    let a_bits = bitcast<u32>(a);
    let result = bitcast<f32>((a_bits & 0x007fffffu) | 0x3f800000u);
    let result_above = result > 1.4142135;
    let sum = bitcast<f32>((a_bits >> 23u) | 0x4b000000u) - 8388735.0;
    let sum_1 = select(result, result * 0.5, result_above) - 1.0;
    let product = sum_1 * (0.20429602 + sum_1 * (-0.19061264 + sum_1 * (0.18782671 + sum_1 * -0.112974904)));
    let sum_2 = 0.4808979 + sum_1 * (-0.36069643 + sum_1 * (0.28858528 + sum_1 * (-0.23963659 + product)));
    let product_1 = sum_1 * (1.442695 + sum_1 * (-0.72134733 + sum_1 * sum_2));
    let sum_3 = select(sum, sum + 1.0, result_above) + product_1;
    let a_above_0 = a > 0.0;
    let choice = select(bitcast<f32>(not_a_number_bits), a, a_above_0);
    let choice_1 = select(choice, sum_3, a_above_0 && a <= 3.4028234663852886e38);
    return select(choice_1, bitcast<f32>(negative_infinity_bits), abs(a) < 1.1754944e-38);
}

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let a_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    let b_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let product = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(not_a_number), a_is_nan | b_is_nan) + product;
}

fn pica_has_nan_vec3f(a: vec3f) -> bool {
    return any(vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu)));
}

fn pica_dot_or_nan_vec3f(a: vec3f, b: vec3f, is_nan: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let product = pica_mul_vec3f(a, b);
    let sum = select(0.0, bitcast<f32>(not_a_number_bits), is_nan) + product.x + product.y;
    return sum + product.z;
}

fn pica_is_nan(a: f32) -> bool {
    return 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
}

fn pica_offset(index: i32) -> i32 {
    return select(0, index, index > -129 && index < 128);
}

fn c_at(index: i32) -> vec4f {
    let index_wrapped = index & 127;
    let index_wrapped_below_96 = index_wrapped < 96;
    let c_index_wrapped = uniforms.c[select(95, index_wrapped, index_wrapped_below_96)];
    return select(vec4f(1.0), c_index_wrapped, index_wrapped_below_96);
}

fn layers_at(index: i32) -> vec4f {
    return c_at(layers + index);
}

@vertex
fn main(@location(0) inpos: vec4f, @location(1) innrm: vec4f) -> VertexOutput {
    let inpos_bits = i32(bitcast<u32>(inpos.x));
    let inpos_bits_1 = u32((inpos_bits * (inpos_bits + 1)) & 1);
    let inpos_1 = vec4f(inpos.xyz, 1.0);
    let inpos_has_nan = pica_has_nan_vec4f(inpos_1);
    let modelView_has_nan = pica_has_nan_vec4f(uniforms.c[modelView]) || inpos_has_nan;
    let modelView_1_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || inpos_has_nan;
    let modelView_2_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || inpos_has_nan;
    let r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], inpos_1, modelView_2_has_nan);
    let modelView_3_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || inpos_has_nan;
    let r1 = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView], inpos_1, modelView_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], inpos_1, modelView_1_has_nan),
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], inpos_1, modelView_3_has_nan),
    );
    let r1_has_nan = pica_has_nan_vec4f(r1);
    let projection_has_nan = pica_has_nan_vec4f(uniforms.c[projection]) || r1_has_nan;
    let projection_1_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 1]) || r1_has_nan;
    let projection_2_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 2]) || r1_has_nan;
    let projection_3_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 3]) || r1_has_nan;
    var r2_y = bitcast<f32>(inpos_bits_1);
    var aL = uniforms.layerLoop.y;
    var left_i0 = uniforms.layerLoop.x;
    var done = false;
    var r2_y_1 = 0.0;
    // up to layerLoop.x + 1 iterations, aL from layerLoop.y by layerLoop.z
    while !done {
        let r2_y_2 = r2_y;
        let r2_y_3 = r2_y_1;
        let layers_aL = layers_at(pica_offset(aL));
        if layers_aL.x > -r1_z {
            r2_y = r2_y_2;
            done = true;
            r2_y_1 = r2_y_2;
            continue;
        }
        if left_i0 <= 0 {
            r2_y = r2_y_2;
            done = true;
            r2_y_1 = layers_aL.y;
            continue;
        }
        r2_y = layers_aL.y;
        aL += uniforms.layerLoop.z;
        left_i0 -= 1;
        done = false;
        r2_y_1 = r2_y_3;
    }
    r2_y = r2_y_1;
    let r4_x = pica_exp_two(1.442688 * pica_mul_either_nan(r2_y, r1_z));
    let r4_x_1 = select(r4_x, 1.0, 1.0 < r4_x);
    let innrm_has_nan = pica_has_nan_vec3f(innrm.xyz);
    let modelView_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView].xyz) || innrm_has_nan;
    let modelView_1_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView + 1].xyz) || innrm_has_nan;
    let modelView_2_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView + 2].xyz) || innrm_has_nan;
    let out_texcoord0_w = pica_dot_or_nan_vec3f(
        uniforms.c[modelView + 2].xyz,
        innrm.xyz,
        modelView_2_has_nan_1,
    );
    let r6_xy = vec2f(
        pica_dot_or_nan_vec3f(uniforms.c[modelView].xyz, innrm.xyz, modelView_has_nan_1),
        pica_dot_or_nan_vec3f(uniforms.c[modelView + 1].xyz, innrm.xyz, modelView_1_has_nan_1),
    );
    let r6_xy_1 = vec2f(1.0) + r6_xy;
    var r9_yz = bitcast<vec2f>(vec2u(inpos_bits_1) | vec2u(0x40800000u, 0x3e800000u));
    // up to 3 iterations
    for (var left_i0_1 = 2; left_i0_1 >= 0; left_i0_1 -= 1) {
        r9_yz = vec2f(pica_mul_either_nan(r9_yz.x, r6_xy_1.y), r9_yz.y);
    }
    let r6 = vec3f(r6_xy_1, out_texcoord0_w);
    let r9 = vec3f(1.0, r9_yz);
    let r6_has_nan = pica_has_nan_vec3f(r6) || pica_is_nan(r9_yz.x);
    let o3_product = vec2f(4.0, 0.25) * r9.yz;
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.c[projection], r1, projection_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], r1, projection_3_has_nan),
    );
    let color = vec4f(
        pica_mul_either_nan_vec3f(uniforms.c[fogColor].xyz, vec3f(r4_x_1)),
        pica_exp_two(0.25 * pica_log_two(r4_x_1)),
    );
    let color_magnitude = abs(color);
    let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
    let out_texcoord1_uv = vec2f(
        pica_dot_or_nan_vec3f(r6, r9, r6_has_nan) + 1.0,
        2.0 + o3_product.x + o3_product.y + 1.0,
    );
    return VertexOutput(out_position, out_color, 0.5 * r6_xy_1, out_texcoord1_uv, out_texcoord0_w);
}
