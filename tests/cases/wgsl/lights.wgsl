// source: shaders/lights.shbin#0
// program: DVLE 0
// entry: code word 0xe

struct Uniforms {
    projection: array<vec4f, 4>,
    modelView: array<vec4f, 4>,
    normalMatrix: array<vec4f, 3>,
    lightDir: array<vec4f, 8>,
    lightColor: array<vec4f, 8>,
    ambient: vec4f,
    material: vec4f,
    eye: vec4f,
    c30_unbound: array<vec4f, 65>,
    lightLoop: vec4i,
    useSpecular: u32,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(6) view: vec3f,
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

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let test_1 = (vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu))) | test;
    let t = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(bitcast<f32>(not_a_number_bits)), test_1) + t;
}

fn pica_uniform_index(a: i32, b: i32) -> i32 {
    return (a + select(0, b, b > -129 && b < 128)) & 127;
}

fn pica_uniform_register(a: i32) -> vec4f {
    var t: vec4f;
    if a < 27 {
        if a < 8 {
            if a < 4 {
                t = uniforms.projection[a - 0];
            } else {
                t = uniforms.modelView[a - 4];
            }
        } else {
            if a < 11 {
                t = uniforms.normalMatrix[a - 8];
            } else {
                if a < 19 {
                    t = uniforms.lightDir[a - 11];
                } else {
                    t = uniforms.lightColor[a - 19];
                }
            }
        }
    } else {
        if a < 30 {
            if a < 28 {
                t = uniforms.ambient;
            } else {
                if a < 29 {
                    t = uniforms.material;
                } else {
                    t = uniforms.eye;
                }
            }
        } else {
            if a < 95 {
                t = uniforms.c30_unbound[a - 30];
            } else {
                if a < 96 {
                    t = vec4f(0.0, 1.0, 0.5, 16.0);
                } else {
                    t = vec4f(1.0);
                }
            }
        }
    }
    return t;
}

fn lightDir_at(a: i32, b: i32) -> vec4f {
    let n = pica_uniform_index(a, b);
    let n_1 = n - 11;
    var t: vec4f;
    if n_1 > -1 && n_1 < 8 {
        t = uniforms.lightDir[n_1];
    } else {
        t = pica_uniform_register(n);
    }
    return t;
}

fn lightColor_at(a: i32, b: i32) -> vec4f {
    let n = pica_uniform_index(a, b);
    let n_1 = n - 19;
    var t: vec4f;
    if n_1 > -1 && n_1 < 8 {
        t = uniforms.lightColor[n_1];
    } else {
        t = pica_uniform_register(n);
    }
    return t;
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
    let test_1 = pica_has_nan_vec4f(uniforms.modelView[0]) || test;
    let r1_x = pica_dot_point_or_nan_vec4f(uniforms.modelView[0], t, test_1);
    let test_2 = pica_has_nan_vec4f(uniforms.modelView[1]) || test;
    let r1_y = pica_dot_point_or_nan_vec4f(uniforms.modelView[1], t, test_2);
    let test_3 = pica_has_nan_vec4f(uniforms.modelView[2]) || test;
    let r1_z = pica_dot_point_or_nan_vec4f(uniforms.modelView[2], t, test_3);
    let test_4 = pica_has_nan_vec4f(uniforms.modelView[3]) || test;
    let t_1 = vec4f(r1_x, r1_y, r1_z, pica_dot_point_or_nan_vec4f(uniforms.modelView[3], t, test_4));
    let test_5 = pica_has_nan_vec4f(t_1);
    let test_6 = pica_has_nan_vec4f(uniforms.projection[0]) || test_5;
    let test_7 = pica_has_nan_vec4f(uniforms.projection[1]) || test_5;
    let test_8 = pica_has_nan_vec4f(uniforms.projection[2]) || test_5;
    let test_9 = pica_has_nan_vec4f(uniforms.projection[3]) || test_5;
    let test_10 = pica_has_nan_vec3f(innrm.xyz);
    let test_11 = pica_has_nan_vec3f(uniforms.normalMatrix[0].xyz) || test_10;
    let test_12 = pica_has_nan_vec3f(uniforms.normalMatrix[1].xyz) || test_10;
    let test_13 = pica_has_nan_vec3f(uniforms.normalMatrix[2].xyz) || test_10;
    let t_2 = vec3f(
        pica_dot_or_nan_vec3f(uniforms.normalMatrix[0].xyz, innrm.xyz, test_11),
        pica_dot_or_nan_vec3f(uniforms.normalMatrix[1].xyz, innrm.xyz, test_12),
        pica_dot_or_nan_vec3f(uniforms.normalMatrix[2].xyz, innrm.xyz, test_13),
    );
    let r2_xyz = pica_mul_either_nan_vec3f(t_2, vec3f(pica_rsq(pica_dot_plain_vec3f(t_2, t_2))));
    let out_view = uniforms.eye.xyz - vec3f(r1_x, r1_y, r1_z);
    var r7_xyz = uniforms.ambient.xyz;
    var aL = uniforms.lightLoop.y;
    var left_i0 = uniforms.lightLoop.x;
    loop {
        let t_3 = lightDir_at(11, aL);
        let test_14 = pica_has_nan_vec3f(r2_xyz);
        let r4_x = pica_dot_or_nan_vec3f(t_3.xyz, r2_xyz, pica_has_nan_vec3f(t_3.xyz) || test_14);
        let r4_x_1 = select(r4_x, 0.0, 0.0 > r4_x);
        let t_4 = lightColor_at(19, aL);
        let test_15 = pica_is_nan_vec3f(t_4.xyz);
        let t_5 = pica_mul_vec3f(vec3f(r4_x_1), t_4.xyz) + r7_xyz;
        r7_xyz = select(t_5, vec3f(not_a_number), pica_is_nan_vec3f(vec3f(r4_x_1)) | test_15);
        if 0.0 < r4_x_1 {
            if uniforms.useSpecular != 0u {
                let r5_xyz = t_3.xyz + out_view;
                let r5_xyz_1 = pica_mul_either_nan_vec3f(r5_xyz, vec3f(pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz))));
                let r4_x_2 = pica_dot_or_nan_vec3f(r5_xyz_1, r2_xyz, pica_has_nan_vec3f(r5_xyz_1) || test_14);
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
    let r7_xyz_1 = pica_mul_either_nan_vec3f(uniforms.material.xyz, r7_xyz);
    let out_position = vec4f(
        pica_dot_or_nan_vec4f(uniforms.projection[0], t_1, test_6),
        pica_dot_or_nan_vec4f(uniforms.projection[1], t_1, test_7),
        -pica_dot_or_nan_vec4f(uniforms.projection[2], t_1, test_8),
        pica_dot_or_nan_vec4f(uniforms.projection[3], t_1, test_9),
    );
    let t_7 = abs(vec4f(select(r7_xyz_1, vec3f(1.0), vec3f(1.0) < r7_xyz_1), uniforms.material.w));
    let out_color = select(vec4f(1.0), t_7, t_7 < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_view);
}
