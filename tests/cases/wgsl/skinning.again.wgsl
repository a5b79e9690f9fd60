// program: DVLE 0
// entry: code word 0x5
// translator: transpica 0.1.0

struct Uniforms {
    c: array<vec4f, 96>,
    bones2: u32,
    bones3: u32,
    bones4: u32,
}

struct UniformsAgain {
    c: array<vec4f, 96>,
    bones2: u32,
    bones3: u32,
    bones4: u32,
}

struct VertexOutput {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(15) position_again: vec4f,
}

const projection: i32 = 0;
const palette: i32 = 4;

@group(0) @binding(0) var<uniform> uniforms: Uniforms;
@group(0) @binding(2) var<uniform> uniforms_again: UniformsAgain;

fn pica_address(a: f32) -> i32 {
    return i32(select(0.0, a, a > -129.0 && a < 128.0));
}

fn c_at(index: i32) -> vec4f {
    let index_wrapped = index & 127;
    let index_wrapped_below_96 = index_wrapped < 96;
    let c_index_wrapped = uniforms.c[select(95, index_wrapped, index_wrapped_below_96)];
    return select(vec4f(1.0), c_index_wrapped, index_wrapped_below_96);
}

fn pica_has_nan_vec4f(a: vec4f) -> bool {
    return any(vec4u(0x7f800000u) < (bitcast<vec4u>(a) & vec4u(0x7fffffffu)));
}

fn pica_mul_vec3f(a: vec3f, b: vec3f) -> vec3f {
    return select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
}

fn pica_dot_point_or_nan_vec4f(a: vec4f, b: vec4f, is_nan: bool) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let product = pica_mul_vec3f(a.xyz, b.xyz);
    let sum = select(0.0, bitcast<f32>(not_a_number_bits), is_nan) + product.x + product.y;
    return sum + product.z + a.w * b.w;
}

fn pica_mul_either_nan_vec3f(a: vec3f, b: vec3f) -> vec3f {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let a_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
    let b_is_nan = vec3u(0x7f800000u) < (bitcast<vec3u>(b) & vec3u(0x7fffffffu));
    let product = select(a, vec3f(0.0), b == vec3f(0.0)) * select(b, vec3f(0.0), a == vec3f(0.0));
    return select(vec3f(0.0), vec3f(not_a_number), a_is_nan | b_is_nan) + product;
}

fn pica_is_nan_vec3f(a: vec3f) -> vec3<bool> {
    return vec3u(0x7f800000u) < (bitcast<vec3u>(a) & vec3u(0x7fffffffu));
}

fn c_at_again(index: i32) -> vec4f {
    let index_wrapped = index & 127;
    let index_wrapped_below_96 = index_wrapped < 96;
    let c_index_wrapped = uniforms_again.c[select(95, index_wrapped, index_wrapped_below_96)];
    return select(vec4f(1.0), c_index_wrapped, index_wrapped_below_96);
}

fn palette_at(index: i32) -> vec4f {
    return c_at(palette + index);
}

