// What depends on time only is the host's: a rotation, a scale and their product.
struct Uniforms { projection: mat4x4<f32>, time: f32, axis: vec3f, model: mat4x4<f32> }
@group(0) @binding(0) var<uniform> u: Uniforms;

fn rotation(axis: vec3f, angle: f32) -> mat3x3f {
    let a = normalize(axis);
    let s = sin(angle);
    let c = cos(angle);
    let t = 1.0 - c;
    return mat3x3f(
        vec3f(t * a.x * a.x + c, t * a.x * a.y + s * a.z, t * a.x * a.z - s * a.y),
        vec3f(t * a.x * a.y - s * a.z, t * a.y * a.y + c, t * a.y * a.z + s * a.x),
        vec3f(t * a.x * a.z + s * a.y, t * a.y * a.z - s * a.x, t * a.z * a.z + c));
}

struct Out { @builtin(position) position: vec4f, @location(0) normal: vec3f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Out {
    let turn = rotation(u.axis, u.time);
    let scale = 1.0 + 0.25 * sin(u.time * 4.0);
    let world = u.model * vec4f(turn * position * scale, 1.0);
    return Out(u.projection * world, normalize(turn * normal));
}
