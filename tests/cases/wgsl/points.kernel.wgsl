// source: shaders/points.shbin
// program: DVLE 1
// entry: code word 0xc
// options: outputs.flip_y = Dynamic
// translator: transpica 0.1.0

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
    let flip_y_is_0 = host.flip_y == 0u;
    let thread_window = thread * draw.window;
    let vertex = feed[thread_window];
    let vertex_is_nan = pica_is_nan_vec2f(vertex.ww);
    let pointSize_is_nan = pica_is_nan_vec2f(uniforms.pointSize.xy) | vertex_is_nan;
    let r0_sum = pica_mul_vec2f(-uniforms.pointSize.xy, vertex.ww) + vertex.xy;
    let r0_xy = select(r0_sum, vec2f(not_a_number), pointSize_is_nan);
    let vertex_negative = -vertex.z;
    let color_magnitude = abs(feed[thread_window + 1]);
    let out_color = select(vec4f(1.0), color_magnitude, color_magnitude < vec4f(1.0));
    let r2_xy = uniforms.pointSize.xy * vec2f(1.0, -1.0);
    let r2_xy_is_nan = pica_is_nan_vec2f(r2_xy) | vertex_is_nan;
    let r0_sum_1 = pica_mul_vec2f(r2_xy, vertex.ww) + vertex.xy;
    let r0_xy_1 = select(r0_sum_1, vec2f(not_a_number), r2_xy_is_nan);
    let out_position = vec4f(
        r0_xy_1.x,
        select(-r0_xy_1.y, r0_xy_1.y, flip_y_is_0),
        vertex_negative,
        vertex.w,
    );
    let r2_xy_1 = uniforms.pointSize.xy * vec2f(-1.0, 1.0);
    let r2_xy_is_nan_1 = pica_is_nan_vec2f(r2_xy_1) | vertex_is_nan;
    let r0_sum_2 = pica_mul_vec2f(r2_xy_1, vertex.ww) + vertex.xy;
    let r0_xy_2 = select(r0_sum_2, vec2f(not_a_number), r2_xy_is_nan_1);
    let out_position_1 = vec4f(
        r0_xy_2.x,
        select(-r0_xy_2.y, r0_xy_2.y, flip_y_is_0),
        vertex_negative,
        vertex.w,
    );
    if 0 < draw.capacity {
        let first = thread * draw.capacity * 9;
        triangles[first] = vec4f(
            r0_xy.x,
            select(-r0_xy.y, r0_xy.y, flip_y_is_0),
            vertex_negative,
            vertex.w,
        );
        triangles[first + 1] = out_color;
        triangles[first + 2] = vec4f(-1.0, -1.0, 0.0, 0.0);
        triangles[first + 3] = out_position;
        triangles[first + 4] = out_color;
        triangles[first + 5] = vec4f(1.0, -1.0, 0.0, 0.0);
        triangles[first + 6] = out_position_1;
        triangles[first + 7] = out_color;
        triangles[first + 8] = vec4f(-1.0, 1.0, 0.0, 0.0);
    }
    let r0_sum_3 = pica_mul_vec2f(uniforms.pointSize.xy, vertex.ww) + vertex.xy;
    let r0_xy_3 = select(r0_sum_3, vec2f(not_a_number), pointSize_is_nan);
    let position = vec4f(
        r0_xy_3.x,
        select(-r0_xy_3.y, r0_xy_3.y, flip_y_is_0),
        vertex_negative,
        vertex.w,
    );
    let respects_winding_above_0 = draw.respects_winding > 0;
    if 1 < draw.capacity {
        let first_1 = (thread * draw.capacity + 1) * 9;
        triangles[first_1] = select(position, out_position, respects_winding_above_0);
        triangles[first_1 + 1] = out_color;
        triangles[first_1 + 2] = select(
            vec4f(1.0, 1.0, 0.0, 0.0),
            vec4f(1.0, -1.0, 0.0, 0.0),
            respects_winding_above_0,
        );
        triangles[first_1 + 3] = select(out_position, position, respects_winding_above_0);
        triangles[first_1 + 4] = out_color;
        triangles[first_1 + 5] = select(
            vec4f(1.0, -1.0, 0.0, 0.0),
            vec4f(1.0, 1.0, 0.0, 0.0),
            respects_winding_above_0,
        );
        triangles[first_1 + 6] = out_position_1;
        triangles[first_1 + 7] = out_color;
        triangles[first_1 + 8] = vec4f(-1.0, 1.0, 0.0, 0.0);
    }
    counts[thread] = 2;
}
