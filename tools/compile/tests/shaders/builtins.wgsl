// Built-in functions that the other shaders leave out.
struct Uniforms { mvp: mat4x4<f32>, a: vec3f, b: f32, frame: mat3x3<f32> }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) uv0: vec2f,
    @location(2) uv1: vec2f,
    @location(3) uv2: vec2f,
    @location(4) view: vec3f,
}

@vertex
fn main(@location(0) p: vec3f, @location(1) q: vec3f) -> Out {
    var out: Out;
    out.position = vec4f(p, 1.0) * u.mvp;
    out.color = vec4f(sign(p.x), step(p.y, q.y), fract(p.z), ceil(q.x) - trunc(q.z));
    out.uv0 = vec2f(distance(p, q), fma(p.x, q.y, u.b));
    out.uv1 = vec2f(radians(p.x) + degrees(p.y), inverseSqrt(abs(q.z) + 0.5));
    out.uv2 = vec2f(log(abs(p.x) + 1.0), log2(abs(q.x) + 1.0) + exp2(q.y));
    let axis = cross(p, q) + faceForward(u.a, p, q);
    out.view = axis * u.frame + select(p, q, p < q);
    return out;
}
