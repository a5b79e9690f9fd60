// source: shaders/lights.shbin#0
struct Uniforms {
    projection: array<vec4<f32>, 4>,
    modelView: array<vec4<f32>, 4>,
    normalMatrix: array<vec4<f32>, 3>,
    lightDir: array<vec4<f32>, 8>,
    lightColor: array<vec4<f32>, 8>,
    ambient: vec4<f32>,
    material: vec4<f32>,
    eye: vec4<f32>,
    c30_unbound: array<vec4<f32>, 65>,
    lightLoop: vec4<i32>,
    useSpecular: u32,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(6) view: vec3<f32>,
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

fn pica_mul_vec3f(t_4: vec3<f32>, t_5: vec3<f32>) -> vec3<f32> {
    let t_15 = (t_4 * t_5);
    let test_2 = (vec3(2139095040u) < (bitcast<vec3<u32>>(t_15) & vec3(2147483647u)));
    let test_3 = (abs((t_4 + t_5)) > vec3(340282350000000000000000000000000000000f));
    return select(t_15, vec3(0f), (test_2 & test_3));
}

fn pica_dot_vec3f(t_6: vec3<f32>, t_7: vec3<f32>) -> f32 {
    let _e3 = pica_mul_vec3f(t_6, t_7);
    return ((_e3.x + _e3.y) + _e3.z);
}

fn pica_dot_plain_vec3f(t_8: vec3<f32>, t_9: vec3<f32>) -> f32 {
    let t_16 = (t_8 * t_9);
    return ((t_16.x + t_16.y) + t_16.z);
}

fn pica_rsq(t_10: f32) -> f32 {
    var infinity_bits: u32 = 2139095040u;

    let infinity_word = infinity_bits;
    let infinity = bitcast<f32>(infinity_word);
    return select((1f / sqrt(t_10)), infinity, (t_10 == 0f));
}

fn pica_uniform_index(n: i32, n_1: i32) -> i32 {
    return ((n + select(0i, n_1, ((n_1 > -129i) && (n_1 < 128i)))) & 127i);
}

fn pica_uniform_register(n_2: i32) -> vec4<f32> {
    var t_11: vec4<f32>;

    if (n_2 < 27i) {
        if (n_2 < 8i) {
            if (n_2 < 4i) {
                let projection_at = uniforms.projection[(n_2 - 0i)];
                t_11 = projection_at;
            } else {
                let modelView_at = uniforms.modelView[(n_2 - 4i)];
                t_11 = modelView_at;
            }
        } else {
            if (n_2 < 11i) {
                let normalMatrix_at = uniforms.normalMatrix[(n_2 - 8i)];
                t_11 = normalMatrix_at;
            } else {
                if (n_2 < 19i) {
                    let lightDir_at_1 = uniforms.lightDir[(n_2 - 11i)];
                    t_11 = lightDir_at_1;
                } else {
                    let lightColor_at_1 = uniforms.lightColor[(n_2 - 19i)];
                    t_11 = lightColor_at_1;
                }
            }
        }
    } else {
        if (n_2 < 30i) {
            if (n_2 < 28i) {
                let ambient = uniforms.ambient;
                t_11 = ambient;
            } else {
                if (n_2 < 29i) {
                    let material = uniforms.material;
                    t_11 = material;
                } else {
                    let eye = uniforms.eye;
                    t_11 = eye;
                }
            }
        } else {
            if (n_2 < 95i) {
                let c30_unbound_at = uniforms.c30_unbound[(n_2 - 30i)];
                t_11 = c30_unbound_at;
            } else {
                if (n_2 < 96i) {
                    t_11 = vec4<f32>(0f, 1f, 0.5f, 16f);
                } else {
                    t_11 = vec4(1f);
                }
            }
        }
    }
    let t_17 = t_11;
    return t_17;
}

fn lightDir_at(n_3: i32, n_4: i32) -> vec4<f32> {
    var t_12: vec4<f32>;

    let _e6 = pica_uniform_index(n_3, n_4);
    let n_7 = (_e6 - 11i);
    if ((n_7 > -1i) && (n_7 < 8i)) {
        let lightDir_at_2 = uniforms.lightDir[n_7];
        t_12 = lightDir_at_2;
    } else {
        let _e15 = pica_uniform_register(_e6);
        t_12 = _e15;
    }
    let t_18 = t_12;
    return t_18;
}

fn lightColor_at(n_5: i32, n_6: i32) -> vec4<f32> {
    var t_13: vec4<f32>;

    let _e6 = pica_uniform_index(n_5, n_6);
    let n_8 = (_e6 - 19i);
    if ((n_8 > -1i) && (n_8 < 8i)) {
        let lightColor_at_2 = uniforms.lightColor[n_8];
        t_13 = lightColor_at_2;
    } else {
        let _e15 = pica_uniform_register(_e6);
        t_13 = _e15;
    }
    let t_19 = t_13;
    return t_19;
}

@vertex 
fn main(@location(0) inpos: vec4<f32>, @location(1) innrm: vec4<f32>) -> VertexOutput {
    var r7_xyz: vec3<f32>;
    var aL: i32;
    var left_i0: i32;

    let modelView = uniforms.modelView;
    let t_20 = vec4<f32>(inpos.xyz, 1f);
    let _e15 = pica_dot_vec4f(modelView[0], t_20);
    let _e17 = pica_dot_vec4f(modelView[1], t_20);
    let _e19 = pica_dot_vec4f(modelView[2], t_20);
    let _e21 = pica_dot_vec4f(modelView[3], t_20);
    let projection = uniforms.projection;
    let t_21 = vec4<f32>(_e15, _e17, _e19, _e21);
    let _e26 = pica_dot_vec4f(projection[0], t_21);
    let _e28 = pica_dot_vec4f(projection[1], t_21);
    let _e30 = pica_dot_vec4f(projection[2], t_21);
    let _e32 = pica_dot_vec4f(projection[3], t_21);
    let normalMatrix = uniforms.normalMatrix;
    let _e38 = pica_dot_vec3f(normalMatrix[0].xyz, innrm.xyz);
    let _e42 = pica_dot_vec3f(normalMatrix[1].xyz, innrm.xyz);
    let _e46 = pica_dot_vec3f(normalMatrix[2].xyz, innrm.xyz);
    let t_22 = vec3<f32>(_e38, _e42, _e46);
    let _e48 = pica_dot_plain_vec3f(t_22, t_22);
    let _e49 = pica_rsq(_e48);
    let _e51 = pica_mul_vec3f(t_22, vec3(_e49));
    let eye_1 = uniforms.eye;
    let out_view = (eye_1.xyz + -(vec3<f32>(_e15, _e17, _e19)));
    let ambient_1 = uniforms.ambient;
    let lightLoop = uniforms.lightLoop;
    r7_xyz = ambient_1.xyz;
    aL = lightLoop.y;
    left_i0 = lightLoop.x;
    loop {
        let r7_xyz_1 = r7_xyz;
        let aL_1 = aL;
        let left_i0_1 = left_i0;
        let _e71 = lightDir_at(11i, aL_1);
        let _e73 = pica_dot_vec3f(_e71.xyz, _e51);
        let r4_x = select(_e73, 0f, (0f > _e73));
        let _e76 = lightColor_at(19i, aL_1);
        let _e79 = pica_mul_vec3f(vec3(r4_x), _e76.xyz);
        let r7_xyz_2 = (_e79 + r7_xyz_1);
        if (0f < r4_x) {
            let useSpecular = uniforms.useSpecular;
            if (useSpecular == 0u) {
                r7_xyz = r7_xyz_2;
            } else {
                let r5_xyz = (_e71.xyz + out_view);
                let _e87 = pica_dot_plain_vec3f(r5_xyz, r5_xyz);
                let _e88 = pica_rsq(_e87);
                let _e90 = pica_mul_vec3f(r5_xyz, vec3(_e88));
                let _e91 = pica_dot_vec3f(_e90, _e51);
                let r4_x_1 = select(_e91, 0f, (0f > _e91));
                let r4_x_2 = (r4_x_1 * r4_x_1);
                let r4_x_3 = (r4_x_2 * r4_x_2);
                let r4_x_4 = (r4_x_3 * r4_x_3);
                let _e100 = pica_mul_vec3f(vec3((r4_x_4 * r4_x_4)), _e76.xyz);
                r7_xyz = (_e100 + r7_xyz_2);
            }
        } else {
            r7_xyz = r7_xyz_2;
        }
        if !((left_i0_1 > 0i)) {
            break;
        }
        aL = (aL_1 + lightLoop.z);
        left_i0 = (left_i0_1 - 1i);
    }
    let r7_xyz_3 = r7_xyz;
    let material_1 = uniforms.material;
    let _e113 = pica_mul_vec3f(material_1.xyz, r7_xyz_3);
    let out_position = vec4<f32>(_e26, _e28, -(_e30), _e32);
    let t_23 = abs(vec4<f32>(select(_e113, vec3(1f), (vec3(1f) < _e113)), material_1.w));
    let out_color = select(vec4(1f), t_23, (t_23 < vec4(1f)));
    return VertexOutput(out_position, out_color, out_view);
}
