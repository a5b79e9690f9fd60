#version 310 es
// source: sample.shbin
// program: DVLE 0
// entry: code word 0xe
// translator: transpica 0.1.0

#if defined(PRECISE)
#elif defined(GL_EXT_gpu_shader5)
#extension GL_EXT_gpu_shader5 : enable
#define PRECISE precise
#elif defined(GL_OES_gpu_shader5)
#extension GL_OES_gpu_shader5 : enable
#define PRECISE precise
#else
#define PRECISE
#endif

precision highp float;
precision highp int;

const int projection = 0;
const int modelView = 4;
const int normalMatrix = 8;
const int lightDir = 11;
const int lightColor = 19;
const int ambient = 27;
const int material = 28;
const int eye = 29;

layout(binding = 0, std140) uniform Uniforms {
    vec4 c[96];
    ivec4 lightLoop;
    uint useSpecular;
} uniforms;

layout(location = 0) in vec4 in_inpos;
layout(location = 1) in vec4 in_innrm;

layout(location = 0) out vec4 color;
layout(location = 6) out vec3 view;

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

float pica_dot_plain_vec3f(vec3 a, vec3 b) {
    PRECISE vec3 product = a * b;
    PRECISE float sum = product.x + product.y + product.z;
    return sum;
}

float pica_rsq(float a) {
    uint not_a_number_bits = 0x7fc00000u;
    uint infinity_bits = 0x7f800000u;
    uint a_bits = floatBitsToUint(a);
    uint a_bits_bits = floatBitsToUint(float(int(a_bits))) + 0x00800000u;
    uint a_bits_1 = a_bits < 0x00800000u ? a_bits_bits : a_bits + 0x4b000000u;
    uint a_bits_2 = ((a_bits_1 & 0x00ffffffu) ^ 0x00800000u) + 0x3f800000u;
    float result = uintBitsToFloat(a_bits_2);
    PRECISE float result_1 = inversesqrt(result);
    PRECISE uint result_2 = (floatBitsToUint(result * result_1) - 0x3f000006u) & 0x00ffffffu;
    PRECISE uint result_3 = uint(int(result * 8388608.0)) << 23u;
    float result_4 = float(int(result_3 - result_2 * result_2));
    PRECISE float sum = result_4 * uintBitsToFloat(floatBitsToUint(result_1) - 0x0c000000u) + 0.49975586;
    uint result_5 = (result_2 + uint(int(sum))) & 0x00ffffffu;
    bool result_below_result = int(result_5) < int(result_3 - result_5 * result_5);
    uint result_6 = (result_5 + (result_below_result ? 1u : 0u)) & 0x00ffffffu;
    uint result_bits = floatBitsToUint(result_1) + 0x257ffff8u;
    uint result_bits_1 = result_bits & 0x00ffffffu;
    float result_7 = float(int(result_bits_1 * result_6));
    PRECISE float sum_1 = result_7 * uintBitsToFloat(result_bits_1 + 0xb3000000u) + 0.49975586;
    uint sum_2 = uint(int(sum_1));
    int result_bits_2 = int(((result_bits_1 + sum_2) & 0x00ffffffu) * result_6 + (result_6 >> 1u));
    uint result_bits_3 = result_bits + (sum_2 + (result_bits_2 < int(0u) ? 1u : 0u));
    float result_8 = uintBitsToFloat(result_bits_3 - ((a_bits_1 - a_bits_2) >> 1u));
    float choice = a_bits < 0x7f800000u ? result_8 : uintBitsToFloat(not_a_number_bits);
    float choice_1 = a_bits == 0x7f800000u ? 0.0 : choice;
    PRECISE float choice_2 = mix(choice_1, uintBitsToFloat(infinity_bits), a == 0.0);
    return choice_2;
}

vec3 pica_mul_first_nan_vec3f(vec3 a, vec3 b) {
    uint not_a_number_bits = 0x7fc00000u;
    bvec3 a_is_nan = lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
    PRECISE vec3 product = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    PRECISE vec3 sum = mix(vec3(0.0), vec3(uintBitsToFloat(not_a_number_bits)), a_is_nan) + product;
    return sum;
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

int pica_offset(int index) {
    return index > -129 && index < 128 ? index : 0;
}

vec4 c_at(int index) {
    int index_wrapped = index & 127;
    bool index_wrapped_below_96 = index_wrapped < 96;
    vec4 c_index_wrapped = uniforms.c[index_wrapped_below_96 ? index_wrapped : 95];
    return index_wrapped_below_96 ? c_index_wrapped : vec4(1.0);
}

bool pica_is_nan(float a) {
    return 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu);
}

bvec3 pica_is_nan_vec3f(vec3 a) {
    return lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
}

vec4 lightDir_at(int index) {
    return c_at(lightDir + index);
}

vec4 lightColor_at(int index) {
    return c_at(lightColor + index);
}

