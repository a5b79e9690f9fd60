// Exponential fog, linear fog or none, as a switch of the host says.
struct Fog { color: vec4f, density: f32, near: f32, far: f32, kind: i32 }
struct Matrices { projection: mat4x4<f32>, model_view: mat4x4<f32> }
@group(0) @binding(0) var<uniform> fog: Fog;
@group(0) @binding(1) var<uniform> m: Matrices;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

fn visibility(distance: f32) -> f32 {
    switch fog.kind {
        case 0: { return 1.0; }
        case 1: { return clamp((fog.far - distance) / (fog.far - fog.near), 0.0, 1.0); }
        case 2: { return exp2(-fog.density * distance); }
        default: {
            let d = fog.density * distance;
            return exp(-d * d);
        }
    }
}

@vertex
fn main(@location(0) position: vec3f, @location(1) color: vec4f) -> Out {
    let eye = m.model_view * vec4f(position, 1.0);
    let visible = visibility(length(eye.xyz));
    return Out(m.projection * eye, mix(fog.color, color, visible));
}
