// Writes the vertices of the finished triangles densely, in the order of the threads that submitted them. One thread for
// each vertex: the scan has counted them, and the workgroups that they take.

struct Collect {
    threads: u32,
    capacity: u32,
    vectors: u32,
    topology: u32,
}

@group(0) @binding(0) var<storage, read> triangles: array<vec4u>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
// The result of the scan; the first word is the number of vertices to draw.
@group(0) @binding(2) var<storage, read> result: array<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<vec4u>;
@group(0) @binding(4) var<uniform> collect: Collect;

// The thread that submitted a triangle: the last one whose first triangle is not behind it.
fn thread_of(triangle: u32) -> u32 {
    var low = 0u;
    var high = collect.threads;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if offsets[middle] <= triangle {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// The submitted vertex at a place of the list.
fn assembled(place: u32) -> u32 {
    let triangle = place / 3u;
    let corner = place % 3u;
    switch collect.topology {
        case 0u: {
            return place;
        }
        case 1u: {
            // A strip: every second triangle is turned.
            if triangle % 2u == 1u && corner < 2u {
                return triangle + 1u - corner;
            }
        }
        default: {
            // A fan: all have the first vertex.
            if corner == 0u {
                return 0u;
            }
        }
    }
    return triangle + corner;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let place = id.x + id.y * 2097152u;
    if place >= result[0] {
        return;
    }
    let vertex = assembled(place);
    let triangle = vertex / 3u;
    let thread = thread_of(triangle);
    let slot = thread * collect.capacity + triangle - offsets[thread];
    let source = (slot * 3u + vertex % 3u) * collect.vectors;
    for (var vector = 0u; vector < collect.vectors; vector += 1u) {
        list[place * collect.vectors + vector] = triangles[source + vector];
    }
}
