// A hull along the normals, as wide on the screen everywhere.
struct Uniforms { mvp: mat4x4<f32>, width: f32, resolution: vec2f, color: vec4f }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Out {
    var clip = u.mvp * vec4f(position, 1.0);
    let direction = (u.mvp * vec4f(normal, 0.0)).xy;
    let offset = normalize(direction) / u.resolution * u.width * clip.w * 2.0;
    clip.x += offset.x;
    clip.y += offset.y;
    return Out(clip, u.color);
}
