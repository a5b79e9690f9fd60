#version 330 core
// source: sample.shbin
// program: DVLE 0
// entry: code word 0x0

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
    bvec4 test = lessThan(uvec4(0x7f800000u), floatBitsToUint(a) & uvec4(0x7fffffffu));
    return test.x || test.y || (test.z || test.w);
}

vec3 pica_mul_vec3f(vec3 a, vec3 b) {
    PRECISE vec3 t = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    return t;
}

float pica_dot_point_or_nan_vec4f(vec4 a, vec4 b, bool c) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 t = pica_mul_vec3f(a.xyz, b.xyz);
    PRECISE float t_1 = (c ? uintBitsToFloat(not_a_number_bits) : 0.0) + t.x + t.y + t.z;
    PRECISE float t_2 = t_1 + a.w * b.w;
    return t_2;
}

vec4 pica_mul_vec4f(vec4 a, vec4 b) {
    PRECISE vec4 t = mix(a, vec4(0.0), equal(b, vec4(0.0))) * mix(b, vec4(0.0), equal(a, vec4(0.0)));
    return t;
}

float pica_dot_or_nan_vec4f(vec4 a, vec4 b, bool c) {
    uint not_a_number_bits = 0x7fc00000u;
    vec4 t = pica_mul_vec4f(a, b);
    PRECISE float t_1 = (c ? uintBitsToFloat(not_a_number_bits) : 0.0) + t.x + t.y + t.z;
    PRECISE float t_2 = t_1 + t.w;
    return t_2;
}

float pica_mul_either_nan(float a, float b) {
    uint not_a_number_bits = 0x7fc00000u;
    bool test = 0x7f800000u < (floatBitsToUint(b) & 0x7fffffffu);
    bool test_1 = 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu) || test;
    float t = test_1 ? uintBitsToFloat(not_a_number_bits) : 0.0;
    PRECISE float t_1 = t + mix(a, 0.0, b == 0.0) * mix(b, 0.0, a == 0.0);
    return t_1;
}

float pica_exp_two(float a) {
    uint infinity_bits = 0x7f800000u;
    PRECISE float t = mix(mix(a, uintBitsToFloat(infinity_bits), a >= 128.0), 0.0, a <= -150.0);
    PRECISE float t_1 = mix(t, exp2(a), a > -150.0 && a < 128.0);
    return t_1;
}

float pica_log_two(float a) {
    uint negative_infinity_bits = 0xff800000u;
    uint not_a_number_bits = 0x7fc00000u;
    PRECISE bool test = a > 0.0;
    float t = test ? a : uintBitsToFloat(not_a_number_bits);
    PRECISE float t_1 = mix(t, uintBitsToFloat(negative_infinity_bits), a == 0.0);
    PRECISE float t_2 = mix(t_1, log2(a), test && a <= 3.4028234663852886e38);
    return t_2;
}

vec3 pica_mul_either_nan_vec3f(vec3 a, vec3 b) {
    uint not_a_number_bits = 0x7fc00000u;
    bvec3 test = lessThan(uvec3(0x7f800000u), floatBitsToUint(b) & uvec3(0x7fffffffu));
    bvec3 test_1 = either(lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu)), test);
    PRECISE vec3 t = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    PRECISE vec3 t_1 = mix(vec3(0.0), vec3(uintBitsToFloat(not_a_number_bits)), test_1) + t;
    return t_1;
}

bool pica_has_nan_vec3f(vec3 a) {
    bvec3 test = lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
    return test.x || test.y || test.z;
}

float pica_dot_or_nan_vec3f(vec3 a, vec3 b, bool c) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 t = pica_mul_vec3f(a, b);
    PRECISE float t_1 = (c ? uintBitsToFloat(not_a_number_bits) : 0.0) + t.x + t.y + t.z;
    return t_1;
}

bool pica_is_nan(float a) {
    return 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu);
}

int pica_offset(int a) {
    return a > -129 && a < 128 ? a : 0;
}

vec4 c_at(int a) {
    int n = a & 127;
    bool test = n < 96;
    return test ? uniforms.c[test ? n : 95] : vec4(1.0);
}

