// Motion by birth and velocity; the dead ones leave the screen.
struct Uniforms { view_projection: mat4x4<f32>, time: f32, lifetime: f32, gravity: vec3f }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct In {
    @location(0) origin: vec3f,
    @location(1) velocity: vec3f,
    @location(2) birth: f32,
    @location(3) color: vec4f,
}
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex
fn main(in: In) -> Out {
    let age = u.time - in.birth;
    var out: Out;
    if age < 0.0 || age > u.lifetime {
        out.position = vec4f(0.0, 0.0, -2.0, 1.0);
        out.color = vec4f(0.0);
        return out;
    }
    let t = age / u.lifetime;
    let position = in.origin + in.velocity * age + 0.5 * u.gravity * age * age;
    out.position = u.view_projection * vec4f(position, 1.0);
    out.color = vec4f(in.color.rgb, in.color.a * (1.0 - t));
    return out;
}
