// source: shaders/counter.shbin
// program: DVLE 1
// entry: code word 0xc

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
    let test = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu);
    let t = select(0.0, bitcast<f32>(not_a_number_bits), test);
    return t + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_mul_either_nan_vec2f(a: vec2f, b: vec2f) -> vec2f {
    var not_a_number_bits = 0x7fc00000u;
    let test = vec2u(0x7f800000u) < (bitcast<vec2u>(b) & vec2u(0x7fffffffu));
    let test_1 = (vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu))) | test;
    let t = select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
    return select(vec2f(0.0), vec2f(bitcast<f32>(not_a_number_bits)), test_1) + t;
}

fn pica_is_nan_vec2f(a: vec2f) -> vec2<bool> {
    return vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu));
}

fn pica_mul_vec2f(a: vec2f, b: vec2f) -> vec2f {
    return select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
}

fn pica_mul_either_nan(a: f32, b: f32) -> f32 {
    var not_a_number_bits = 0x7fc00000u;
    let test = 0x7f800000u < (bitcast<u32>(b) & 0x7fffffffu);
    let test_1 = 0x7f800000u < (bitcast<u32>(a) & 0x7fffffffu) || test;
    let t = select(0.0, bitcast<f32>(not_a_number_bits), test_1);
    return t + select(a, 0.0, b == 0.0) * select(b, 0.0, a == 0.0);
}

fn pica_address(a: f32) -> i32 {
    return i32(select(0.0, a, a > -129.0 && a < 128.0));
}

fn c_at(a: i32) -> vec4f {
    let n = a & 127;
    let test = n < 96;
    return select(vec4f(1.0), uniforms.c[select(95, n, test)], test);
}

fn pica_offset(a: i32) -> i32 {
    return select(0, a, a > -129 && a < 128);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let thread = i32(id.x) + draw.first_thread;
    if thread >= draw.threads {
        return;
    }
    let test = host.flip_y == 0u;
    let n = thread * draw.chunk - (draw.threads * draw.chunk - draw.invocations);
    let n_1 = n - draw.warm;
    let n_2 = n + draw.chunk;
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
    var invocation = select(n_1, 0, n_1 < 0);
    loop {
        if invocation >= n_2 {
            break;
        }
        let n_3 = invocation * draw.window;
        let vertex = feed[n_3];
        let r15_1 = select(vec4f(1.0, 1.0, 0.0, 0.0), r15, invocation > 0 || uniforms.b15_unbound != 0u);
        let r1_xy = pica_mul_either_nan_vec2f(r15_1.yz, vec2f(pica_mul_first_nan(pica_rsq(r15_1.x), r15_1.x)));
        let r1_xy_1 = pica_mul_either_nan_vec2f(uniforms.c[scale].xy, r1_xy);
        let test_1 = pica_is_nan_vec2f(r1_xy_1) | pica_is_nan_vec2f(vertex.ww);
        let r2_xy = select(pica_mul_vec2f(r1_xy_1, vertex.ww) + vertex.xy, vec2f(not_a_number), test_1);
        let r3_x = pica_mul_either_nan(1.0 + 0.01999998 * r15_1.x, vertex.w);
        let t = c_at(palette + pica_address(r15_1.w));
        let t_1 = -vertex.z;
        let t_2 = vec4f(r2_xy.x, select(-r2_xy.y, r2_xy.y, test), t_1, vertex.w);
        let t_3 = abs(feed[n_3 + 1]);
        let t_4 = select(vec4f(1.0), t_3, t_3 < vec4f(1.0));
        var aL = uniforms.petals.y;
        var left_i0 = uniforms.petals.x;
        count = select(count, 0, invocation == n);
        loop {
            let n_4 = pica_offset(aL);
            let r5_xy = pica_mul_either_nan_vec2f(uniforms.c[scale].zw, c_at(86 + n_4).xy);
            let test_2 = pica_is_nan_vec2f(vec2f(r3_x));
            let t_5 = pica_mul_vec2f(r5_xy, vec2f(r3_x)) + r2_xy;
            let r6_xy = select(t_5, vec2f(not_a_number), pica_is_nan_vec2f(r5_xy) | test_2);
            let t_6 = abs(t);
            let t_7 = select(vec4f(1.0), t_6, t_6 < vec4f(1.0));
            let r5_xy_1 = pica_mul_either_nan_vec2f(uniforms.c[scale].zw, c_at(87 + n_4).xy);
            let t_8 = pica_mul_vec2f(r5_xy_1, vec2f(r3_x)) + r2_xy;
            let r6_xy_1 = select(t_8, vec2f(not_a_number), pica_is_nan_vec2f(r5_xy_1) | test_2);
            if count < draw.capacity {
                let first = (thread * draw.capacity + count) * 6;
                triangles[first] = t_2;
                triangles[first + 1] = t_4;
                triangles[first + 2] = vec4f(r6_xy.x, select(-r6_xy.y, r6_xy.y, test), t_1, vertex.w);
                triangles[first + 3] = t_7;
                triangles[first + 4] = vec4f(r6_xy_1.x, select(-r6_xy_1.y, r6_xy_1.y, test), t_1, vertex.w);
                triangles[first + 5] = t_7;
            }
            count += 1;
            if left_i0 <= 0 {
                break;
            }
            aL += uniforms.petals.z;
            left_i0 -= 1;
        }
        let r15_w = 1.0 + r15_1.w;
        r15 = vec4f(
            1.0 + r15_1.x,
            -0.7373657 * r15_1.y - 0.6754837 * r15_1.z,
            0.6754837 * r15_1.y + -0.7373657 * r15_1.z,
            select(r15_w, 0.0, 5.0 == r15_w),
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
