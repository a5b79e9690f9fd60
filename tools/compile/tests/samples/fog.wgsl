// Fog that gets denser in layers, coordinates of a sphere map, and a polynomial of the normal.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Fog { layers: array<vec4f, 8>, fogColor: vec4f, layerCount: u32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> fog: Fog;

struct Result {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0: vec3f,
    @location(2) texcoord1: vec2f,
}

@vertex
fn main(@location(0) inpos: vec3f, @location(1) innrm: vec3f) -> Result {
    let eye = scene.modelView * vec4f(inpos, 1.0);
    var density = 0.0;
    for (var i = 0u; i < fog.layerCount; i++) {
        if fog.layers[i].x > -eye.z {
            break;
        }
        density = fog.layers[i].y;
    }
    let amount = min(exp(density * eye.z), 1.0);
    let normal = (scene.modelView * vec4f(innrm, 0.0)).xyz;
    let shifted = vec3f(normal.xy + 1.0, normal.z);
    let powers = vec4f(1.0, 4.0 * shifted.y * shifted.y * shifted.y, 0.25, 1.0);
    var out: Result;
    out.position = scene.projection * eye;
    out.color = vec4f(fog.fogColor.rgb * amount, pow(amount, 0.25));
    out.texcoord0 = vec3f(0.5 * shifted.xy, normal.z);
    out.texcoord1 = vec2f(dot(vec4f(shifted, 1.0), powers), dot(vec4f(2.0, 4.0, 0.25, 1.0), powers));
    return out;
}
