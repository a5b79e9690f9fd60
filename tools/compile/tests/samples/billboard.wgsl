// Sprites that face the camera, with frames of a flip book and tints.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Book {
    frames: array<vec4f, 16>, // corner and size in the atlas
    tints: array<vec4f, 8>,
    clock: vec4f,             // frames since the start, frames of the book, 1 / frames
    fade: vec4f,              // 1 / depth, offset
    upright: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> book: Book;

struct Vertex { @location(0) inpos: vec3f, @location(1) corner: vec4f, @location(2) kind: vec2f }
struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) texcoord0: vec2f }

@vertex
fn main(in: Vertex) -> Result {
    var place = scene.modelView * vec4f(in.inpos, 1.0);
    var offset = in.corner.xy * in.corner.z;
    if book.upright == 0 {
        // Cosine and sine from the tangent of half the angle.
        let t = in.corner.w;
        let c = (1.0 - t * t) / (1.0 + t * t);
        let s = 2.0 * t / (1.0 + t * t);
        offset = vec2f(offset.x * c - offset.y * s, offset.y * c + offset.x * s);
    }
    place += vec4f(offset, 0.0, 0.0);
    let count = book.clock.x + in.kind.x;
    let frame = book.frames[u32(count - floor(count * book.clock.z) * book.clock.y)];
    let tint = book.tints[u32(clamp(in.kind.y, 0.0, 7.0))];
    var out: Result;
    out.position = scene.projection * place;
    out.texcoord0 = frame.xy + (0.5 + 0.5 * in.corner.xy) * frame.zw;
    out.color = vec4f(tint.rgb, tint.a * saturate(-place.z * book.fade.x + book.fade.y));
    return out;
}
