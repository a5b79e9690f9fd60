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

fn pica_mul_vec4f(a: vec4f, b: vec4f) -> vec4f {
    let t = a * b;
    let test = vec4u(0x7f800000u) < (bitcast<vec4u>(t) & vec4u(0x7fffffffu));
    return select(t, vec4f(0.0), test & (abs(a + b) > vec4f(3.4028234663852886e38)));
}

fn pica_dot_vec4f(a: vec4f, b: vec4f) -> f32 {
    let t = pica_mul_vec4f(a, b);
    return t.x + t.y + t.z + t.w;
}

fn pica_mul_vec3f(a: vec3f, b: vec3f) -> vec3f {
    let t = a * b;
    let test = vec3u(0x7f800000u) < (bitcast<vec3u>(t) & vec3u(0x7fffffffu));
    return select(t, vec3f(0.0), test & (abs(a + b) > vec3f(3.4028234663852886e38)));
}

fn pica_dot_vec3f(a: vec3f, b: vec3f) -> f32 {
    let t = pica_mul_vec3f(a, b);
    return t.x + t.y + t.z;
}

fn pica_dot_plain_vec3f(a: vec3f, b: vec3f) -> f32 {
    let t = a * b;
    return t.x + t.y + t.z;
}

fn pica_rsq(a: f32) -> f32 {
    var infinity_bits = 0x7f800000u;
    return select(1.0 / sqrt(a), bitcast<f32>(infinity_bits), a == 0.0);
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
    let t = vec4f(inpos.xyz, 1.0);
    let r1_x = pica_dot_vec4f(uniforms.c[modelView], t);
    let r1_y = pica_dot_vec4f(uniforms.c[modelView + 1], t);
    let r1_z = pica_dot_vec4f(uniforms.c[modelView + 2], t);
    let t_1 = vec4f(r1_x, r1_y, r1_z, pica_dot_vec4f(uniforms.c[modelView + 3], t));
    let t_2 = vec3f(
        pica_dot_vec3f(uniforms.c[normalMatrix].xyz, innrm.xyz),
        pica_dot_vec3f(uniforms.c[normalMatrix + 1].xyz, innrm.xyz),
        pica_dot_vec3f(uniforms.c[normalMatrix + 2].xyz, innrm.xyz),
    );
    let r2_xyz = pica_mul_vec3f(t_2, vec3f(pica_rsq(pica_dot_plain_vec3f(t_2, t_2))));
    let out_view = uniforms.c[eye].xyz - vec3f(r1_x, r1_y, r1_z);
    var r7_xyz = uniforms.c[ambient].xyz;
    var aL = uniforms.lightLoop.y;
    var left_i0 = uniforms.lightLoop.x;
    loop {
        let n = pica_offset(aL);
        let t_3 = c_at(lightDir + n);
        let r4_x = pica_dot_vec3f(t_3.xyz, r2_xyz);
        let r4_x_1 = select(r4_x, 0.0, 0.0 > r4_x);
        let t_4 = c_at(lightColor + n);
        r7_xyz += pica_mul_vec3f(vec3f(r4_x_1), t_4.xyz);
        if 0.0 < r4_x_1 {
            if uniforms.useSpecular != 0u {
                let r5_xyz = t_3.xyz + out_view;
                let r5_xyz_1 = pica_mul_vec3f(r5_xyz, vec3f(pica_rsq(pica_dot_plain_vec3f(r5_xyz, r5_xyz))));
                let r4_x_2 = pica_dot_vec3f(r5_xyz_1, r2_xyz);
                let r4_x_3 = select(r4_x_2, 0.0, 0.0 > r4_x_2);
                let r4_x_4 = r4_x_3 * r4_x_3;
                let r4_x_5 = r4_x_4 * r4_x_4;
                let r4_x_6 = r4_x_5 * r4_x_5;
                r7_xyz += pica_mul_vec3f(vec3f(r4_x_6 * r4_x_6), t_4.xyz);
            }
        }
        if left_i0 <= 0 {
            break;
        }
        aL += uniforms.lightLoop.z;
        left_i0 -= 1;
    }
    let r7_xyz_1 = pica_mul_vec3f(uniforms.c[material].xyz, r7_xyz);
    let out_position = vec4f(
        pica_dot_vec4f(uniforms.c[projection], t_1),
        pica_dot_vec4f(uniforms.c[projection + 1], t_1),
        -pica_dot_vec4f(uniforms.c[projection + 2], t_1),
        pica_dot_vec4f(uniforms.c[projection + 3], t_1),
    );
    let t_5 = abs(vec4f(select(r7_xyz_1, vec3f(1.0), vec3f(1.0) < r7_xyz_1), uniforms.c[material].w));
    let out_color = select(vec4f(1.0), t_5, t_5 < vec4f(1.0));
    return VertexOutput(out_position, out_color, out_view);
}
