#version 330 core
// source: sample.shbin
// program: DVLE 0
// entry: code word 0x0
// translator: transpica 0.1.0

#if defined(PRECISE)
#elif defined(GL_ARB_gpu_shader5) && defined(GL_ARB_shader_precision)
#extension GL_ARB_gpu_shader5 : enable
#define PRECISE precise
#else
#define PRECISE
#endif

const int projection = 0;
const int modelView = 4;
const int layers = 8;
const int fogColor = 16;

layout(std140) uniform Uniforms {
    vec4 c[96];
    ivec4 layerLoop;
} uniforms;

layout(location = 0) in vec4 in_inpos;
layout(location = 1) in vec4 in_innrm;

out vec4 color;
out vec2 texcoord0_uv;
out vec2 texcoord1_uv;
out float texcoord0_w;

invariant gl_Position;

bvec3 either(bvec3 a, bvec3 b) {
    return bvec3(a.x || b.x, a.y || b.y, a.z || b.z);
}

bool pica_has_nan_vec4f(vec4 a) {
    return any(lessThan(uvec4(0x7f800000u), floatBitsToUint(a) & uvec4(0x7fffffffu)));
}

vec3 pica_mul_vec3f(vec3 a, vec3 b) {
    PRECISE vec3 product = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    return product;
}

float pica_dot_point_or_nan_vec4f(vec4 a, vec4 b, bool is_nan) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 product = pica_mul_vec3f(a.xyz, b.xyz);
    PRECISE float sum = (is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0) + product.x + product.y;
    PRECISE float sum_1 = sum + product.z + a.w * b.w;
    return sum_1;
}

vec4 pica_mul_vec4f(vec4 a, vec4 b) {
    PRECISE vec4 product = mix(a, vec4(0.0), equal(b, vec4(0.0))) * mix(b, vec4(0.0), equal(a, vec4(0.0)));
    return product;
}

float pica_dot_or_nan_vec4f(vec4 a, vec4 b, bool is_nan) {
    uint not_a_number_bits = 0x7fc00000u;
    vec4 product = pica_mul_vec4f(a, b);
    PRECISE float sum = (is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0) + product.x + product.y;
    PRECISE float sum_1 = sum + product.z + product.w;
    return sum_1;
}

float pica_mul_either_nan(float a, float b) {
    uint not_a_number_bits = 0x7fc00000u;
    bool b_is_nan = 0x7f800000u < (floatBitsToUint(b) & 0x7fffffffu);
    bool a_or_b_is_nan = 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu) || b_is_nan;
    float choice = a_or_b_is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0;
    PRECISE float sum = choice + mix(a, 0.0, b == 0.0) * mix(b, 0.0, a == 0.0);
    return sum;
}

float pica_exp_two(float a) {
    uint infinity_bits = 0x7f800000u;
    float floor_1 = floor(a);
    PRECISE float sum = a - floor_1;
    PRECISE float product = sum * (0.055485282 + sum * (0.009675452 + sum * (0.0012467847 + sum * 0.00021612915)));
    PRECISE float sum_1 = sum * (0.69314706 + sum * (0.24022931 + product)) + 1.0;
    PRECISE float product_1 = sum_1 * uintBitsToFloat(floatBitsToUint(floor_1 + 8388735.0) << 23u);
    PRECISE float choice = mix(mix(a, uintBitsToFloat(infinity_bits), a >= 128.0), 0.0, a <= -126.00001);
    PRECISE float choice_1 = mix(choice, product_1, a > -126.00001 && a < 128.0);
    return choice_1;
}

