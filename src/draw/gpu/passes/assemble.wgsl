// Takes the dense row as the vertices of a strip or fan and writes each triangle of it out. One thread for each vector.

struct Collect {
    threads: u32,
    capacity: u32,
    vectors: u32,
    topology: u32,
}

@group(0) @binding(0) var<storage, read> stream: array<vec4u>;
// What the scan found; the first is the number of vertices to draw.
@group(0) @binding(1) var<storage, read> result: array<u32>;
@group(0) @binding(2) var<storage, read_write> list: array<vec4u>;
@group(0) @binding(3) var<uniform> collect: Collect;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let element = id.x + id.y * 2097152u;
    let place = element / collect.vectors;
    if place >= result[0] {
        return;
    }
    let triangle = place / 3u;
    let corner = place % 3u;
    var vertex = triangle + corner;
    if collect.topology == 2u {
        // A fan: all have the first vertex.
        if corner == 0u {
            vertex = 0u;
        }
    } else if triangle % 2u == 1u && corner < 2u {
        // A strip: every second triangle is turned.
        vertex = triangle + 1u - corner;
    }
    list[element] = stream[vertex * collect.vectors + element % collect.vectors];
}
