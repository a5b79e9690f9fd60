#version 310 es
// source: sample.shbin
// program: DVLE 0
// entry: code word 0xe

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

float pica_dot_plain_vec3f(vec3 a, vec3 b) {
    PRECISE vec3 t = a * b;
    PRECISE float t_1 = t.x + t.y + t.z;
    return t_1;
}

float pica_rsq(float a) {
    uint infinity_bits = 0x7f800000u;
    PRECISE float t = mix(1.0 / sqrt(a), uintBitsToFloat(infinity_bits), a == 0.0);
    return t;
}

vec3 pica_mul_first_nan_vec3f(vec3 a, vec3 b) {
    uint not_a_number_bits = 0x7fc00000u;
    bvec3 test = lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
    PRECISE vec3 t = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    PRECISE vec3 t_1 = mix(vec3(0.0), vec3(uintBitsToFloat(not_a_number_bits)), test) + t;
    return t_1;
}

vec3 pica_mul_either_nan_vec3f(vec3 a, vec3 b) {
    uint not_a_number_bits = 0x7fc00000u;
    bvec3 test = lessThan(uvec3(0x7f800000u), floatBitsToUint(b) & uvec3(0x7fffffffu));
    bvec3 test_1 = either(lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu)), test);
    PRECISE vec3 t = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    PRECISE vec3 t_1 = mix(vec3(0.0), vec3(uintBitsToFloat(not_a_number_bits)), test_1) + t;
    return t_1;
}

int pica_offset(int a) {
    return a > -129 && a < 128 ? a : 0;
}

vec4 c_at(int a) {
    int n = a & 127;
    bool test = n < 96;
    return test ? uniforms.c[test ? n : 95] : vec4(1.0);
}

bool pica_is_nan(float a) {
    return 0x7f800000u < (floatBitsToUint(a) & 0x7fffffffu);
}

bvec3 pica_is_nan_vec3f(vec3 a) {
    return lessThan(uvec3(0x7f800000u), floatBitsToUint(a) & uvec3(0x7fffffffu));
}

void main() {
    uint not_a_number_bits = 0x7fc00000u;
    float not_a_number = uintBitsToFloat(not_a_number_bits);
    vec4 t = vec4(in_inpos.xyz, 1.0);
    bool test = pica_has_nan_vec4f(t);
    bool test_1 = pica_has_nan_vec4f(uniforms.c[modelView]) || test;
    float r1_x = pica_dot_point_or_nan_vec4f(uniforms.c[modelView], t, test_1);
    bool test_2 = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || test;
    float r1_y = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], t, test_2);
    bool test_3 = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || test;
    float r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], t, test_3);
    bool test_4 = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || test;
    vec4 t_1 = vec4(r1_x, r1_y, r1_z, pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], t, test_4));
    bool test_5 = pica_has_nan_vec4f(t_1);
    bool test_6 = pica_has_nan_vec4f(uniforms.c[projection]) || test_5;
    bool test_7 = pica_has_nan_vec4f(uniforms.c[projection + 1]) || test_5;
    bool test_8 = pica_has_nan_vec4f(uniforms.c[projection + 2]) || test_5;
    bool test_9 = pica_has_nan_vec4f(uniforms.c[projection + 3]) || test_5;
    bool test_10 = pica_has_nan_vec3f(in_innrm.xyz);
    bool test_11 = pica_has_nan_vec3f(uniforms.c[normalMatrix].xyz) || test_10;
    bool test_12 = pica_has_nan_vec3f(uniforms.c[normalMatrix + 1].xyz) || test_10;
    bool test_13 = pica_has_nan_vec3f(uniforms.c[normalMatrix + 2].xyz) || test_10;
    vec3 t_2 = vec3(
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix].xyz, in_innrm.xyz, test_11),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 1].xyz, in_innrm.xyz, test_12),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 2].xyz, in_innrm.xyz, test_13)
    );
    vec3 r2_xyz = pica_mul_first_nan_vec3f(vec3(pica_rsq(pica_dot_plain_vec3f(t_2, t_2))), t_2);
    PRECISE vec3 out_view = uniforms.c[eye].xyz - vec3(r1_x, r1_y, r1_z);
    vec3 r7_xyz = uniforms.c[ambient].xyz;
    int aL = uniforms.lightLoop.y;
    int left_i0 = uniforms.lightLoop.x;
    for (;;) {
        int n = pica_offset(aL);
        vec4 t_3 = c_at(lightDir + n);
        bool test_14 = pica_is_nan(r2_xyz.x);
        float r4_x = pica_dot_or_nan_vec3f(t_3.xyz, r2_xyz, pica_has_nan_vec3f(t_3.xyz) || test_14);
        PRECISE float r4_x_1 = mix(r4_x, 0.0, 0.0 > r4_x);
        vec4 t_4 = c_at(lightColor + n);
        bvec3 test_15 = pica_is_nan_vec3f(t_4.xyz);
        PRECISE vec3 t_5 = pica_mul_vec3f(vec3(r4_x_1), t_4.xyz) + r7_xyz;
        PRECISE bool cmp_x = 0.0 < r4_x_1;
        r7_xyz = mix(t_5, vec3(not_a_number), either(pica_is_nan_vec3f(vec3(r4_x_1)), test_15));
        if (cmp_x) {
            if (uniforms.useSpecular != 0u) {
                PRECISE vec3 r5_xyz = t_3.xyz + out_view;
                vec3 r5_xyz_1 = pica_mul_first_nan_vec3f(vec3(pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz))), r5_xyz);
                float r4_x_2 = pica_dot_or_nan_vec3f(r5_xyz_1, r2_xyz, pica_is_nan(r5_xyz_1.x) || test_14);
                PRECISE float r4_x_3 = mix(r4_x_2, 0.0, 0.0 > r4_x_2);
                PRECISE float r4_x_4 = r4_x_3 * r4_x_3;
                PRECISE float r4_x_5 = r4_x_4 * r4_x_4;
                PRECISE float r4_x_6 = r4_x_5 * r4_x_5;
                PRECISE float r4_x_7 = r4_x_6 * r4_x_6;
                PRECISE vec3 t_6 = pica_mul_vec3f(vec3(r4_x_7), t_4.xyz) + r7_xyz;
                r7_xyz = mix(t_6, vec3(not_a_number), either(pica_is_nan_vec3f(vec3(r4_x_7)), test_15));
            }
        }
        if (left_i0 <= 0) {
            break;
        }
        aL += uniforms.lightLoop.z;
        left_i0 -= 1;
    }
    vec3 r7_xyz_1 = pica_mul_either_nan_vec3f(uniforms.c[material].xyz, r7_xyz);
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.c[projection], t_1, test_6),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], t_1, test_7),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], t_1, test_8),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], t_1, test_9)
    );
    PRECISE vec4 t_7 = abs(vec4(mix(r7_xyz_1, vec3(1.0), lessThan(vec3(1.0), r7_xyz_1)), uniforms.c[material].w));
    PRECISE vec4 out_color = mix(vec4(1.0), t_7, lessThan(t_7, vec4(1.0)));
    gl_Position = out_position;
    color = out_color;
    view = out_view;
}
