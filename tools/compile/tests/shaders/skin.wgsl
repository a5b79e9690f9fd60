// Four bones a vertex from an array of matrices of three rows.
struct Bones { bones: array<mat4x3<f32>, 20> }
struct Frame { view_projection: mat4x4<f32> }
@group(0) @binding(0) var<uniform> skin: Bones;
@group(0) @binding(1) var<uniform> frame: Frame;

struct In {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) joints: vec4<u32>,
    @location(3) weights: vec4f,
}
struct Out { @builtin(position) position: vec4f, @location(0) normal: vec3f }

@vertex
fn skinned(in: In) -> Out {
    var position = vec3f(0.0);
    var normal = vec3f(0.0);
    for (var i = 0; i < 4; i++) {
        let bone = skin.bones[in.joints[i]];
        position += (bone * vec4f(in.position, 1.0)) * in.weights[i];
        normal += (bone * vec4f(in.normal, 0.0)) * in.weights[i];
    }
    var out: Out;
    out.position = frame.view_projection * vec4f(position, 1.0);
    out.normal = normalize(normal);
    return out;
}