@vertex
fn main(
    @location(0) inpos: vec4f,
    @location(1) inidx: vec4f,
    @location(2) inwgt: vec4f,
) -> VertexOutput {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let r6 = 3.0 * inidx;
    let a0_x = pica_address(r6.x);
    let palette_a0_x = palette_at(a0_x);
    let inpos_1 = vec4f(inpos.xyz, 1.0);
    let inpos_has_nan = pica_has_nan_vec4f(inpos_1);
    let palette_a0_x_has_nan = pica_has_nan_vec4f(palette_a0_x) || inpos_has_nan;
    let palette_a0_x_1 = palette_at(a0_x + 1);
    let palette_a0_x_1_has_nan = pica_has_nan_vec4f(palette_a0_x_1) || inpos_has_nan;
    let palette_a0_x_2 = palette_at(a0_x + 2);
    let palette_a0_x_2_has_nan = pica_has_nan_vec4f(palette_a0_x_2) || inpos_has_nan;
    let r4_xyz = vec3f(
        pica_dot_point_or_nan_vec4f(palette_a0_x, inpos_1, palette_a0_x_has_nan),
        pica_dot_point_or_nan_vec4f(palette_a0_x_1, inpos_1, palette_a0_x_1_has_nan),
        pica_dot_point_or_nan_vec4f(palette_a0_x_2, inpos_1, palette_a0_x_2_has_nan),
    );
    var r1_xyz = pica_mul_either_nan_vec3f(inwgt.xxx, r4_xyz);
    if uniforms.bones2 != 0u {
        let a0_x_1 = pica_address(r6.y);
        let palette_a0_x_3 = palette_at(a0_x_1);
        let palette_a0_x_has_nan_1 = pica_has_nan_vec4f(palette_a0_x_3) || inpos_has_nan;
        let palette_a0_x_1_1 = palette_at(a0_x_1 + 1);
        let palette_a0_x_1_has_nan_1 = pica_has_nan_vec4f(palette_a0_x_1_1) || inpos_has_nan;
        let palette_a0_x_2_1 = palette_at(a0_x_1 + 2);
        let palette_a0_x_2_has_nan_1 = pica_has_nan_vec4f(palette_a0_x_2_1) || inpos_has_nan;
        let r4_xyz_1 = vec3f(
            pica_dot_point_or_nan_vec4f(palette_a0_x_3, inpos_1, palette_a0_x_has_nan_1),
            pica_dot_point_or_nan_vec4f(palette_a0_x_1_1, inpos_1, palette_a0_x_1_has_nan_1),
            pica_dot_point_or_nan_vec4f(palette_a0_x_2_1, inpos_1, palette_a0_x_2_has_nan_1),
        );
        let inwgt_is_nan = pica_is_nan_vec3f(inwgt.yyy) | pica_is_nan_vec3f(r4_xyz_1);
        let r1_sum = pica_mul_vec3f(inwgt.yyy, r4_xyz_1) + r1_xyz;
        r1_xyz = select(r1_sum, vec3f(not_a_number), inwgt_is_nan);
        if uniforms.bones3 != 0u {
            let a0_x_2 = pica_address(r6.z);
            let palette_a0_x_4 = palette_at(a0_x_2);
            let palette_a0_x_has_nan_2 = pica_has_nan_vec4f(palette_a0_x_4) || inpos_has_nan;
            let palette_a0_x_1_2 = palette_at(a0_x_2 + 1);
            let palette_a0_x_1_has_nan_2 = pica_has_nan_vec4f(palette_a0_x_1_2) || inpos_has_nan;
            let palette_a0_x_2_2 = palette_at(a0_x_2 + 2);
            let palette_a0_x_2_has_nan_2 = pica_has_nan_vec4f(palette_a0_x_2_2) || inpos_has_nan;
            let r4_xyz_2 = vec3f(
                pica_dot_point_or_nan_vec4f(palette_a0_x_4, inpos_1, palette_a0_x_has_nan_2),
                pica_dot_point_or_nan_vec4f(palette_a0_x_1_2, inpos_1, palette_a0_x_1_has_nan_2),
                pica_dot_point_or_nan_vec4f(palette_a0_x_2_2, inpos_1, palette_a0_x_2_has_nan_2),
            );
            let inwgt_is_nan_1 = pica_is_nan_vec3f(inwgt.zzz) | pica_is_nan_vec3f(r4_xyz_2);
            let r1_sum_1 = pica_mul_vec3f(inwgt.zzz, r4_xyz_2) + r1_xyz;
            r1_xyz = select(r1_sum_1, vec3f(not_a_number), inwgt_is_nan_1);
            if uniforms.bones4 != 0u {
                let a0_x_3 = pica_address(r6.w);
                let palette_a0_x_5 = palette_at(a0_x_3);
                let palette_a0_x_has_nan_3 = pica_has_nan_vec4f(palette_a0_x_5) || inpos_has_nan;
                let palette_a0_x_1_3 = palette_at(a0_x_3 + 1);
                let palette_a0_x_1_has_nan_3 = pica_has_nan_vec4f(palette_a0_x_1_3) || inpos_has_nan;
                let palette_a0_x_2_3 = palette_at(a0_x_3 + 2);
                let palette_a0_x_2_has_nan_3 = pica_has_nan_vec4f(palette_a0_x_2_3) || inpos_has_nan;
                let r4_xyz_3 = vec3f(
                    pica_dot_point_or_nan_vec4f(palette_a0_x_5, inpos_1, palette_a0_x_has_nan_3),
                    pica_dot_point_or_nan_vec4f(
                        palette_a0_x_1_3,
                        inpos_1,
                        palette_a0_x_1_has_nan_3,
                    ),
                    pica_dot_point_or_nan_vec4f(
                        palette_a0_x_2_3,
                        inpos_1,
                        palette_a0_x_2_has_nan_3,
                    ),
                );
                let inwgt_is_nan_2 = pica_is_nan_vec3f(inwgt.www) | pica_is_nan_vec3f(r4_xyz_3);
                let r1_sum_2 = pica_mul_vec3f(inwgt.www, r4_xyz_3) + r1_xyz;
                r1_xyz = select(r1_sum_2, vec3f(not_a_number), inwgt_is_nan_2);
            }
        }
    }
    let r1 = vec4f(r1_xyz, 1.0);
    let r1_has_nan = pica_has_nan_vec4f(r1);
    let projection_has_nan = pica_has_nan_vec4f(uniforms.c[projection]) || r1_has_nan;
    let projection_1_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 1]) || r1_has_nan;
    let projection_2_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 2]) || r1_has_nan;
    let projection_3_has_nan = pica_has_nan_vec4f(uniforms.c[projection + 3]) || r1_has_nan;
    let out_position = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms.c[projection], r1, projection_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.c[projection + 1], r1, projection_1_has_nan),
        -pica_dot_point_or_nan_vec4f(uniforms.c[projection + 2], r1, projection_2_has_nan),
        pica_dot_point_or_nan_vec4f(uniforms.c[projection + 3], r1, projection_3_has_nan),
    );
    let color_magnitude = abs(inwgt);
    let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
    let palette_a0_x_6 = c_at_again(palette + a0_x);
    let palette_a0_x_has_nan_4 = pica_has_nan_vec4f(palette_a0_x_6) || inpos_has_nan;
    let palette_1_a0_x = c_at_again(palette + 1 + a0_x);
    let palette_1_a0_x_has_nan = pica_has_nan_vec4f(palette_1_a0_x) || inpos_has_nan;
    let palette_2_a0_x = c_at_again(palette + 2 + a0_x);
    let palette_2_a0_x_has_nan = pica_has_nan_vec4f(palette_2_a0_x) || inpos_has_nan;
    let r4_xyz_4 = vec3f(
        pica_dot_point_or_nan_vec4f(palette_a0_x_6, inpos_1, palette_a0_x_has_nan_4),
        pica_dot_point_or_nan_vec4f(palette_1_a0_x, inpos_1, palette_1_a0_x_has_nan),
        pica_dot_point_or_nan_vec4f(palette_2_a0_x, inpos_1, palette_2_a0_x_has_nan),
    );
    r1_xyz = pica_mul_either_nan_vec3f(inwgt.xxx, r4_xyz_4);
    if uniforms_again.bones2 != 0u {
        let a0_x_4 = pica_address(r6.y);
        let palette_a0_x_7 = c_at_again(palette + a0_x_4);
        let palette_a0_x_has_nan_5 = pica_has_nan_vec4f(palette_a0_x_7) || inpos_has_nan;
        let palette_1_a0_x_1 = c_at_again(palette + 1 + a0_x_4);
        let palette_1_a0_x_has_nan_1 = pica_has_nan_vec4f(palette_1_a0_x_1) || inpos_has_nan;
        let palette_2_a0_x_1 = c_at_again(palette + 2 + a0_x_4);
        let palette_2_a0_x_has_nan_1 = pica_has_nan_vec4f(palette_2_a0_x_1) || inpos_has_nan;
        let r4_xyz_5 = vec3f(
            pica_dot_point_or_nan_vec4f(palette_a0_x_7, inpos_1, palette_a0_x_has_nan_5),
            pica_dot_point_or_nan_vec4f(palette_1_a0_x_1, inpos_1, palette_1_a0_x_has_nan_1),
            pica_dot_point_or_nan_vec4f(palette_2_a0_x_1, inpos_1, palette_2_a0_x_has_nan_1),
        );
        let inwgt_is_nan_3 = pica_is_nan_vec3f(inwgt.yyy) | pica_is_nan_vec3f(r4_xyz_5);
        let r1_sum_3 = pica_mul_vec3f(inwgt.yyy, r4_xyz_5) + r1_xyz;
        r1_xyz = select(r1_sum_3, vec3f(not_a_number), inwgt_is_nan_3);
        if uniforms_again.bones3 != 0u {
            let a0_x_5 = pica_address(r6.z);
            let palette_a0_x_8 = c_at_again(palette + a0_x_5);
            let palette_a0_x_has_nan_6 = pica_has_nan_vec4f(palette_a0_x_8) || inpos_has_nan;
            let palette_1_a0_x_2 = c_at_again(palette + 1 + a0_x_5);
            let palette_1_a0_x_has_nan_2 = pica_has_nan_vec4f(palette_1_a0_x_2) || inpos_has_nan;
            let palette_2_a0_x_2 = c_at_again(palette + 2 + a0_x_5);
            let palette_2_a0_x_has_nan_2 = pica_has_nan_vec4f(palette_2_a0_x_2) || inpos_has_nan;
            let r4_xyz_6 = vec3f(
                pica_dot_point_or_nan_vec4f(palette_a0_x_8, inpos_1, palette_a0_x_has_nan_6),
                pica_dot_point_or_nan_vec4f(palette_1_a0_x_2, inpos_1, palette_1_a0_x_has_nan_2),
                pica_dot_point_or_nan_vec4f(palette_2_a0_x_2, inpos_1, palette_2_a0_x_has_nan_2),
            );
            let inwgt_is_nan_4 = pica_is_nan_vec3f(inwgt.zzz) | pica_is_nan_vec3f(r4_xyz_6);
            let r1_sum_4 = pica_mul_vec3f(inwgt.zzz, r4_xyz_6) + r1_xyz;
            r1_xyz = select(r1_sum_4, vec3f(not_a_number), inwgt_is_nan_4);
            if uniforms_again.bones4 != 0u {
                let a0_x_6 = pica_address(r6.w);
                let palette_a0_x_9 = c_at_again(palette + a0_x_6);
                let palette_a0_x_has_nan_7 = pica_has_nan_vec4f(palette_a0_x_9) || inpos_has_nan;
                let palette_1_a0_x_3 = c_at_again(palette + 1 + a0_x_6);
                let palette_1_a0_x_has_nan_3 = pica_has_nan_vec4f(palette_1_a0_x_3) || inpos_has_nan;
                let palette_2_a0_x_3 = c_at_again(palette + 2 + a0_x_6);
                let palette_2_a0_x_has_nan_3 = pica_has_nan_vec4f(palette_2_a0_x_3) || inpos_has_nan;
                let r4_xyz_7 = vec3f(
                    pica_dot_point_or_nan_vec4f(palette_a0_x_9, inpos_1, palette_a0_x_has_nan_7),
                    pica_dot_point_or_nan_vec4f(
                        palette_1_a0_x_3,
                        inpos_1,
                        palette_1_a0_x_has_nan_3,
                    ),
                    pica_dot_point_or_nan_vec4f(
                        palette_2_a0_x_3,
                        inpos_1,
                        palette_2_a0_x_has_nan_3,
                    ),
                );
                let inwgt_is_nan_5 = pica_is_nan_vec3f(inwgt.www) | pica_is_nan_vec3f(r4_xyz_7);
                let r1_sum_5 = pica_mul_vec3f(inwgt.www, r4_xyz_7) + r1_xyz;
                r1_xyz = select(r1_sum_5, vec3f(not_a_number), inwgt_is_nan_5);
            }
        }
    }
    let r1_1 = vec4f(r1_xyz, 1.0);
    let r1_has_nan_1 = pica_has_nan_vec4f(r1_1);
    let projection_has_nan_1 = pica_has_nan_vec4f(uniforms_again.c[projection]) || r1_has_nan_1;
    let projection_1_has_nan_1 = pica_has_nan_vec4f(uniforms_again.c[projection + 1]) || r1_has_nan_1;
    let projection_2_has_nan_1 = pica_has_nan_vec4f(uniforms_again.c[projection + 2]) || r1_has_nan_1;
    let o0_z = pica_dot_point_or_nan_vec4f(
        uniforms_again.c[projection + 2],
        r1_1,
        projection_2_has_nan_1,
    );
    let projection_3_has_nan_1 = pica_has_nan_vec4f(uniforms_again.c[projection + 3]) || r1_has_nan_1;
    let out_position_again = vec4f(
        pica_dot_point_or_nan_vec4f(uniforms_again.c[projection], r1_1, projection_has_nan_1),
        pica_dot_point_or_nan_vec4f(uniforms_again.c[projection + 1], r1_1, projection_1_has_nan_1),
        -o0_z,
        pica_dot_point_or_nan_vec4f(uniforms_again.c[projection + 3], r1_1, projection_3_has_nan_1),
    );
    return VertexOutput(out_position, out_color, out_position_again);
}
