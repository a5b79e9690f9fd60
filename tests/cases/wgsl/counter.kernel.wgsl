// source: shaders/counter.shbin
// program: DVLE 1
// entry: code word 0xc
// options: outputs.flip_y = Dynamic
// translator: transpica 0.1.0

struct Uniforms {
    c: array<vec4f, 96>,
    petals: vec4i,
    b15_unbound: u32,
}

struct Host {
    clip_enabled: u32,
    flip_y: u32,
    clip_plane: vec4f,
}

struct Draw {
    threads: i32,
    invocations: i32,
    chunk: i32,
    warm: i32,
    window: i32,
    capacity: i32,
    respects_winding: i32,
    first_thread: i32,
}

const scale: i32 = 0;
const palette: i32 = 1;

@group(0) @binding(2) var<uniform> uniforms: Uniforms;
@group(0) @binding(6) var<uniform> host: Host;
@group(0) @binding(0) var<storage, read> feed: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> triangles: array<vec4f>;
@group(0) @binding(3) var<uniform> draw: Draw;
@group(0) @binding(4) var<storage, read_write> counts: array<i32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;

fn pica_rsq(a: f32) -> f32 {
    var infinity_bits = 0x7f800000u;
    return select(1.0 / sqrt(a), bitcast<f32>(infinity_bits), a == 0.0);
}

fn pica_mul_first_nan(a: f32, b: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let a_is_nan = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
    let choice = select(0.0, bitcast<f32>(not_a_number_bits), a_is_nan);
    return choice + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_mul_either_nan_vec2f(a: vec2f, b: vec2f) -> vec2f {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let a_is_nan = vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu));
    let b_is_nan = vec2u(0x7f800000u) < (bitcast<vec2u>(b) & vec2u(0x7fffffffu));
    let product = select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
    return select(vec2f(0.0), vec2f(not_a_number), a_is_nan | b_is_nan) + product;
}

fn pica_is_nan_vec2f(a: vec2f) -> vec2<bool> {
    return vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu));
}

fn pica_mul_vec2f(a: vec2f, b: vec2f) -> vec2f {
    return select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
}

fn pica_mul_either_nan(a: f32, b: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let b_is_nan = 0x7f800000u < (bitcast<u32>(b) & 0x7fffffffu);
    let a_or_b_is_nan = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu) || b_is_nan;
    let choice = select(0.0, bitcast<f32>(not_a_number_bits), a_or_b_is_nan);
    return choice + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_address(a: f32) -> i32 {
    return i32(select(0.0, a, a > -129.0 && a < 128.0));
}

fn c_at(index: i32) -> vec4f {
    let index_wrapped = index & 127;
    let index_wrapped_below_96 = index_wrapped < 96;
    let c_index_wrapped = uniforms.c[select(95, index_wrapped, index_wrapped_below_96)];
    return select(vec4f(1.0), c_index_wrapped, index_wrapped_below_96);
}

fn pica_offset(index: i32) -> i32 {
    return select(0, index, index > -129 && index < 128);
}

