// The model matrix of an instance comes in four attributes.
@group(0) @binding(0) var<uniform> view_projection: mat4x4<f32>;

struct Vertex { @location(0) position: vec3f, @location(1) color: vec3f }
struct Instance {
    @location(2) row0: vec4f,
    @location(3) row1: vec4f,
    @location(4) row2: vec4f,
    @location(5) row3: vec4f,
}
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }

@vertex
fn main(vertex: Vertex, instance: Instance) -> Out {
    let model = mat4x4f(instance.row0, instance.row1, instance.row2, instance.row3);
    return Out(view_projection * model * vec4f(vertex.position, 1.0), vertex.color);
}