void main() {
    int n = int(floatBitsToUint(in_inpos.x));
    vec4 t = vec4(in_inpos.xyz, 1.0);
    bool test_1 = pica_has_nan_vec4f(t);
    bool test_2 = pica_has_nan_vec4f(uniforms.c[modelView]) || test_1;
    bool test_3 = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || test_1;
    bool test_4 = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || test_1;
    float r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], t, test_4);
    bool test_5 = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || test_1;
    vec4 t_1 = vec4(
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView], t, test_2),
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], t, test_3),
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], t, test_5)
    );
    bool test_6 = pica_has_nan_vec4f(t_1);
    bool test_7 = pica_has_nan_vec4f(uniforms.c[projection]) || test_6;
    bool test_8 = pica_has_nan_vec4f(uniforms.c[projection + 1]) || test_6;
    bool test_9 = pica_has_nan_vec4f(uniforms.c[projection + 2]) || test_6;
    bool test_10 = pica_has_nan_vec4f(uniforms.c[projection + 3]) || test_6;
    float r2_y = uintBitsToFloat(uint((n * (n + 1)) & 1));
    int aL = uniforms.layerLoop.y;
    int left_i0 = uniforms.layerLoop.x;
    bool test = false;
    float r2_y_1 = 0.0;
    for (;;) {
        float r2_y_2 = r2_y;
        float r2_y_3 = r2_y_1;
        if (test) {
            r2_y = r2_y_3;
            break;
        }
        vec4 t_2 = c_at(layers + pica_offset(aL));
        PRECISE bool cmp_x = t_2.x > -r1_z;
        if (cmp_x) {
            r2_y = r2_y_2;
            test = true;
            r2_y_1 = r2_y_2;
            continue;
        }
        if (left_i0 <= 0) {
            r2_y = r2_y_2;
            test = true;
            r2_y_1 = t_2.y;
            continue;
        }
        r2_y = t_2.y;
        aL += uniforms.layerLoop.z;
        left_i0 -= 1;
        test = false;
        r2_y_1 = r2_y_3;
    }
    PRECISE float r4_x = 1.442688 * pica_mul_either_nan(r2_y, r1_z);
    float r4_x_1 = pica_exp_two(r4_x);
    PRECISE float r4_x_2 = mix(r4_x_1, 1.0, 1.0 < r4_x_1);
    PRECISE float r5_x = 0.25 * pica_log_two(r4_x_2);
    bool test_11 = pica_has_nan_vec3f(in_innrm.xyz);
    bool test_12 = pica_has_nan_vec3f(uniforms.c[modelView].xyz) || test_11;
    bool test_13 = pica_has_nan_vec3f(uniforms.c[modelView + 1].xyz) || test_11;
    bool test_14 = pica_has_nan_vec3f(uniforms.c[modelView + 2].xyz) || test_11;
    float out_texcoord0_w = pica_dot_or_nan_vec3f(uniforms.c[modelView + 2].xyz, in_innrm.xyz, test_14);
    vec2 t_3 = vec2(
        pica_dot_or_nan_vec3f(uniforms.c[modelView].xyz, in_innrm.xyz, test_12),
        pica_dot_or_nan_vec3f(uniforms.c[modelView + 1].xyz, in_innrm.xyz, test_13)
    );
    PRECISE vec2 r6_xy = vec2(1.0) + t_3;
    PRECISE vec2 out_texcoord0_uv = 0.5 * r6_xy;
    vec2 r9_yz = vec2(4.0, 0.25);
    left_i0 = 2;
    for (;;) {
        vec2 r9_yz_1 = r9_yz;
        float t_4 = pica_mul_either_nan(r9_yz_1.x, r6_xy.y);
        if (left_i0 <= 0) {
            r9_yz = vec2(t_4, r9_yz_1.y);
            break;
        }
        r9_yz = vec2(t_4, r9_yz_1.y);
        left_i0 -= 1;
    }
    vec3 t_5 = vec3(r6_xy, out_texcoord0_w);
    vec3 t_6 = vec3(1.0, r9_yz);
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.c[projection], t_1, test_7),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], t_1, test_8),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], t_1, test_9),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], t_1, test_10)
    );
    vec4 t_7 = vec4(pica_mul_either_nan_vec3f(uniforms.c[fogColor].xyz, vec3(r4_x_2)), pica_exp_two(r5_x));
    vec4 t_8 = abs(t_7);
    PRECISE vec4 out_color = mix(vec4(1.0), t_8, lessThan(t_8, vec4(1.0)));
    PRECISE vec2 out_texcoord1_uv = vec2(
        pica_dot_or_nan_vec3f(t_5, t_6, pica_has_nan_vec3f(t_5) || pica_is_nan(r9_yz.x)) + 1.0,
        2.0 + 4.0 * t_6.y + 0.0625 + 1.0
    );
    gl_Position = out_position;
    color = out_color;
    texcoord0_uv = out_texcoord0_uv;
    texcoord1_uv = out_texcoord1_uv;
    texcoord0_w = out_texcoord0_w;
}
