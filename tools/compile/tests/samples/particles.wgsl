// Sparks that fall and bounce, computed from their birth for every frame.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Sparks {
    time: vec4f,             // now, length of a step, most steps, life
    gravity: vec4f,          // w: drag
    walls: array<vec4f, 4>,
    heat: array<vec4f, 5>,
    size: vec4f,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> sparks: Sparks;

struct Result { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) texcoord0: vec2f }

@vertex
fn main(@location(0) inpos: vec4f, @location(1) invel: vec4f) -> Result {
    let age = sparks.time.x - inpos.w;
    if age > sparks.time.w {
        return Result(vec4f(64.0, 64.0, 64.0, 1.0), vec4f(0.0), vec2f(0.0));
    }
    let step = sparks.time.y;
    let steps = min(max(floor(age / step), 1.0), min(sparks.time.z, 64.0));
    var place = inpos.xyz;
    var velocity = invel.xyz;
    for (var i = 0; i < 64; i++) {
        if f32(i) >= steps {
            break;
        }
        velocity += sparks.gravity.xyz * step;
        velocity -= velocity * (sparks.gravity.w * step);
        place += velocity * step;
        if place.y < 0.0 {
            velocity *= vec3f(0.8, -0.5, 0.8);
            place.y = 0.0;
        }
    }
    for (var i = 0; i < 4; i++) {
        let wall = sparks.walls[i];
        let beyond = dot(wall, vec4f(place, 1.0));
        if beyond < 0.0 {
            place -= beyond * wall.xyz;
            break;
        }
    }
    let warmth = saturate(age / sparks.time.w) * 3.0;
    let first = u32(warmth);
    var out: Result;
    out.position = scene.projection * scene.modelView * vec4f(place, 1.0);
    out.color = mix(sparks.heat[first], sparks.heat[first + 1], fract(warmth));
    out.texcoord0 = sparks.size.xy * invel.w;
    return out;
}
