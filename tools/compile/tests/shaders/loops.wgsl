// Rounds that constants count, too many to unroll, with an exit; an inner loop that is unrolled.
struct Uniforms { mvp: mat4x4<f32>, offsets: array<vec4f, 24>, limit: f32 }
@group(0) @binding(0) var<uniform> u: Uniforms;

struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }

fn total(p: vec3f) -> vec4f {
    var sum = vec4f(0.0);
    for (var i = 0; i < 24; i++) {
        let d = u.offsets[i] - vec4f(p, 1.0);
        var weight = 1.0;
        for (var k = 0; k < 3; k++) {
            weight *= 0.5 + abs(d[k]);
        }
        sum += d * weight;
        if sum.x > u.limit {
            break;
        }
        if sum.y > 3.0 {
            return sum * 0.5;
        }
    }
    return sum;
}

@vertex
fn main(@location(0) p: vec3f) -> Out {
    return Out(u.mvp * vec4f(p, 1.0), total(p));
}
