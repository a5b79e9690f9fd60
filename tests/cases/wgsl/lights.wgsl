// source: shaders/lights.shbin#0
// program: DVLE 0
// entry: code word 0xe

struct Uniforms {
    c: array<vec4f, 96>,
    lightLoop: vec4i,
    useSpecular: u32,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(6) view: vec3f,
}

const projection: i32 = 0;
const modelView: i32 = 4;
const normalMatrix: i32 = 8;
const lightDir: i32 = 11;
const lightColor: i32 = 19;
const ambient: i32 = 27;
const material: i32 = 28;
const eye: i32 = 29;

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

fn pica_has_nan_vec3f(a: vec3f) -> bool {
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    return test.x || test.y || test.z;
}

fn pica_dot_or_nan_vec3f(a: vec3f, b: vec3f, c: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let t = pica_mul_vec3f(a, b);
    return select(0.0, bitcast<f32>(not_a_number_bits), c) + t.x + t.y + t.z;
}

fn pica_dot_plain_vec3f(a: vec3f, b: vec3f) -> f32 {
    let t = a * b;
    return t.x + t.y + t.z;
}

fn pica_rsq(a: f32) -> f32 {
    var infinity_bits = 0x7f800000u;
    return select(1.0 / sqrt(a), bitcast<f32>(infinity_bits), a == 0.0);
}

fn pica_mul_first_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    let t = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(bitcast<f32>(not_a_number_bits)), test) + t;
}

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let test_1 = (vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu))) | test;
    let t = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(bitcast<f32>(not_a_number_bits)), test_1) + t;
}

fn pica_offset(a: i32) -> i32 {
    return select(0, a, a > -129 && a < 128);
}

fn c_at(a: i32) -> vec4f {
    let n = a & 127;
    let test = n < 96;
    return select(vec4f(1.0), uniforms.c[select(95, n, test)], test);
}

fn pica_is_nan(a: f32) -> bool {
    return 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
}

fn pica_is_nan_vec3f(a: vec3f) -> vec3<bool> {
    return vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
}

@vertex
fn main(@location(0) inpos: vec4f, @location(1) innrm: vec4f) -> VertexOutput {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let t = vec4f(inpos.xyz, 1.0);
    let test = pica_has_nan_vec4f(t);
    let test_1 = pica_has_nan_vec4f(uniforms.c[modelView]) || test;
    let r1_x = pica_dot_point_or_nan_vec4f(uniforms.c[modelView], t, test_1);
    let test_2 = pica_has_nan_vec4f(uniforms.c[modelView + 1]) || test;
    let r1_y = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 1], t, test_2);
    let test_3 = pica_has_nan_vec4f(uniforms.c[modelView + 2]) || test;
    let r1_z = pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 2], t, test_3);
    let test_4 = pica_has_nan_vec4f(uniforms.c[modelView + 3]) || test;
    let t_1 = vec4f(r1_x, r1_y, r1_z, pica_dot_point_or_nan_vec4f(uniforms.c[modelView + 3], t, test_4));
    let test_5 = pica_has_nan_vec4f(t_1);
    let test_6 = pica_has_nan_vec4f(uniforms.c[projection]) || test_5;
    let test_7 = pica_has_nan_vec4f(uniforms.c[projection + 1]) || test_5;
    let test_8 = pica_has_nan_vec4f(uniforms.c[projection + 2]) || test_5;
    let test_9 = pica_has_nan_vec4f(uniforms.c[projection + 3]) || test_5;
    let test_10 = pica_has_nan_vec3f(innrm.xyz);
    let test_11 = pica_has_nan_vec3f(uniforms.c[normalMatrix].xyz) || test_10;
    let test_12 = pica_has_nan_vec3f(uniforms.c[normalMatrix + 1].xyz) || test_10;
    let test_13 = pica_has_nan_vec3f(uniforms.c[normalMatrix + 2].xyz) || test_10;
    let t_2 = vec3f(
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix].xyz, innrm.xyz, test_11),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 1].xyz, innrm.xyz, test_12),
        pica_dot_or_nan_vec3f(uniforms.c[normalMatrix + 2].xyz, innrm.xyz, test_13),
    );
    let r2_xyz = pica_mul_first_nan_vec3f(vec3f(pica_rsq(pica_dot_plain_vec3f(t_2, t_2))), t_2);
    let out_view = uniforms.c[eye].xyz - vec3f(r1_x, r1_y, r1_z);
    var r7_xyz = uniforms.c[ambient].xyz;
    var aL = uniforms.lightLoop.y;
    var left_i0 = uniforms.lightLoop.x;
    loop {
        let n = pica_offset(aL);
        let t_3 = c_at(lightDir + n);
        let test_14 = pica_is_nan(r2_xyz.x);
        let r4_x = pica_dot_or_nan_vec3f(t_3.xyz, r2_xyz, pica_has_nan_vec3f(t_3.xyz) || test_14);
        let r4_x_1 = select(r4_x, 0.0, 0.0 > r4_x);
        let t_4 = c_at(lightColor + n);
        let test_15 = pica_is_nan_vec3f(t_4.xyz);
        let t_5 = pica_mul_vec3f(vec3f(r4_x_1), t_4.xyz) + r7_xyz;
        r7_xyz = select(t_5, vec3f(not_a_number), pica_is_nan_vec3f(vec3f(r4_x_1)) | test_15);
        if 0.0 < r4_x_1 {
            if uniforms.useSpecular != 0u {
                let r5_xyz = t_3.xyz + out_view;
                let r5_xyz_1 = pica_mul_first_nan_vec3f(vec3f(pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz))), r5_xyz);
                let r4_x_2 = pica_dot_or_nan_vec3f(r5_xyz_1, r2_xyz, pica_is_nan(r5_xyz_1.x) || test_14);
                let r4_x_3 = select(r4_x_2, 0.0, 0.0 > r4_x_2);
                let r4_x_4 = r4_x_3 * r4_x_3;
                let r4_x_5 = r4_x_4 * r4_x_4;
                let r4_x_6 = r4_x_5 * r4_x_5;
                let r4_x_7 = r4_x_6 * r4_x_6;
                let t_6 = pica_mul_vec3f(vec3f(r4_x_7), t_4.xyz) + r7_xyz;
                r7_xyz = select(t_6, vec3f(not_a_number), pica_is_nan_vec3f(vec3f(r4_x_7)) | test_15);
            }
        }
        if left_i0 <= 0 {
            break;
        }
        aL += uniforms.lightLoop.z;
        left_i0 -= 1;
    }
    let r7_xyz_1 = pica_mul_either_nan_vec3f(uniforms.c[material].xyz, r7_xyz);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.c[projection], t_1, test_6),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 1], t_1, test_7),
        -pica_dot_or_nan_vec4f(uniforms.c[projection + 2], t_1, test_8),
        pica_dot_or_nan_vec4f(uniforms.c[projection + 3], t_1, test_9),
    );
    let t_7 = abs(vec4f(select(r7_xyz_1, vec3f(1.0), vec3f(1.0) < r7_xyz_1), uniforms.c[material].w));
    let out_color = select(vec4f(1.0), t_7, t_7 < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_view);
}
