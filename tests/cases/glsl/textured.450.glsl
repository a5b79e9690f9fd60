#version 450
// source: sample.shbin
// program: DVLE 0
// entry: code word 0x0

layout(set = 0, binding = 0, std140) uniform Uniforms {
    vec4 projection[4];
    vec4 modelView[4];
    vec4 texScale;
} uniforms;

layout(location = 0) in vec4 in_inpos;
layout(location = 1) in vec4 in_inuv;
layout(location = 2) in vec4 in_incol;

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 texcoord0_uv;

out gl_PerVertex {
    vec4 gl_Position;
};
invariant gl_Position;

bvec2 either(bvec2 a, bvec2 b) {
    return bvec2(a.x || b.x, a.y || b.y);
}

bool pica_has_nan_vec4f(vec4 a) {
    bvec4 test = lessThan(uvec4(0x7f800000u), floatBitsToUint(a) & uvec4(0x7fffffffu));
    return test.x || test.y || (test.z || test.w);
}

vec3 pica_mul_vec3f(vec3 a, vec3 b) {
    precise vec3 t = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    return t;
}

float pica_dot_point_or_nan_vec4f(vec4 a, vec4 b, bool c) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 t = pica_mul_vec3f(a.xyz, b.xyz);
    precise float t_1 = (c ? uintBitsToFloat(not_a_number_bits) : 0.0) + t.x + t.y + t.z;
    precise float t_2 = t_1 + a.w * b.w;
    return t_2;
}

vec4 pica_mul_vec4f(vec4 a, vec4 b) {
    precise vec4 t = mix(a, vec4(0.0), equal(b, vec4(0.0))) * mix(b, vec4(0.0), equal(a, vec4(0.0)));
    return t;
}

float pica_dot_or_nan_vec4f(vec4 a, vec4 b, bool c) {
    uint not_a_number_bits = 0x7fc00000u;
    vec4 t = pica_mul_vec4f(a, b);
    precise float t_1 = (c ? uintBitsToFloat(not_a_number_bits) : 0.0) + t.x + t.y + t.z;
    precise float t_2 = t_1 + t.w;
    return t_2;
}

vec2 pica_mul_either_nan_vec2f(vec2 a, vec2 b) {
    uint not_a_number_bits = 0x7fc00000u;
    bvec2 test = lessThan(uvec2(0x7f800000u), floatBitsToUint(b) & uvec2(0x7fffffffu));
    bvec2 test_1 = either(lessThan(uvec2(0x7f800000u), floatBitsToUint(a) & uvec2(0x7fffffffu)), test);
    precise vec2 t = mix(a, vec2(0.0), equal(b, vec2(0.0))) * mix(b, vec2(0.0), equal(a, vec2(0.0)));
    precise vec2 t_1 = mix(vec2(0.0), vec2(uintBitsToFloat(not_a_number_bits)), test_1) + t;
    return t_1;
}

void main() {
    vec4 t = vec4(in_inpos.xyz, 1.0);
    bool test = pica_has_nan_vec4f(t);
    bool test_1 = pica_has_nan_vec4f(uniforms.modelView[0]) || test;
    bool test_2 = pica_has_nan_vec4f(uniforms.modelView[1]) || test;
    bool test_3 = pica_has_nan_vec4f(uniforms.modelView[2]) || test;
    bool test_4 = pica_has_nan_vec4f(uniforms.modelView[3]) || test;
    vec4 t_1 = vec4(
        pica_dot_point_or_nan_vec4f(uniforms.modelView[0], t, test_1),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[1], t, test_2),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[2], t, test_3),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[3], t, test_4)
    );
    bool test_5 = pica_has_nan_vec4f(t_1);
    bool test_6 = pica_has_nan_vec4f(uniforms.projection[0]) || test_5;
    bool test_7 = pica_has_nan_vec4f(uniforms.projection[1]) || test_5;
    bool test_8 = pica_has_nan_vec4f(uniforms.projection[2]) || test_5;
    bool test_9 = pica_has_nan_vec4f(uniforms.projection[3]) || test_5;
    vec2 out_texcoord0_uv = pica_mul_either_nan_vec2f(uniforms.texScale.xy, in_inuv.xy);
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.projection[0], t_1, test_6),
        pica_dot_or_nan_vec4f(uniforms.projection[1], t_1, test_7),
        -pica_dot_or_nan_vec4f(uniforms.projection[2], t_1, test_8),
        pica_dot_or_nan_vec4f(uniforms.projection[3], t_1, test_9)
    );
    precise vec4 t_2 = abs(0.0039215684 * in_incol);
    vec4 out_color = mix(vec4(1.0), t_2, lessThan(t_2, vec4(1.0)));
    gl_Position = out_position;
    color = out_color;
    texcoord0_uv = out_texcoord0_uv;
}
