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

bvec2 both(bvec2 a, bvec2 b) {
    return bvec2(a.x && b.x, a.y && b.y);
}

bvec4 both(bvec4 a, bvec4 b) {
    return bvec4(a.x && b.x, a.y && b.y, a.z && b.z, a.w && b.w);
}

vec4 pica_mul_vec4f(vec4 a, vec4 b) {
    precise vec4 t = a * b;
    bvec4 test = lessThan(uvec4(0x7f800000u), floatBitsToUint(t) & uvec4(0x7fffffffu));
    precise vec4 t_1 = mix(t, vec4(0.0), both(test, greaterThan(abs(a + b), vec4(3.4028234663852886e38))));
    return t_1;
}

float pica_dot_vec4f(vec4 a, vec4 b) {
    vec4 t = pica_mul_vec4f(a, b);
    precise float t_1 = t.x + t.y + t.z + t.w;
    return t_1;
}

vec2 pica_mul_vec2f(vec2 a, vec2 b) {
    precise vec2 t = a * b;
    bvec2 test = lessThan(uvec2(0x7f800000u), floatBitsToUint(t) & uvec2(0x7fffffffu));
    precise vec2 t_1 = mix(t, vec2(0.0), both(test, greaterThan(abs(a + b), vec2(3.4028234663852886e38))));
    return t_1;
}

void main() {
    vec4 t = vec4(in_inpos.xyz, 1.0);
    vec4 t_1 = vec4(
        pica_dot_vec4f(uniforms.modelView[0], t),
        pica_dot_vec4f(uniforms.modelView[1], t),
        pica_dot_vec4f(uniforms.modelView[2], t),
        pica_dot_vec4f(uniforms.modelView[3], t)
    );
    vec2 out_texcoord0_uv = pica_mul_vec2f(uniforms.texScale.xy, in_inuv.xy);
    vec4 out_position = vec4(
        pica_dot_vec4f(uniforms.projection[0], t_1),
        pica_dot_vec4f(uniforms.projection[1], t_1),
        -pica_dot_vec4f(uniforms.projection[2], t_1),
        pica_dot_vec4f(uniforms.projection[3], t_1)
    );
    precise vec4 t_2 = abs(0.0039215684 * in_incol);
    vec4 out_color = mix(vec4(1.0), t_2, lessThan(t_2, vec4(1.0)));
    gl_Position = out_position;
    color = out_color;
    texcoord0_uv = out_texcoord0_uv;
}
