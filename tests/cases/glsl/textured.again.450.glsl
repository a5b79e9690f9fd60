#version 450
// program: DVLE 0
// entry: code word 0x0
// translator: transpica 0.1.0

layout(set = 0, binding = 0, std140) uniform Uniforms {
    vec4 projection[4];
    vec4 modelView[4];
    vec4 texScale;
} uniforms;

layout(set = 0, binding = 2, std140) uniform UniformsAgain {
    vec4 projection[4];
    vec4 modelView[4];
    vec4 texScale;
} uniforms_again;

layout(location = 0) in vec4 in_inpos;
layout(location = 1) in vec4 in_inuv;
layout(location = 2) in vec4 in_incol;

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 texcoord0_uv;
layout(location = 15) out vec4 position_again;

out gl_PerVertex {
    vec4 gl_Position;
};
invariant gl_Position;

bvec2 either(bvec2 a, bvec2 b) {
    return bvec2(a.x || b.x, a.y || b.y);
}

bool pica_has_nan_vec4f(vec4 a) {
    return any(lessThan(uvec4(0x7f800000u), floatBitsToUint(a) & uvec4(0x7fffffffu)));
}

vec3 pica_mul_vec3f(vec3 a, vec3 b) {
    precise vec3 product = mix(a, vec3(0.0), equal(b, vec3(0.0))) * mix(b, vec3(0.0), equal(a, vec3(0.0)));
    return product;
}

float pica_dot_point_or_nan_vec4f(vec4 a, vec4 b, bool is_nan) {
    uint not_a_number_bits = 0x7fc00000u;
    vec3 product = pica_mul_vec3f(a.xyz, b.xyz);
    precise float sum = (is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0) + product.x + product.y;
    precise float sum_1 = sum + product.z + a.w * b.w;
    return sum_1;
}

vec4 pica_mul_vec4f(vec4 a, vec4 b) {
    precise vec4 product = mix(a, vec4(0.0), equal(b, vec4(0.0))) * mix(b, vec4(0.0), equal(a, vec4(0.0)));
    return product;
}

float pica_dot_or_nan_vec4f(vec4 a, vec4 b, bool is_nan) {
    uint not_a_number_bits = 0x7fc00000u;
    vec4 product = pica_mul_vec4f(a, b);
    precise float sum = (is_nan ? uintBitsToFloat(not_a_number_bits) : 0.0) + product.x + product.y;
    precise float sum_1 = sum + product.z + product.w;
    return sum_1;
}

vec2 pica_mul_either_nan_vec2f(vec2 a, vec2 b) {
    uint not_a_number_bits = 0x7fc00000u;
    float not_a_number = uintBitsToFloat(not_a_number_bits);
    bvec2 a_is_nan = lessThan(uvec2(0x7f800000u), floatBitsToUint(a) & uvec2(0x7fffffffu));
    bvec2 b_is_nan = lessThan(uvec2(0x7f800000u), floatBitsToUint(b) & uvec2(0x7fffffffu));
    precise vec2 product = mix(a, vec2(0.0), equal(b, vec2(0.0))) * mix(b, vec2(0.0), equal(a, vec2(0.0)));
    precise vec2 sum = mix(vec2(0.0), vec2(not_a_number), either(a_is_nan, b_is_nan)) + product;
    return sum;
}

