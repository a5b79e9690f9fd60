// Reflections without a cube map unit: the mirrored ray picks one of six faces in one texture.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Mirror { world: mat3x3f, tint: vec4f, glossy: u32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> mirror: Mirror;

struct Vertex { @location(0) inpos: vec3f, @location(1) innrm: vec3f, @location(2) incol: vec4f }
struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) texcoord0: vec2f }

// Place on the face of the cube, and the corner of the face in the texture.
fn face(ray: vec3f) -> vec4f {
    let size = abs(ray);
    if size.x >= size.y && size.x >= size.z {
        if ray.x > 0.0 {
            return vec4f(vec2f(-ray.z, -ray.y) / size.x, 0.0, 0.0);
        }
        return vec4f(vec2f(ray.z, -ray.y) / size.x, 0.3333, 0.0);
    }
    if size.y >= size.z {
        if ray.y > 0.0 {
            return vec4f(vec2f(ray.x, ray.z) / size.y, 0.6666, 0.0);
        }
        return vec4f(vec2f(ray.x, -ray.z) / size.y, 0.0, 0.5);
    }
    if ray.z > 0.0 {
        return vec4f(vec2f(ray.x, -ray.y) / size.z, 0.3333, 0.5);
    }
    return vec4f(vec2f(-ray.x, -ray.y) / size.z, 0.6666, 0.5);
}

@vertex
fn main(in: Vertex) -> Result {
    let place = scene.modelView * vec4f(in.inpos, 1.0);
    let normal = normalize((scene.modelView * vec4f(in.innrm, 0.0)).xyz);
    let view = normalize(-place.xyz);
    let cosine = dot(normal, view);
    let found = face(mirror.world * (2.0 * cosine * normal - view));
    var strength = 1.0;
    if mirror.glossy == 0 {
        strength = 1.0 - max(cosine, 0.0);
    }
    var out: Result;
    out.position = scene.projection * place;
    out.color = vec4f(in.incol.rgb, mirror.tint.a * strength);
    out.texcoord0 = (found.xy + 1.0) * vec2f(0.16666, 0.25) + found.zw;
    return out;
}
