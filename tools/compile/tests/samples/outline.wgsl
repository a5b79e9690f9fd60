// Ink outlines: the model blown up along its normals, in model space or on the screen.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Pen {
    ink: vec4f,    // w: width
    screen: vec4f, // 2 / size in pixels
    constantWidth: u32,
    wobble: u32,
    hidden: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> pen: Pen;

struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f }

fn random(place: vec3f) -> f32 {
    return fract(dot(place, vec3f(12.9898, 78.233, 37.719)));
}

@vertex
fn main(@location(0) inpos: vec3f, @location(1) innrm: vec3f) -> Result {
    if pen.hidden != 0 {
        return Result(vec4f(2.0, 2.0, 2.0, 1.0), vec4f(0.0));
    }
    var width = pen.ink.w;
    if pen.wobble != 0 {
        width *= 0.5 + random(inpos);
    }
    var position: vec4f;
    if pen.constantWidth != 0 {
        position = scene.projection * scene.modelView * vec4f(inpos, 1.0);
        let normal = (scene.modelView * vec4f(innrm, 0.0)).xy;
        let unit = normal * inverseSqrt(max(dot(normal, normal), 0.00001));
        position += vec4f(unit * pen.screen.xy * width * position.w, 0.0, 0.0);
    } else {
        position = scene.projection * scene.modelView * vec4f(inpos + innrm * width, 1.0);
    }
    return Result(position, vec4f(pen.ink.rgb, 1.0));
}
