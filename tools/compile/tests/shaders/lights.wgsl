// Lights by a loop that the host counts.
struct Light { position: vec3f, range: f32, color: vec3f, specular: f32 }
struct Lights { lights: array<Light, 4>, count: i32 }
struct Matrices { projection: mat4x4<f32>, view: mat4x4<f32>, model: mat4x4<f32> }
@group(0) @binding(0) var<uniform> all: Lights;
@group(0) @binding(1) var<uniform> m: Matrices;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex
fn main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) color: vec4f) -> Out {
    let eye = (m.view * m.model * vec4f(position, 1.0)).xyz;
    let n = normalize((m.view * m.model * vec4f(normal, 0.0)).xyz);
    let v = normalize(-eye);
    var sum = vec3f(0.1);
    for (var i = 0; i < all.count; i++) {
        let light = all.lights[i];
        let to_light = light.position - eye;
        let distance = length(to_light);
        if distance > light.range {
            continue;
        }
        let l = to_light / distance;
        let h = normalize(l + v);
        let specular = pow(max(dot(n, h), 0.0), 16.0) * light.specular;
        sum += (max(dot(n, l), 0.0) * color.rgb + specular) * light.color;
    }
    return Out(m.projection * vec4f(eye, 1.0), vec4f(min(sum, vec3f(1.0)), color.a));
}