void main() {
    vec4 in_inpos_1 = vec4(in_inpos.xyz, 1.0);
    bool in_inpos_has_nan = pica_has_nan_vec4f(in_inpos_1);
    bool modelView_0_has_nan = pica_has_nan_vec4f(uniforms.modelView[0]) || in_inpos_has_nan;
    bool modelView_1_has_nan = pica_has_nan_vec4f(uniforms.modelView[1]) || in_inpos_has_nan;
    bool modelView_2_has_nan = pica_has_nan_vec4f(uniforms.modelView[2]) || in_inpos_has_nan;
    bool modelView_3_has_nan = pica_has_nan_vec4f(uniforms.modelView[3]) || in_inpos_has_nan;
    vec4 r1 = vec4(
        pica_dot_point_or_nan_vec4f(uniforms.modelView[0], in_inpos_1, modelView_0_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[1], in_inpos_1, modelView_1_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[2], in_inpos_1, modelView_2_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[3], in_inpos_1, modelView_3_has_nan)
    );
    bool r1_has_nan = pica_has_nan_vec4f(r1);
    bool projection_0_has_nan = pica_has_nan_vec4f(uniforms.projection[0]) || r1_has_nan;
    bool projection_1_has_nan = pica_has_nan_vec4f(uniforms.projection[1]) || r1_has_nan;
    bool projection_2_has_nan = pica_has_nan_vec4f(uniforms.projection[2]) || r1_has_nan;
    bool projection_3_has_nan = pica_has_nan_vec4f(uniforms.projection[3]) || r1_has_nan;
    vec2 out_texcoord0_uv = pica_mul_either_nan_vec2f(uniforms.texScale.xy, in_inuv.xy);
    vec4 out_position = vec4(
        pica_dot_or_nan_vec4f(uniforms.projection[0], r1, projection_0_has_nan),
        pica_dot_or_nan_vec4f(uniforms.projection[1], r1, projection_1_has_nan),
        -pica_dot_or_nan_vec4f(uniforms.projection[2], r1, projection_2_has_nan),
        pica_dot_or_nan_vec4f(uniforms.projection[3], r1, projection_3_has_nan)
    );
    precise vec4 color_magnitude = abs(0.0039215684 * in_incol);
    vec4 out_color = mix(vec4(1.0), color_magnitude, lessThan(color_magnitude, vec4(1.0)));
    bool modelView_0_has_nan_1 = pica_has_nan_vec4f(uniforms_again.modelView[0]) || in_inpos_has_nan;
    bool modelView_1_has_nan_1 = pica_has_nan_vec4f(uniforms_again.modelView[1]) || in_inpos_has_nan;
    bool modelView_2_has_nan_1 = pica_has_nan_vec4f(uniforms_again.modelView[2]) || in_inpos_has_nan;
    bool modelView_3_has_nan_1 = pica_has_nan_vec4f(uniforms_again.modelView[3]) || in_inpos_has_nan;
    vec4 r1_1 = vec4(
        pica_dot_point_or_nan_vec4f(uniforms_again.modelView[0], in_inpos_1, modelView_0_has_nan_1),
        pica_dot_point_or_nan_vec4f(uniforms_again.modelView[1], in_inpos_1, modelView_1_has_nan_1),
        pica_dot_point_or_nan_vec4f(uniforms_again.modelView[2], in_inpos_1, modelView_2_has_nan_1),
        pica_dot_point_or_nan_vec4f(uniforms_again.modelView[3], in_inpos_1, modelView_3_has_nan_1)
    );
    bool r1_has_nan_1 = pica_has_nan_vec4f(r1_1);
    bool projection_0_has_nan_1 = pica_has_nan_vec4f(uniforms_again.projection[0]) || r1_has_nan_1;
    bool projection_1_has_nan_1 = pica_has_nan_vec4f(uniforms_again.projection[1]) || r1_has_nan_1;
    bool projection_2_has_nan_1 = pica_has_nan_vec4f(uniforms_again.projection[2]) || r1_has_nan_1;
    bool projection_3_has_nan_1 = pica_has_nan_vec4f(uniforms_again.projection[3]) || r1_has_nan_1;
    vec4 out_position_again = vec4(
        pica_dot_or_nan_vec4f(uniforms_again.projection[0], r1_1, projection_0_has_nan_1),
        pica_dot_or_nan_vec4f(uniforms_again.projection[1], r1_1, projection_1_has_nan_1),
        -pica_dot_or_nan_vec4f(uniforms_again.projection[2], r1_1, projection_2_has_nan_1),
        pica_dot_or_nan_vec4f(uniforms_again.projection[3], r1_1, projection_3_has_nan_1)
    );
    gl_Position = out_position;
    color = out_color;
    texcoord0_uv = out_texcoord0_uv;
    position_again = out_position_again;
}