float pica_log_two(float a) {
    uint negative_infinity_bits = 0xff800000u;
    uint not_a_number_bits = 0x7fc00000u;
    uint a_bits = floatBitsToUint(a);
    float result = uintBitsToFloat((a_bits & 0x007fffffu) | 0x3f800000u);
    PRECISE bool result_above = result > 1.4142135;
    PRECISE float sum = uintBitsToFloat((a_bits >> 23u) | 0x4b000000u) - 8388735.0;
    PRECISE float sum_1 = (result_above ? result * 0.5 : result) - 1.0;
    PRECISE float product = sum_1 * (0.20429602 + sum_1 * (-0.19061264 + sum_1 * (0.18782671 + sum_1 * -0.112974904)));
    PRECISE float sum_2 = 0.4808979 + sum_1 * (-0.36069643 + sum_1 * (0.28858528 + sum_1 * (-0.23963659 + product)));
    PRECISE float product_1 = sum_1 * (1.442695 + sum_1 * (-0.72134733 + sum_1 * sum_2));
    PRECISE float sum_3 = (result_above ? sum + 1.0 : sum) + product_1;
    PRECISE bool a_above_0 = a > 0.0;
    float choice = a_above_0 ? a : uintBitsToFloat(not_a_number_bits);
    PRECISE float choice_1 = mix(choice, sum_3, a_above_0 && a <= 3.4028234663852886e38);
    PRECISE float choice_2 = mix(choice_1, uintBitsToFloat(negative_infinity_bits), abs(a) < 1.1754944e-38);
    return choice_2;
}

vec3 pica_mul_either_nan_vec3f(vec3 a, vec3 b) {
    uint not_a_number_bits = 0x7fc00000u;
    float not_a_number = uintBitsToFloat(not_a_number_bits);
    bvec3 a_is_nan = lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
    bvec3 b_is_nan = lessThan(uvec3(0x7f800000u), floatBitsToUint(b) & uvec3(0x7fffffffu));
    PRECISE vec3 product = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    PRECISE vec3 sum = mix(vec3(0.0), vec3(not_a_number), either(a_is_nan, b_is_nan)) + product;
    return sum;
}

bool pica_has_nan_vec3f(vec3 a) {
    return any(lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu)));
}

float pica_dot_or_nan_vec3f(vec3 a, vec3 b, bool is_nan) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 product = pica_mul_vec3f(a, b);
    PRECISE float sum = (is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0) + product.x + product.y;
    PRECISE float sum_1 = sum + product.z;
    return sum_1;
}

bool pica_is_nan(float a) {
    return 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu);
}

int pica_offset(int index) {
    return index > -129 && index < 128 ? index : 0;
}

vec4 c_at(int index) {
    int index_wrapped = index & 127;
    bool index_wrapped_below_96 = index_wrapped < 96;
    vec4 c_index_wrapped = uniforms.c[index_wrapped_below_96 ? index_wrapped : 95];
    return index_wrapped_below_96 ? c_index_wrapped : vec4(1.0);
}

vec4 layers_at(int index) {
    return c_at(layers + index);
}

