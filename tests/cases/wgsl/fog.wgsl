// source: shaders/fog.shbin#0
struct Uniforms {
    projection: array<vec4<f32>, 4>,
    modelView: array<vec4<f32>, 4>,
    layers: array<vec4<f32>, 8>,
    fogColor: vec4<f32>,
    c17_unbound: array<vec4<f32>, 77>,
    layerLoop: vec4<i32>,
    i3_unbound: vec4<i32>,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) texcoord0_uv: vec2<f32>,
    @location(2) texcoord1_uv: vec2<f32>,
    @location(4) texcoord0_w: f32,
}

@group(0) @binding(0) 
var<uniform> uniforms: Uniforms;

fn pica_mul_vec4f(t: vec4<f32>, t_1: vec4<f32>) -> vec4<f32> {
    let t_14 = (t * t_1);
    let test = (vec4(2139095040u) < (bitcast<vec4<u32>>(t_14) & vec4(2147483647u)));
    let test_1 = (abs((t + t_1)) > vec4(340282350000000000000000000000000000000f));
    return select(t_14, vec4(0f), (test & test_1));
}

fn pica_dot_vec4f(t_2: vec4<f32>, t_3: vec4<f32>) -> f32 {
    let _e3 = pica_mul_vec4f(t_2, t_3);
    return (((_e3.x + _e3.y) + _e3.z) + _e3.w);
}

fn pica_mul(t_4: f32, t_5: f32) -> f32 {
    let t_15 = (t_4 * t_5);
    return select(t_15, 0f, ((2139095040u < (bitcast<u32>(t_15) & 2147483647u)) && (abs((t_4 + t_5)) > 340282350000000000000000000000000000000f)));
}

fn pica_exp_two(t_6: f32) -> f32 {
    var infinity_bits: u32 = 2139095040u;

    let infinity_word = infinity_bits;
    let infinity = bitcast<f32>(infinity_word);
    let t_16 = select(select(select(t_6, infinity, (t_6 >= 128f)), 0f, (t_6 <= -150f)), exp2(t_6), ((t_6 > -150f) && (t_6 < 128f)));
    return t_16;
}

fn pica_log_two(t_7: f32) -> f32 {
    var negative_infinity_bits: u32 = 4286578688u;
    var not_a_number_bits: u32 = 2143289344u;

    let negative_infinity_word = negative_infinity_bits;
    let negative_infinity = bitcast<f32>(negative_infinity_word);
    let not_a_number_word = not_a_number_bits;
    let not_a_number = bitcast<f32>(not_a_number_word);
    let test_2 = (t_7 > 0f);
    return select(select(select(not_a_number, t_7, test_2), negative_infinity, (t_7 == 0f)), log2(t_7), (test_2 && (t_7 <= 340282350000000000000000000000000000000f)));
}

fn pica_mul_vec3f(t_8: vec3<f32>, t_9: vec3<f32>) -> vec3<f32> {
    let t_17 = (t_8 * t_9);
    let test_3 = (vec3(2139095040u) < (bitcast<vec3<u32>>(t_17) & vec3(2147483647u)));
    let test_4 = (abs((t_8 + t_9)) > vec3(340282350000000000000000000000000000000f));
    return select(t_17, vec3(0f), (test_3 & test_4));
}

fn pica_dot_vec3f(t_10: vec3<f32>, t_11: vec3<f32>) -> f32 {
    let _e3 = pica_mul_vec3f(t_10, t_11);
    return ((_e3.x + _e3.y) + _e3.z);
}

fn pica_uniform_index(n: i32, n_1: i32) -> i32 {
    return ((n + select(0i, n_1, ((n_1 > -129i) && (n_1 < 128i)))) & 127i);
}

fn pica_uniform_register(n_2: i32) -> vec4<f32> {
    var t_12: vec4<f32>;

    if (n_2 < 17i) {
        if (n_2 < 8i) {
            if (n_2 < 4i) {
                let projection_at = uniforms.projection[(n_2 - 0i)];
                t_12 = projection_at;
            } else {
                let modelView_at = uniforms.modelView[(n_2 - 4i)];
                t_12 = modelView_at;
            }
        } else {
            if (n_2 < 16i) {
                let layers_at_1 = uniforms.layers[(n_2 - 8i)];
                t_12 = layers_at_1;
            } else {
                let fogColor = uniforms.fogColor;
                t_12 = fogColor;
            }
        }
    } else {
        if (n_2 < 95i) {
            if (n_2 < 94i) {
                let c17_unbound_at = uniforms.c17_unbound[(n_2 - 17i)];
                t_12 = c17_unbound_at;
            } else {
                t_12 = vec4<f32>(2f, 4f, 0.25f, -1f);
            }
        } else {
            if (n_2 < 96i) {
                t_12 = vec4<f32>(0f, 1f, 0.5f, 1.442688f);
            } else {
                t_12 = vec4(1f);
            }
        }
    }
    let t_18 = t_12;
    return t_18;
}