void main() {
    uint not_a_number_bits = 0x7fc00000u;
    float not_a_number = uintBitsToFloat(not_a_number_bits);
    vec4 in_inpos_1 = vec4(in_inpos.xyz, 1.0);
    bool in_inpos_has_nan = pica_has_nan_vec4f(in_inpos_1);
    bool modelView_has_nan = pica_has_nan_vec4f(uniforms.c[modelView]) || in_inpos_has_nan;
    float r1_x = pica_dot_point_or_nan_vec4f(uniforms.c[modelView], in_inpos_1, modelView_has_nan);
    bool modelView_1_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || in_inpos_has_nan;
    float r1_y = pica_dot_point_or_nan_vec4f(
        uniforms.c[modelView + 1],
        in_inpos_1,
        modelView_1_has_nan
    );
    bool modelView_2_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || in_inpos_has_nan;
    float r1_z = pica_dot_point_or_nan_vec4f(
        uniforms.c[modelView + 2],
        in_inpos_1,
        modelView_2_has_nan
    );
    bool modelView_3_has_nan = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || in_inpos_has_nan;
    vec4 r1 = vec4(
        r1_x,
        r1_y,
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], in_inpos_1, modelView_3_has_nan)
    );
    bool r1_has_nan = pica_has_nan_vec4f(r1);
    bool projection_has_nan = pica_has_nan_vec4f(uniforms.c[projection]) || r1_has_nan;
    bool projection_1_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 1]) || r1_has_nan;
    bool projection_2_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 2]) || r1_has_nan;
    bool projection_3_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 3]) || r1_has_nan;
    bool in_innrm_has_nan = pica_has_nan_vec3f(in_innrm.xyz);
    bool normalMatrix_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix].xyz) || in_innrm_has_nan;
    bool normalMatrix_1_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix + 1].xyz) || in_innrm_has_nan;
    bool normalMatrix_2_has_nan = pica_has_nan_vec3f(uniforms.c[normalMatrix + 2].xyz) || in_innrm_has_nan;
    vec3 r2_xyz = vec3(
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix].xyz, in_innrm.xyz, normalMatrix_has_nan),
        pica_dot_or_nan_vec3f(
            uniforms.c[normalMatrix + 1].xyz,
            in_innrm.xyz,
            normalMatrix_1_has_nan
        ),
        pica_dot_or_nan_vec3f(
            uniforms.c[normalMatrix + 2].xyz,
            in_innrm.xyz,
            normalMatrix_2_has_nan
        )
    );
    float r3_x = pica_rsq(pica_dot_plain_vec3f(r2_xyz, r2_xyz));
    vec3 r2_xyz_1 = pica_mul_first_nan_vec3f(vec3(r3_x), r2_xyz);
    PRECISE vec3 out_view = uniforms.c[eye].xyz - vec3(r1_x, r1_y, r1_z);
    vec3 r7_xyz = uniforms.c[ambient].xyz;
    int aL = uniforms.lightLoop.y;
    // up to lightLoop.x + 1 iterations, aL from lightLoop.y by lightLoop.z
    for (int left_i0 = uniforms.lightLoop.x; left_i0 >= 0; left_i0 -= 1) {
        int aL_offset = pica_offset(aL);
        vec4 lightDir_aL = lightDir_at(aL_offset);
        bool r2_x_is_nan = pica_is_nan(r2_xyz_1.x);
        bool lightDir_aL_has_nan = pica_has_nan_vec3f(lightDir_aL.xyz) || r2_x_is_nan;
        float r4_x = pica_dot_or_nan_vec3f(lightDir_aL.xyz, r2_xyz_1, lightDir_aL_has_nan);
        PRECISE float r4_x_1 = mix(r4_x, 0.0, 0.0 > r4_x);
        vec4 lightColor_aL = lightColor_at(aL_offset);
        bvec3 lightColor_aL_is_nan = pica_is_nan_vec3f(lightColor_aL.xyz);
        bvec3 r4_x_is_nan = either(pica_is_nan_vec3f(vec3(r4_x_1)), lightColor_aL_is_nan);
        PRECISE vec3 r7_sum = pica_mul_vec3f(vec3(r4_x_1), lightColor_aL.xyz) + r7_xyz;
        PRECISE bool cmp_x = 0.0 < r4_x_1;
        r7_xyz = mix(r7_sum, vec3(not_a_number), r4_x_is_nan);
        if (cmp_x) {
            if (uniforms.useSpecular != 0u) {
                PRECISE vec3 r5_xyz = lightDir_aL.xyz + out_view;
                float r5_w = pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz));
                vec3 r5_xyz_1 = pica_mul_first_nan_vec3f(vec3(r5_w), r5_xyz);
                bool r5_x_is_nan = pica_is_nan(r5_xyz_1.x) || r2_x_is_nan;
                float r4_x_2 = pica_dot_or_nan_vec3f(r5_xyz_1, r2_xyz_1, r5_x_is_nan);
                PRECISE float r4_x_3 = mix(r4_x_2, 0.0, 0.0 > r4_x_2);
                PRECISE float r4_x_4 = r4_x_3 * r4_x_3;
                PRECISE float r4_x_5 = r4_x_4 * r4_x_4;
                PRECISE float r4_x_6 = r4_x_5 * r4_x_5;
                PRECISE float r4_x_7 = r4_x_6 * r4_x_6;
                bvec3 r4_x_is_nan_1 = either(pica_is_nan_vec3f(vec3(r4_x_7)), lightColor_aL_is_nan);
                PRECISE vec3 r7_sum_1 = pica_mul_vec3f(vec3(r4_x_7), lightColor_aL.xyz) + r7_xyz;
                r7_xyz = mix(r7_sum_1, vec3(not_a_number), r4_x_is_nan_1);
            }
        }
        aL += uniforms.lightLoop.z;
    }
    vec3 r7_xyz_1 = pica_mul_either_nan_vec3f(uniforms.c[material].xyz, r7_xyz);
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.c[projection], r1, projection_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], r1, projection_3_has_nan)
    );
    PRECISE vec4 color_1 = vec4(
        mix(r7_xyz_1, vec3(1.0), lessThan(vec3(1.0), r7_xyz_1)),
        uniforms.c[material].w
    );
    vec4 color_magnitude = abs(color_1);
    PRECISE vec4 out_color = mix(vec4(1.0), color_magnitude, lessThan(color_magnitude, vec4(1.0)));
    gl_Position = out_position;
    color = out_color;
    view = out_view;
}
