// Quads that face the camera, a corner a vertex.
struct Camera { view: mat4x4<f32>, projection: mat4x4<f32>, size: vec2f }
@group(0) @binding(0) var<uniform> camera: Camera;
const corners = array<vec2f, 4>(vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(-1.0, 1.0), vec2f(1.0, 1.0));

struct Out { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) color: vec4f }

@vertex
fn main(@location(0) center: vec3f, @location(1) corner: u32, @location(2) color: vec4f) -> Out {
    let offset = corners[corner];
    var center_in_view = camera.view * vec4f(center, 1.0);
    center_in_view = vec4f(center_in_view.xy + offset * camera.size, center_in_view.zw);
    var out: Out;
    out.position = camera.projection * center_in_view;
    out.uv = offset * vec2f(0.5, -0.5) + 0.5;
    out.color = color;
    return out;
}
