// Writes the edges of a list of triangles as indices of lines, and the arguments of their indirect draw.
// One thread for each vertex of the list, in the workgroups that the scan has counted.

// The result of the scan; the first word is the number of vertices of the list.
@group(0) @binding(0) var<storage, read> result: array<u32>;
@group(0) @binding(1) var<storage, read_write> edges: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> arguments: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let vertex = id.x + id.y * 2097152u;
    if vertex >= result[0] {
        return;
    }
    let corner = vertex % 3u;
    edges[vertex] = vec2u(vertex, vertex - corner + (corner + 1u) % 3u);
    if vertex == 0u {
        // The others are zeros.
        arguments[0] = 2u * result[0];
        arguments[1] = 1u;
    }
}
