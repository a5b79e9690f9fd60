// Sphere map by the reflected view direction.
struct Uniforms { projection: mat4x4<f32>, model_view: mat4x4<f32>, normal_matrix: mat3x3<f32> }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) uv0: vec2f, @location(1) view: vec3f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Out {
    let eye = (u.model_view * vec4f(position, 1.0)).xyz;
    let n = normalize(u.normal_matrix * normal);
    let r = reflect(normalize(eye), n);
    let m = 2.0 * sqrt(r.x * r.x + r.y * r.y + (r.z + 1.0) * (r.z + 1.0));
    var out: Out;
    out.position = u.projection * vec4f(eye, 1.0);
    out.uv0 = r.xy / m + 0.5;
    out.view = -eye;
    return out;
}