void main() {
    int in_inpos_bits = int(floatBitsToUint(in_inpos.x));
    uint in_inpos_bits_1 = uint((in_inpos_bits * (in_inpos_bits + 1)) & 1);
    vec4 in_inpos_1 = vec4(in_inpos.xyz, 1.0);
    bool in_inpos_has_nan = pica_has_nan_vec4f(in_inpos_1);
    bool modelView_has_nan = pica_has_nan_vec4f(uniforms.c[modelView]) || in_inpos_has_nan;
    bool modelView_1_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || in_inpos_has_nan;
    bool modelView_2_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || in_inpos_has_nan;
    float r1_z = pica_dot_point_or_nan_vec4f(
        uniforms.c[modelView + 2],
        in_inpos_1,
        modelView_2_has_nan
    );
    bool modelView_3_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || in_inpos_has_nan;
    vec4 r1 = vec4(
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView], in_inpos_1, modelView_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], in_inpos_1, modelView_1_has_nan),
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], in_inpos_1, modelView_3_has_nan)
    );
    bool r1_has_nan = pica_has_nan_vec4f(r1);
    bool projection_has_nan = pica_has_nan_vec4f(uniforms.c[projection]) || r1_has_nan;
    bool projection_1_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 1]) || r1_has_nan;
    bool projection_2_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 2]) || r1_has_nan;
    bool projection_3_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 3]) || r1_has_nan;
    float r2_y = uintBitsToFloat(in_inpos_bits_1);
    int aL = uniforms.layerLoop.y;
    int left_i0 = uniforms.layerLoop.x;
    bool done = false;
    float r2_y_1 = 0.0;
    // up to layerLoop.x + 1 iterations, aL from layerLoop.y by layerLoop.z
    while (!done) {
        float r2_y_2 = r2_y;
        float r2_y_3 = r2_y_1;
        vec4 layers_aL = layers_at(pica_offset(aL));
        PRECISE bool cmp_x = layers_aL.x > -r1_z;
        if (cmp_x) {
            r2_y = r2_y_2;
            done = true;
            r2_y_1 = r2_y_2;
            continue;
        }
        if (left_i0 <= 0) {
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
    PRECISE float r4_x = 1.442688 * pica_mul_either_nan(r2_y, r1_z);
    float r4_x_1 = pica_exp_two(r4_x);
    PRECISE float r4_x_2 = mix(r4_x_1, 1.0, 1.0 < r4_x_1);
    PRECISE float r5_x = 0.25 * pica_log_two(r4_x_2);
    bool in_innrm_has_nan = pica_has_nan_vec3f(in_innrm.xyz);
    bool modelView_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView].xyz) || in_innrm_has_nan;
    bool modelView_1_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView + 1].xyz) || in_innrm_has_nan;
    bool modelView_2_has_nan_1 = pica_has_nan_vec3f(uniforms.c[modelView + 2].xyz) || in_innrm_has_nan;
    float out_texcoord0_w = pica_dot_or_nan_vec3f(
        uniforms.c[modelView + 2].xyz,
        in_innrm.xyz,
        modelView_2_has_nan_1
    );
    vec2 r6_xy = vec2(
        pica_dot_or_nan_vec3f(uniforms.c[modelView].xyz, in_innrm.xyz, modelView_has_nan_1),
        pica_dot_or_nan_vec3f(uniforms.c[modelView + 1].xyz, in_innrm.xyz, modelView_1_has_nan_1)
    );
    PRECISE vec2 r6_xy_1 = vec2(1.0) + r6_xy;
    PRECISE vec2 out_texcoord0_uv = 0.5 * r6_xy_1;
    vec2 r9_yz = uintBitsToFloat(uvec2(in_inpos_bits_1) | uvec2(0x40800000u, 0x3e800000u));
    // up to 3 iterations
    for (int left_i0_1 = 2; left_i0_1 >= 0; left_i0_1 -= 1) {
        r9_yz = vec2(pica_mul_either_nan(r9_yz.x, r6_xy_1.y), r9_yz.y);
    }
    vec3 r6 = vec3(r6_xy_1, out_texcoord0_w);
    vec3 r9 = vec3(1.0, r9_yz);
    bool r6_has_nan = pica_has_nan_vec3f(r6) || pica_is_nan(r9_yz.x);
    PRECISE vec2 o3_product = vec2(4.0, 0.25) * r9.yz;
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.c[projection], r1, projection_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], r1, projection_3_has_nan)
    );
    vec4 color_1 = vec4(
        pica_mul_either_nan_vec3f(uniforms.c[fogColor].xyz, vec3(r4_x_2)),
        pica_exp_two(r5_x)
    );
    vec4 color_magnitude = abs(color_1);
    PRECISE vec4 out_color = mix(vec4(1.0), color_magnitude, lessThan(color_magnitude, vec4(1.0)));
    PRECISE vec2 out_texcoord1_uv = vec2(
        pica_dot_or_nan_vec3f(r6, r9, r6_has_nan) + 1.0,
        2.0 + o3_product.x + o3_product.y + 1.0
    );
    gl_Position = out_position;
    color = out_color;
    texcoord0_uv = out_texcoord0_uv;
    texcoord1_uv = out_texcoord1_uv;
    texcoord0_w = out_texcoord0_w;
}
