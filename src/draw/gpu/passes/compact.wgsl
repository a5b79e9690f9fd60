// Moves the triangles of all threads together, in the order of the threads. One thread for each vector that there is room for.

struct Collect {
    threads: u32,
    capacity: u32,
    vectors: u32,
    topology: u32,
}

@group(0) @binding(0) var<storage, read> triangles: array<vec4u>;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> stream: array<vec4u>;
@group(0) @binding(4) var<uniform> collect: Collect;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let element = id.x + id.y * 2097152u;
    // Vectors of a triangle.
    let size = 3u * collect.vectors;
    let slot = element / size;
    let thread = slot / collect.capacity;
    if thread >= collect.threads {
        return;
    }
    let number = slot % collect.capacity;
    // The two upper bits tell why a thread did not run to its end.
    if number < (counts[thread] & 0x3fffffffu) {
        stream[(offsets[thread] + number) * size + element % size] = triangles[element];
    }
}