fn layers_at(n_3: i32, n_4: i32) -> vec4<f32> {
    var t_13: vec4<f32>;

    let _e5 = pica_uniform_index(n_3, n_4);
    let n_5 = (_e5 - 8i);
    if ((n_5 > -1i) && (n_5 < 8i)) {
        let layers_at_2 = uniforms.layers[n_5];
        t_13 = layers_at_2;
    } else {
        let _e14 = pica_uniform_register(_e5);
        t_13 = _e14;
    }
    let t_19 = t_13;
    return t_19;
}

@vertex 
fn main(@location(0) inpos: vec4<f32>, @location(1) innrm: vec4<f32>) -> VertexOutput {
    var r2_y: f32;
    var aL: i32;
    var left_i0: i32;
    var r9_yz: vec2<f32>;

    let modelView = uniforms.modelView;
    let t_20 = vec4<f32>(inpos.xyz, 1f);
    let _e18 = pica_dot_vec4f(modelView[0], t_20);
    let _e20 = pica_dot_vec4f(modelView[1], t_20);
    let _e22 = pica_dot_vec4f(modelView[2], t_20);
    let _e24 = pica_dot_vec4f(modelView[3], t_20);
    let projection = uniforms.projection;
    let t_21 = vec4<f32>(_e18, _e20, _e22, _e24);
    let _e29 = pica_dot_vec4f(projection[0], t_21);
    let _e31 = pica_dot_vec4f(projection[1], t_21);
    let _e33 = pica_dot_vec4f(projection[2], t_21);
    let _e35 = pica_dot_vec4f(projection[3], t_21);
    let layerLoop = uniforms.layerLoop;
    r2_y = 0f;
    aL = layerLoop.y;
    left_i0 = layerLoop.x;
    loop {
        let aL_1 = aL;
        let left_i0_1 = left_i0;
        let _e46 = layers_at(8i, aL_1);
        if (_e46.x > -(_e22)) {
            break;
        }
        if !((left_i0_1 > 0i)) {
            r2_y = _e46.y;
            break;
        }
        r2_y = _e46.y;
        aL = (aL_1 + layerLoop.z);
        left_i0 = (left_i0_1 - 1i);
    }
    let r2_y_1 = r2_y;
    let _e58 = pica_mul(r2_y_1, _e22);
    let _e60 = pica_exp_two((1.442688f * _e58));
    let r4_x = select(_e60, 1f, (1f < _e60));
    let _e63 = pica_log_two(r4_x);
    let _e65 = pica_exp_two((0.25f * _e63));
    let fogColor_1 = uniforms.fogColor;
    let _e70 = pica_mul_vec3f(fogColor_1.xyz, vec3(r4_x));
    let _e73 = pica_dot_vec3f(modelView[0].xyz, innrm.xyz);
    let _e76 = pica_dot_vec3f(modelView[1].xyz, innrm.xyz);
    let _e79 = pica_dot_vec3f(modelView[2].xyz, innrm.xyz);
    let r6_xy = (vec2(1f) + vec2<f32>(_e73, _e76));
    let out_texcoord0_uv = (0.5f * r6_xy);
    let i3_unbound = uniforms.i3_unbound;
    r9_yz = vec2<f32>(4f, 0.25f);
    left_i0 = i3_unbound.x;
    loop {
        let r9_yz_1 = r9_yz;
        let left_i0_2 = left_i0;
        let _e93 = pica_mul(r9_yz_1.x, r6_xy.y);
        if !((left_i0_2 > 0i)) {
            r9_yz = vec2<f32>(_e93, r9_yz_1.y);
            break;
        }
        r9_yz = vec2<f32>(_e93, r9_yz_1.y);
        left_i0 = (left_i0_2 - 1i);
    }
    let r9_yz_2 = r9_yz;
    let t_22 = vec3<f32>(1f, r9_yz_2);
    let _e104 = pica_dot_vec3f(vec3<f32>(r6_xy, _e79), t_22);
    let t_23 = (vec2<f32>(4f, 0.25f) * t_22.yz);
    let out_position = vec4<f32>(_e29, _e31, -(_e33), _e35);
    let t_24 = abs(vec4<f32>(_e70, _e65));
    let out_color = select(vec4(1f), t_24, (t_24 < vec4(1f)));
    let out_texcoord1_uv = vec2<f32>((_e104 + 1f), (((2f + t_23.x) + t_23.y) + 1f));
    return VertexOutput(out_position, out_color, out_texcoord0_uv, out_texcoord1_uv, _e79);
}
