// source: shaders/points.shbin
// program: DVLE 1
// entry: code word 0xc

struct Uniforms {
    pointSize: vec4f,
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
    reserved: i32,
}

@group(0) @binding(2) var<uniform> uniforms: Uniforms;
@group(0) @binding(6) var<uniform> host: Host;
@group(0) @binding(0) var<storage, read> feed: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> triangles: array<vec4f>;
@group(0) @binding(3) var<uniform> draw: Draw;
@group(0) @binding(4) var<storage, read_write> counts: array<i32>;

fn pica_is_nan_vec2f(a: vec2f) -> vec2<bool> {
    return vec2u(0x7f800000u) < (bitcast<vec2u>(a) & vec2u(0x7fffffffu));
}

fn pica_mul_vec2f(a: vec2f, b: vec2f) -> vec2f {
    return select(a, vec2f(0.0), b == vec2f(0.0)) * select(b, vec2f(0.0), a == vec2f(0.0));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var not_a_number_bits = 0x7fc00000u;
    let not_a_number = bitcast<f32>(not_a_number_bits);
    let thread = i32(id.x);
    if thread >= draw.threads {
        return;
    }
    let test = host.flip_y == 0u;
    let n = thread * draw.window;
    let vertex = feed[n];
    let test_1 = pica_is_nan_vec2f(vertex.ww);
    let test_2 = pica_is_nan_vec2f(uniforms.pointSize.xy) | test_1;
    let t = pica_mul_vec2f(-uniforms.pointSize.xy, vertex.ww) + vertex.xy;
    let r0_xy = select(t, vec2f(not_a_number), test_2);
    let t_1 = -vertex.z;
    let t_2 = abs(feed[n + 1]);
    let t_3 = select(vec4f(1.0), t_2, t_2 < vec4f(1.0));
    let r2_xy = uniforms.pointSize.xy * vec2f(1.0, -1.0);
    let t_4 = pica_mul_vec2f(r2_xy, vertex.ww) + vertex.xy;
    let r0_xy_1 = select(t_4, vec2f(not_a_number), pica_is_nan_vec2f(r2_xy) | test_1);
    let t_5 = vec4f(r0_xy_1.x, select(-r0_xy_1.y, r0_xy_1.y, test), t_1, vertex.w);
    let r2_xy_1 = uniforms.pointSize.xy * vec2f(-1.0, 1.0);
    let t_6 = pica_mul_vec2f(r2_xy_1, vertex.ww) + vertex.xy;
    let r0_xy_2 = select(t_6, vec2f(not_a_number), pica_is_nan_vec2f(r2_xy_1) | test_1);
    let t_7 = vec4f(r0_xy_2.x, select(-r0_xy_2.y, r0_xy_2.y, test), t_1, vertex.w);
    if 0 < draw.capacity {
        let first = (thread * draw.capacity + 0) * 9;
        triangles[first] = vec4f(r0_xy.x, select(-r0_xy.y, r0_xy.y, test), t_1, vertex.w);
        triangles[first + 1] = t_3;
        triangles[first + 2] = vec4f(-1.0, -1.0, 0.0, 0.0);
        triangles[first + 3] = t_5;
        triangles[first + 4] = t_3;
        triangles[first + 5] = vec4f(1.0, -1.0, 0.0, 0.0);
        triangles[first + 6] = t_7;
        triangles[first + 7] = t_3;
        triangles[first + 8] = vec4f(-1.0, 1.0, 0.0, 0.0);
    }
    let n_1 = 0i + 1i;
    let r0_xy_3 = select(pica_mul_vec2f(uniforms.pointSize.xy, vertex.ww) + vertex.xy, vec2f(not_a_number), test_2);
    let t_8 = vec4f(r0_xy_3.x, select(-r0_xy_3.y, r0_xy_3.y, test), t_1, vertex.w);
    let test_3 = draw.respects_winding > 0;
    if n_1 < draw.capacity {
        let first_1 = (thread * draw.capacity + n_1) * 9;
        triangles[first_1] = select(t_8, t_5, test_3);
        triangles[first_1 + 1] = t_3;
        triangles[first_1 + 2] = select(vec4f(1.0, 1.0, 0.0, 0.0), vec4f(1.0, -1.0, 0.0, 0.0), test_3);
        triangles[first_1 + 3] = select(t_5, t_8, test_3);
        triangles[first_1 + 4] = t_3;
        triangles[first_1 + 5] = select(vec4f(1.0, -1.0, 0.0, 0.0), vec4f(1.0, 1.0, 0.0, 0.0), test_3);
        triangles[first_1 + 6] = t_7;
        triangles[first_1 + 7] = t_3;
        triangles[first_1 + 8] = vec4f(-1.0, 1.0, 0.0, 0.0);
    }
    counts[thread] = n_1 + 1;
}
