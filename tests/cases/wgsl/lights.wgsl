// source: shaders/lights.shbin#0
// program: DVLE 0
// entry: code word 0xe
// translator: transpica 0.1.0

struct Uniforms {
    c: array<vec4f, 96>,
    lightLoop: vec4i,
    useSpecular: u32,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(6) view: vec3f,
}

const projection: i32 = 0;
const modelView: i32 = 4;
const normalMatrix: i32 = 8;
const lightDir: i32 = 11;
const lightColor: i32 = 19;
const ambient: i32 = 27;
const material: i32 = 28;
const eye: i32 = 29;

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

fn pica_has_nan_vec3f(a: vec3f) -> bool {
    return any(vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu)));
}

fn pica_dot_or_nan_vec3f(a: vec3f, b: vec3f, is_nan: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let product = pica_mul_vec3f(a, b);
    let sum = select(0.0, bitcast<f32>(not_a_number_bits), is_nan) + product.x + product.y;
    return sum + product.z;
}

fn pica_dot_plain_vec3f(a: vec3f, b: vec3f) -> f32 {
    let product = a * b;
    return product.x + product.y + product.z;
}

fn pica_rsq(a: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    var infinity_bits = 0x7f800000u;
    let a_bits = bitcast<u32>(a);
    let a_bits_bits = bitcast<u32>(f32(i32(a_bits))) + 0x00800000u;
    let a_bits_1 = select(a_bits + 0x4b000000u, a_bits_bits, a_bits < 0x00800000u);
    let a_bits_2 = ((a_bits_1 & 0x00ffffffu) ^ 0x00800000u) + 0x3f800000u;
    let result = bitcast<f32>(a_bits_2);
    let result_1 = inverseSqrt(result);
    let result_2 = (bitcast<u32>(result * result_1) - 0x3f000006u) & 0x00ffffffu;
    let result_3 = u32(i32(result * 8388608.0)) << 23u;
    let result_4 = f32(i32(result_3 - result_2 * result_2));
    let sum = result_4 * bitcast<f32>(bitcast<u32>(result_1) - 0x0c000000u) + 0.49975586;
    let result_5 = (result_2 + u32(i32(sum))) & 0x00ffffffu;
    let result_below_result = i32(result_5) < i32(result_3 - result_5 * result_5);
    let result_6 = (result_5 + select(0u, 1u, result_below_result)) & 0x00ffffffu;
    let result_bits = bitcast<u32>(result_1) + 0x257ffff8u;
    let result_bits_1 = result_bits & 0x00ffffffu;
    let result_7 = f32(i32(result_bits_1 * result_6));
    let sum_1 = result_7 * bitcast<f32>(result_bits_1 + 0xb3000000u) + 0.49975586;
    let sum_2 = u32(i32(sum_1));
    let result_bits_2 = i32(((result_bits_1 + sum_2) & 0x00ffffffu) * result_6 + (result_6 >> 1u));
    let result_bits_3 = result_bits + (sum_2 + select(0u, 1u, result_bits_2 < i32(0u)));
    let result_8 = bitcast<f32>(result_bits_3 - ((a_bits_1 - a_bits_2) >> 1u));
    let choice = select(bitcast<f32>(not_a_number_bits), result_8, a_bits < 0x7f800000u);
    let choice_1 = select(choice, 0.0, a_bits == 0x7f800000u);
    return select(choice_1, bitcast<f32>(infinity_bits), a == 0.0);
}

fn pica_mul_first_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let a_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    let product = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(bitcast<f32>(not_a_number_bits)), a_is_nan) + product;
}

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let a_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    let b_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let product = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(not_a_number), a_is_nan | b_is_nan) + product;
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

fn pica_is_nan(a: f32) -> bool {
    return 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
}

fn pica_is_nan_vec3f(a: vec3f) -> vec3<bool> {
    return vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
}

fn lightDir_at(index: i32) -> vec4f {
    return c_at(lightDir + index);
}

fn lightColor_at(index: i32) -> vec4f {
    return c_at(lightColor + index);
}

