// source: shaders/textured.shbin#0
// program: DVLE 0
// entry: code word 0x0

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
    let test = vec4u(0x7f800000u) < (bitcast<vec4u>(a) & vec4u(0x7fffffffu));
    return test.x || test.y || (test.z || test.w);
}

fn pica_mul_vec3f(a: vec3f, b: vec3f) -> vec3f {
    return select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
}

fn pica_dot_point_or_nan_vec4f(a: vec4f, b: vec4f, c: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let t = pica_mul_vec3f(a.xyz, b.xyz);
    let t_1 = select(0.0, bitcast<f32>(not_a_number_bits), c) + t.x + t.y + t.z;
    return t_1 + a.w * b.w;
}

fn pica_mul_vec4f(a: vec4f, b: vec4f) -> vec4f {
    return select(a, vec4f(0.0), b == vec4f(0.0)) * select(b, vec4f(0.0), a == vec4f(0.0));
}

fn pica_dot_or_nan_vec4f(a: vec4f, b: vec4f, c: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let t = pica_mul_vec4f(a, b);
    let t_1 = select(0.0, bitcast<f32>(not_a_number_bits), c) + t.x + t.y + t.z;
    return t_1 + t.w;
}

fn pica_mul_either_nan_vec2f(a: vec2f, b: vec2f) -> vec2f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec2u(0x7f800000u) < (bitcast<vec2u>(b) & vec2u(0x7fffffffu));
    let test_1 = (vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu))) | test;
    let t = select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
    return select(vec2f(0.0), vec2f(bitcast<f32>(not_a_number_bits)), test_1) + t;
}

@vertex
fn main(
    @location(0) inpos: vec4f,
    @location(1) inuv: vec4f,
    @location(2) incol: vec4f,
) -> VertexOutput {
    let t = vec4f(inpos.xyz, 1.0);
    let test = pica_has_nan_vec4f(t);
    let test_1 = pica_has_nan_vec4f(uniforms.modelView[0]) || test;
    let test_2 = pica_has_nan_vec4f(uniforms.modelView[1]) || test;
    let test_3 = pica_has_nan_vec4f(uniforms.modelView[2]) || test;
    let test_4 = pica_has_nan_vec4f(uniforms.modelView[3]) || test;
    let t_1 = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms.modelView[0], t, test_1),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[1], t, test_2),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[2], t, test_3),
        pica_dot_point_or_nan_vec4f(uniforms.modelView[3], t, test_4),
    );
    let test_5 = pica_has_nan_vec4f(t_1);
    let test_6 = pica_has_nan_vec4f(uniforms.projection[0]) || test_5;
    let test_7 = pica_has_nan_vec4f(uniforms.projection[1]) || test_5;
    let test_8 = pica_has_nan_vec4f(uniforms.projection[2]) || test_5;
    let test_9 = pica_has_nan_vec4f(uniforms.projection[3]) || test_5;
    let out_texcoord0_uv = pica_mul_either_nan_vec2f(uniforms.texScale.xy, inuv.xy);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.projection[0], t_1, test_6),
        pica_dot_or_nan_vec4f(uniforms.projection[1], t_1, test_7),
        -pica_dot_or_nan_vec4f(uniforms.projection[2], t_1, test_8),
        pica_dot_or_nan_vec4f(uniforms.projection[3], t_1, test_9),
    );
    let t_2 = abs(0.0039215684 * incol);
    let out_color = select(vec4f(1.0), t_2, t_2 < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_texcoord0_uv);
}
