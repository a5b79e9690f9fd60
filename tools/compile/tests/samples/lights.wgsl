// Diffuse and specular light of as many lights as the host counts.
struct Scene { projection: mat4x4f, modelView: mat4x4f, normalMatrix: mat3x3f }
struct Lights {
    lightDir: array<vec4f, 8>,
    lightColor: array<vec4f, 8>,
    ambient: vec4f,
    material: vec4f,
    eye: vec4f,
    lightCount: u32,
    useSpecular: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> lights: Lights;

struct Vertex { @location(0) inpos: vec3f, @location(1) innrm: vec3f }
struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) view: vec3f }

@vertex
fn main(in: Vertex) -> Result {
    let place = scene.modelView * vec4f(in.inpos, 1.0);
    let normal = normalize(scene.normalMatrix * in.innrm);
    let view = lights.eye.xyz - place.xyz;
    var light = lights.ambient.rgb;
    for (var i = 0u; i < lights.lightCount; i++) {
        let toLight = lights.lightDir[i].xyz;
        let color = lights.lightColor[i].rgb;
        let diffuse = max(dot(toLight, normal), 0.0);
        light += diffuse * color;
        if diffuse > 0.0 && lights.useSpecular != 0 {
            let halfway = normalize(toLight + view);
            light += pow(max(dot(halfway, normal), 0.0), 16.0) * color;
        }
    }
    var out: Result;
    out.position = scene.projection * place;
    out.color = vec4f(min(light * lights.material.rgb, vec3f(1.0)), lights.material.a);
    out.view = view;
    return out;
}
