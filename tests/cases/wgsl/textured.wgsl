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

fn pica_mul_vec4f(a: vec4f, b: vec4f) -> vec4f {
    let t = a * b;
    let test = vec4u(0x7f800000u) < (bitcast<vec4u>(t) & vec4u(0x7fffffffu));
    return select(t, vec4f(0.0), test & (abs(a + b) > vec4f(3.4028234663852886e38)));
}

fn pica_dot_vec4f(a: vec4f, b: vec4f) -> f32 {
    let t = pica_mul_vec4f(a, b);
    return t.x + t.y + t.z + t.w;
}

fn pica_mul_vec2f(a: vec2f, b: vec2f) -> vec2f {
    let t = a * b;
    let test = vec2u(0x7f800000u) < (bitcast<vec2u>(t) & vec2u(0x7fffffffu));
    return select(t, vec2f(0.0), test & (abs(a + b) > vec2f(3.4028234663852886e38)));
}

@vertex
fn main(
    @location(0) inpos: vec4f,
    @location(1) inuv: vec4f,
    @location(2) incol: vec4f,
) -> VertexOutput {
    let t = vec4f(inpos.xyz, 1.0);
    let t_1 = vec4f(
        pica_dot_vec4f(uniforms.modelView[0], t),
        pica_dot_vec4f(uniforms.modelView[1], t),
        pica_dot_vec4f(uniforms.modelView[2], t),
        pica_dot_vec4f(uniforms.modelView[3], t),
    );
    let out_texcoord0_uv = pica_mul_vec2f(uniforms.texScale.xy, inuv.xy);
    let out_position = vec4f(
        pica_dot_vec4f(uniforms.projection[0], t_1),
        pica_dot_vec4f(uniforms.projection[1], t_1),
        -pica_dot_vec4f(uniforms.projection[2], t_1),
        pica_dot_vec4f(uniforms.projection[3], t_1),
    );
    let t_2 = abs(0.0039215684 * incol);
    let out_color = select(vec4f(1.0), t_2, t_2 < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_texcoord0_uv);
}
