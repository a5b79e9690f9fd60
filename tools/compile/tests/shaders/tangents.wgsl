// Normal mapping: the quaternion of a normal and a tangent, both turned by the model.
struct Uniforms { projection: mat4x4f, model: mat3x3f }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Vertex { @location(0) place: vec3f, @location(1) normal: vec3f, @location(2) tangent: vec3f }
struct Out { @builtin(position) position: vec4f, @location(0) tangent: vec3f, @location(1) normal: vec3f }

@vertex
fn main(in: Vertex) -> Out {
    let place = u.model * in.place;
    let normal = normalize(u.model * in.normal);
    let along = u.model * in.tangent;
    return Out(
        u.projection * vec4f(place, 1.0),
        normalize(along - normal * dot(normal, along)),
        normal,
    );
}
