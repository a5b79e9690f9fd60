// One light, with the normal matrix computed where most teaching shaders compute it.
struct Camera { projection: mat4x4<f32>, view: mat4x4<f32> }
struct Object { model: mat4x4<f32>, normal_matrix: mat3x3<f32>, tint: vec4<f32> }
struct Light { position: vec3<f32>, ambient: f32, color: vec3<f32> }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> object: Object;
@group(0) @binding(2) var<uniform> light: Light;

struct Out {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) uv: vec2f,
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Out {
    let world = object.model * vec4f(position, 1.0);
    let n = normalize(object.normal_matrix * normal);
    let to_light = normalize(light.position - world.xyz);
    let diffuse = max(dot(n, to_light), 0.0);
    var out: Out;
    out.position = camera.projection * camera.view * world;
    out.color = vec4f(object.tint.rgb * light.color * min(diffuse + light.ambient, 1.0), object.tint.a);
    out.uv = uv;
    return out;
}