fn palette_at(index: i32) -> vec4f {
    return c_at(palette + index);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let thread = i32(id.x) + draw.first_thread;
    if thread >= draw.threads {
        return;
    }
    let thread_1 = u32((thread * (thread + 1)) & 1);
    let r15_result = bitcast<f32>(thread_1);
    let r15_result_1 = bitcast<vec4f>(vec4u(thread_1) | vec4u(0x3f800000u, 0x3f800000u, 0u, 0u));
    let flip_y_is_0 = host.flip_y == 0u;
    let thread_2 = thread * draw.chunk - (draw.threads * draw.chunk - draw.invocations);
    let thread_3 = thread_2 - draw.warm;
    let thread_4 = thread_2 + draw.chunk;
    let word = state[0];
    let word_1 = state[1];
    let word_2 = state[2];
    let word_3 = state[3];
    var r15 = vec4f(
        bitcast<f32>(word),
        bitcast<f32>(word_1),
        bitcast<f32>(word_2),
        bitcast<f32>(word_3),
    );
    var count = 0;
    var invocation = select(thread_3, 0, thread_3 < 0);
    while invocation < thread_4 {
        let invocation_window = invocation * draw.window;
        let vertex = feed[invocation_window];
        let invocation_above_0 = invocation > 0 || uniforms.b15_unbound != 0u;
        let r15_1 = select(r15_result_1, r15, invocation_above_0);
        let r0_x = pica_mul_first_nan(pica_rsq(r15_1.x), r15_1.x);
        let r1_xy = pica_mul_either_nan_vec2f(r15_1.yz, vec2f(r0_x));
        let r1_xy_1 = pica_mul_either_nan_vec2f(uniforms.c[scale].xy, r1_xy);
        let r1_xy_is_nan = pica_is_nan_vec2f(r1_xy_1) | pica_is_nan_vec2f(vertex.ww);
        let r2_sum = pica_mul_vec2f(r1_xy_1, vertex.ww) + vertex.xy;
        let r2_xy = select(r2_sum, vec2f(not_a_number), r1_xy_is_nan);
        let r3_x = pica_mul_either_nan(1.0 + 0.01999998 * r15_1.x, vertex.w);
        let palette_a0_x = palette_at(pica_address(r15_1.w));
        let vertex_negative = -vertex.z;
        let magnitude = abs(feed[invocation_window + 1]);
        var aL = uniforms.petals.y;
        count = select(count, 0, invocation == thread_2);
        var carried = vec4f(
            r2_xy.x,
            select(-r2_xy.y, r2_xy.y, flip_y_is_0),
            vertex_negative,
            vertex.w,
        );
        var carried_1 = select(vec4f(1.0), magnitude, magnitude < vec4f(1.0));
        // up to petals.x + 1 iterations, aL from petals.y by petals.z
        for (var left_i0 = uniforms.petals.x; left_i0 >= 0; left_i0 -= 1) {
            let aL_offset = pica_offset(aL);
            let c86_aL = c_at(86 + aL_offset);
            let r5_xy = pica_mul_either_nan_vec2f(uniforms.c[scale].zw, c86_aL.xy);
            let r3_x_is_nan = pica_is_nan_vec2f(vec2f(r3_x));
            let r5_xy_is_nan = pica_is_nan_vec2f(r5_xy) | r3_x_is_nan;
            let r6_sum = pica_mul_vec2f(r5_xy, vec2f(r3_x)) + r2_xy;
            let r6_xy = select(r6_sum, vec2f(not_a_number), r5_xy_is_nan);
            let color_magnitude = abs(palette_a0_x);
            let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
            let c87_aL = c_at(87 + aL_offset);
            let r5_xy_1 = pica_mul_either_nan_vec2f(uniforms.c[scale].zw, c87_aL.xy);
            let r5_xy_is_nan_1 = pica_is_nan_vec2f(r5_xy_1) | r3_x_is_nan;
            let r6_sum_1 = pica_mul_vec2f(r5_xy_1, vec2f(r3_x)) + r2_xy;
            let r6_xy_1 = select(r6_sum_1, vec2f(not_a_number), r5_xy_is_nan_1);
            if count < draw.capacity {
                let first = (thread * draw.capacity + count) * 6;
                triangles[first] = carried;
                triangles[first + 1] = carried_1;
                triangles[first + 2] = vec4f(
                    r6_xy.x,
                    select(-r6_xy.y, r6_xy.y, flip_y_is_0),
                    vertex_negative,
                    vertex.w,
                );
                triangles[first + 3] = out_color;
                triangles[first + 4] = vec4f(
                    r6_xy_1.x,
                    select(-r6_xy_1.y, r6_xy_1.y, flip_y_is_0),
                    vertex_negative,
                    vertex.w,
                );
                triangles[first + 5] = out_color;
            }
            count += 1;
            aL += uniforms.petals.z;
        }
        let r15_w = 1.0 + r15_1.w;
        r15 = vec4f(
            1.0 + r15_1.x,
            -0.7373657 * r15_1.y - 0.6754837 * r15_1.z,
            0.6754837 * r15_1.y + -0.7373657 * r15_1.z,
            select(r15_w, r15_result, 5.0 == r15_w),
        );
        invocation += 1;
    }
    counts[thread] = count;
    if thread == draw.threads - 1 {
        state[4] = bitcast<u32>(r15.x);
        state[5] = bitcast<u32>(r15.y);
        state[6] = bitcast<u32>(r15.z);
        state[7] = bitcast<u32>(r15.w);
    }
}