@vertex
fn main(@location(0) inpos: vec4f, @location(1) innrm: vec4f) -> VertexOutput {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let inpos_1 = vec4f(inpos.xyz, 1.0);
    let inpos_has_nan = pica_has_nan_vec4f(inpos_1);
    let modelView_has_nan = pica_has_nan_vec4f(uniforms.c[modelView]) || inpos_has_nan;
    let r1_x = pica_dot_point_or_nan_vec4f(uniforms.c[modelView], inpos_1, modelView_has_nan);
    let modelView_1_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || inpos_has_nan;
    let r1_y = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], inpos_1, modelView_1_has_nan);
    let modelView_2_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || inpos_has_nan;
    let r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], inpos_1, modelView_2_has_nan);
    let modelView_3_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || inpos_has_nan;
    let r1 = vec4f(
        r1_x,
        r1_y,
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], inpos_1, modelView_3_has_nan),
    );
    let r1_has_nan = pica_has_nan_vec4f(r1);
    let projection_has_nan = pica_has_nan_vec4f(uniforms.c[projection]) || r1_has_nan;
    let projection_1_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 1]) || r1_has_nan;
    let projection_2_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 2]) || r1_has_nan;
    let projection_3_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 3]) || r1_has_nan;
    let innrm_has_nan = pica_has_nan_vec3f(innrm.xyz);
    let normalMatrix_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix].xyz) || innrm_has_nan;
    let normalMatrix_1_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix + 1].xyz) || innrm_has_nan;
    let normalMatrix_2_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix + 2].xyz) || innrm_has_nan;
    let r2_xyz = vec3f(
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix].xyz, innrm.xyz, normalMatrix_has_nan),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 1].xyz, innrm.xyz, normalMatrix_1_has_nan),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 2].xyz, innrm.xyz, normalMatrix_2_has_nan),
    );
    let r3_x = pica_rsq(pica_dot_plain_vec3f(r2_xyz, r2_xyz));
    let r2_xyz_1 = pica_mul_first_nan_vec3f(vec3f(r3_x), r2_xyz);
    let out_view = uniforms.c[eye].xyz - vec3f(r1_x, r1_y, r1_z);
    var r7_xyz = uniforms.c[ambient].xyz;
    var aL = uniforms.lightLoop.y;
    // up to lightLoop.x + 1 iterations, aL from lightLoop.y by lightLoop.z
    for (var left_i0 = uniforms.lightLoop.x; left_i0 >= 0; left_i0 -= 1) {
        let aL_offset = pica_offset(aL);
        let lightDir_aL = lightDir_at(aL_offset);
        let r2_x_is_nan = pica_is_nan(r2_xyz_1.x);
        let lightDir_aL_has_nan = pica_has_nan_vec3f(lightDir_aL.xyz) || r2_x_is_nan;
        let r4_x = pica_dot_or_nan_vec3f(lightDir_aL.xyz, r2_xyz_1, lightDir_aL_has_nan);
        let r4_x_1 = select(r4_x, 0.0, 0.0 > r4_x);
        let lightColor_aL = lightColor_at(aL_offset);
        let lightColor_aL_is_nan = pica_is_nan_vec3f(lightColor_aL.xyz);
        let r4_x_is_nan = pica_is_nan_vec3f(vec3f(r4_x_1)) | lightColor_aL_is_nan;
        let r7_sum = pica_mul_vec3f(vec3f(r4_x_1), lightColor_aL.xyz) + r7_xyz;
        r7_xyz = select(r7_sum, vec3f(not_a_number), r4_x_is_nan);
        if 0.0 < r4_x_1 {
            if uniforms.useSpecular != 0u {
                let r5_xyz = lightDir_aL.xyz + out_view;
                let r5_w = pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz));
                let r5_xyz_1 = pica_mul_first_nan_vec3f(vec3f(r5_w), r5_xyz);
                let r5_x_is_nan = pica_is_nan(r5_xyz_1.x) || r2_x_is_nan;
                let r4_x_2 = pica_dot_or_nan_vec3f(r5_xyz_1, r2_xyz_1, r5_x_is_nan);
                let r4_x_3 = select(r4_x_2, 0.0, 0.0 > r4_x_2);
                let r4_x_4 = r4_x_3 * r4_x_3;
                let r4_x_5 = r4_x_4 * r4_x_4;
                let r4_x_6 = r4_x_5 * r4_x_5;
                let r4_x_7 = r4_x_6 * r4_x_6;
                let r4_x_is_nan_1 = pica_is_nan_vec3f(vec3f(r4_x_7)) | lightColor_aL_is_nan;
                let r7_sum_1 = pica_mul_vec3f(vec3f(r4_x_7), lightColor_aL.xyz) + r7_xyz;
                r7_xyz = select(r7_sum_1, vec3f(not_a_number), r4_x_is_nan_1);
            }
        }
        aL += uniforms.lightLoop.z;
    }
    let r7_xyz_1 = pica_mul_either_nan_vec3f(uniforms.c[material].xyz, r7_xyz);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.c[projection], r1, projection_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], r1, projection_3_has_nan),
    );
    let color = vec4f(select(r7_xyz_1, vec3f(1.0), vec3f(1.0) < r7_xyz_1), uniforms.c[material].w);
    let color_magnitude = abs(color);
    let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_view);
}
