// Coordinates of a shadow map and a lightmap beside the texture.
struct Uniforms { view_projection: mat4x4<f32>, model: mat4x4<f32>, light: mat4x4<f32>, bias: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out {
    @builtin(position) position: vec4f,
    @location(0) texcoord0: vec3f,
    @location(1) texcoord1: vec2f,
    @location(2) color: vec4f,
}

@vertex
fn main(@location(0) position: vec4f, @location(1) lightmap: vec2f, @location(2) color: vec4f) -> Out {
    let world = u.model * position;
    let from_light = u.light * world;
    var out: Out;
    out.position = u.view_projection * world;
    out.texcoord0 = vec3f(from_light.xy * 0.5 + from_light.w * 0.5, from_light.z - u.bias);
    out.texcoord1 = lightmap;
    out.color = color;
    return out;
}
