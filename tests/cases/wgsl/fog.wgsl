// source: shaders/fog.shbin#0
// program: DVLE 0
// entry: code word 0x0

struct Uniforms {
    c: array<vec4f, 96>,
    layerLoop: vec4i,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0_uv: vec2f,
    @location(2) texcoord1_uv: vec2f,
    @location(4) texcoord0_w: f32,
}

const projection: i32 = 0;
const modelView: i32 = 4;
const layers: i32 = 8;
const fogColor: i32 = 16;

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

fn pica_mul_either_nan(a: f32, b: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let test = 0x7f800000u < (bitcast<u32>(b) & 0x7fffffffu);
    let test_1 = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu) || test;
    let t = select(0.0, bitcast<f32>(not_a_number_bits), test_1);
    return t + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_exp_two(a: f32) -> f32 {
    var infinity_bits = 0x7f800000u;
    let t = select(select(a, bitcast<f32>(infinity_bits), a >= 128.0), 0.0, a <= -150.0);
    return select(t, exp2(a), a > -150.0 && a < 128.0);
}

fn pica_log_two(a: f32) -> f32 {
    var negative_infinity_bits = 0xff800000u;
    var not_a_number_bits = 0x7fc00000u;
    let test = a > 0.0;
    let t = select(bitcast<f32>(not_a_number_bits), a, test);
    let t_1 = select(t, bitcast<f32>(negative_infinity_bits), a == 0.0);
    return select(t_1, log2(a), test && a <= 3.4028234663852886e38);
}

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let test_1 = (vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu))) | test;
    let t = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(bitcast<f32>(not_a_number_bits)), test_1) + t;
}

fn pica_has_nan_vec3f(a: vec3f) -> bool {
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    return test.x || test.y || test.z;
}

fn pica_dot_or_nan_vec3f(a: vec3f, b: vec3f, c: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let t = pica_mul_vec3f(a, b);
    return select(0.0, bitcast<f32>(not_a_number_bits), c) + t.x + t.y + t.z;
}

fn pica_is_nan(a: f32) -> bool {
    return 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
}

fn pica_offset(a: i32) -> i32 {
    return select(0, a, a > -129 && a < 128);
}

fn c_at(a: i32) -> vec4f {
    let n = a & 127;
    let test = n < 96;
    return select(vec4f(1.0), uniforms.c[select(95, n, test)], test);
}

@vertex
fn main(@location(0) inpos: vec4f, @location(1) innrm: vec4f) -> VertexOutput {
    let n = i32(bitcast<u32>(inpos.x));
    let t = vec4f(inpos.xyz, 1.0);
    let test_1 = pica_has_nan_vec4f(t);
    let test_2 = pica_has_nan_vec4f(uniforms.c[modelView]) || test_1;
    let test_3 = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || test_1;
    let test_4 = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || test_1;
    let r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], t, test_4);
    let test_5 = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || test_1;
    let t_1 = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView], t, test_2),
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], t, test_3),
        r1_z,
        pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], t, test_5),
    );
    let test_6 = pica_has_nan_vec4f(t_1);
    let test_7 = pica_has_nan_vec4f(uniforms.c[projection]) || test_6;
    let test_8 = pica_has_nan_vec4f(uniforms.c[projection + 1]) || test_6;
    let test_9 = pica_has_nan_vec4f(uniforms.c[projection + 2]) || test_6;
    let test_10 = pica_has_nan_vec4f(uniforms.c[projection + 3]) || test_6;
    var r2_y = bitcast<f32>(u32((n * (n + 1)) & 1));
    var aL = uniforms.layerLoop.y;
    var left_i0 = uniforms.layerLoop.x;
    var test = false;
    var r2_y_1 = 0.0;
    loop {
        let r2_y_2 = r2_y;
        let r2_y_3 = r2_y_1;
        if test {
            r2_y = r2_y_3;
            break;
        }
        let t_2 = c_at(layers + pica_offset(aL));
        if t_2.x > -r1_z {
            r2_y = r2_y_2;
            test = true;
            r2_y_1 = r2_y_2;
            continue;
        }
        if left_i0 <= 0 {
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
    let r4_x = pica_exp_two(1.442688 * pica_mul_either_nan(r2_y, r1_z));
    let r4_x_1 = select(r4_x, 1.0, 1.0 < r4_x);
    let test_11 = pica_has_nan_vec3f(innrm.xyz);
    let test_12 = pica_has_nan_vec3f(uniforms.c[modelView].xyz) || test_11;
    let test_13 = pica_has_nan_vec3f(uniforms.c[modelView + 1].xyz) || test_11;
    let test_14 = pica_has_nan_vec3f(uniforms.c[modelView + 2].xyz) || test_11;
    let out_texcoord0_w = pica_dot_or_nan_vec3f(uniforms.c[modelView + 2].xyz, innrm.xyz, test_14);
    let t_3 = vec2f(
        pica_dot_or_nan_vec3f(uniforms.c[modelView].xyz, innrm.xyz, test_12),
        pica_dot_or_nan_vec3f(uniforms.c[modelView + 1].xyz, innrm.xyz, test_13),
    );
    let r6_xy = vec2f(1.0) + t_3;
    var r9_yz = vec2f(4.0, 0.25);
    left_i0 = 2;
    loop {
        let r9_yz_1 = r9_yz;
        let t_4 = pica_mul_either_nan(r9_yz_1.x, r6_xy.y);
        if left_i0 <= 0 {
            r9_yz = vec2f(t_4, r9_yz_1.y);
            break;
        }
        r9_yz = vec2f(t_4, r9_yz_1.y);
        left_i0 -= 1;
    }
    let t_5 = vec3f(r6_xy, out_texcoord0_w);
    let t_6 = vec3f(1.0, r9_yz);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.c[projection], t_1, test_7),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], t_1, test_8),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], t_1, test_9),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], t_1, test_10),
    );
    let t_7 = vec4f(
        pica_mul_either_nan_vec3f(uniforms.c[fogColor].xyz, vec3f(r4_x_1)),
        pica_exp_two(0.25 * pica_log_two(r4_x_1)),
    );
    let t_8 = abs(t_7);
    let out_color = select(vec4f(1.0), t_8, t_8 < vec4f(1.0));
    let out_texcoord1_uv = vec2f(
        pica_dot_or_nan_vec3f(t_5, t_6, pica_has_nan_vec3f(t_5) || pica_is_nan(r9_yz.x)) + 1.0,
        2.0 + 4.0 * t_6.y + 0.0625 + 1.0,
    );
    return VertexOutput(out_position, out_color, 0.5 * r6_xy, out_texcoord1_uv, out_texcoord0_w);
}
