// source: shaders/textured.shbin#0
struct Uniforms {
    projection: array<vec4<f32>, 4>,
    modelView: array<vec4<f32>, 4>,
    texScale: vec4<f32>,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) texcoord0_uv: vec2<f32>,
}

@group(0) @binding(0) 
var<uniform> uniforms: Uniforms;

fn pica_mul_vec4f(t: vec4<f32>, t_1: vec4<f32>) -> vec4<f32> {
    let t_6 = (t * t_1);
    let test = (vec4(2139095040u) < (bitcast<vec4<u32>>(t_6) & vec4(2147483647u)));
    let test_1 = (abs((t + t_1)) > vec4(340282350000000000000000000000000000000f));
    return select(t_6, vec4(0f), (test & test_1));
}

fn pica_dot_vec4f(t_2: vec4<f32>, t_3: vec4<f32>) -> f32 {
    let _e3 = pica_mul_vec4f(t_2, t_3);
    return (((_e3.x + _e3.y) + _e3.z) + _e3.w);
}

fn pica_mul_vec2f(t_4: vec2<f32>, t_5: vec2<f32>) -> vec2<f32> {
    let t_7 = (t_4 * t_5);
    let test_2 = (vec2(2139095040u) < (bitcast<vec2<u32>>(t_7) & vec2(2147483647u)));
    let test_3 = (abs((t_4 + t_5)) > vec2(340282350000000000000000000000000000000f));
    return select(t_7, vec2(0f), (test_2 & test_3));
}

@vertex 
fn main(@location(0) inpos: vec4<f32>, @location(1) inuv: vec4<f32>, @location(2) incol: vec4<f32>) -> VertexOutput {
    let modelView = uniforms.modelView;
    let t_8 = vec4<f32>(inpos.xyz, 1f);
    let _e11 = pica_dot_vec4f(modelView[0], t_8);
    let _e13 = pica_dot_vec4f(modelView[1], t_8);
    let _e15 = pica_dot_vec4f(modelView[2], t_8);
    let _e17 = pica_dot_vec4f(modelView[3], t_8);
    let projection = uniforms.projection;
    let t_9 = vec4<f32>(_e11, _e13, _e15, _e17);
    let _e22 = pica_dot_vec4f(projection[0], t_9);
    let _e24 = pica_dot_vec4f(projection[1], t_9);
    let _e26 = pica_dot_vec4f(projection[2], t_9);
    let _e28 = pica_dot_vec4f(projection[3], t_9);
    let texScale = uniforms.texScale;
    let _e33 = pica_mul_vec2f(texScale.xy, inuv.xy);
    let out_position = vec4<f32>(_e22, _e24, -(_e26), _e28);
    let t_10 = abs((0.0039215684f * incol));
    let out_color = select(vec4(1f), t_10, (t_10 < vec4(1f)));
    return VertexOutput(out_position, out_color, _e33);
}
