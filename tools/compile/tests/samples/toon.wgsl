// Cel shading of a character with one bone a vertex: bands of light, a sharp highlight, a rim,
// hatching, and a pass that draws the outline.
struct Scene { projection: mat4x4f, viewMatrix: mat4x3f, matrices: array<mat4x3f, 20> }
struct Style {
    lightDir: vec4f,      // w: wrap
    lightColor: vec4f,
    shadowColor: vec4f,
    bandEdge: vec4f,      // three thresholds, w: softness of the first
    bandLevel: vec4f,
    gloss: vec4f,         // power, threshold, strength, sharpness
    rim: vec4f,           // w: power
    outline: vec4f,       // w: width
    outlineFar: vec4f,    // slope and offset over distance, least, greatest
    hatch: vec4f,         // scale, sharpness, octave
    nearFade: vec4f,      // from, to, least, opacity
    outlinePass: u32,
    hatched: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> style: Style;

struct Vertex {
    @location(0) inpos: vec3f,
    @location(1) innrm: vec3f,
    @location(2) incol: vec4f,
    @location(3) inuv: vec3f,
}
struct Result {
    @builtin(position) position: vec4f,
    @location(0) quaternion: vec4f,
    @location(1) color: vec4f,
    @location(2) texcoord0: vec2f,
    @location(3) texcoord1: vec2f,
    @location(4) texcoord2: vec2f,
    @location(5) view: vec3f,
}

fn level(light: f32) -> f32 {
    if light >= style.bandEdge.z {
        return style.bandLevel.w;
    }
    if light >= style.bandEdge.y {
        return style.bandLevel.z;
    }
    if light >= style.bandEdge.x {
        return style.bandLevel.y;
    }
    return max((light - style.bandEdge.x) / style.bandEdge.w + 1.0, 0.0) * style.bandLevel.x;
}

@vertex
fn main(in: Vertex) -> Result {
    let bone = scene.matrices[u32(in.inuv.z)];
    let world = bone * vec4f(in.inpos, 1.0);
    var place = scene.viewMatrix * vec4f(world, 1.0);
    let turned = (scene.viewMatrix * vec4f((bone * vec4f(in.innrm, 0.0)), 0.0));
    let normal = turned * inverseSqrt(max(dot(turned, turned), 0.00001));
    let far = length(place);
    let eye = -place / far;

    var out: Result;
    out.view = -place;
    out.texcoord0 = in.inuv.xy;
    out.texcoord1 = vec2f(0.0);
    out.texcoord2 = vec2f(0.0);
    out.quaternion = vec4f(0.0, 0.0, 0.0, 1.0);
    let fade = (far - style.nearFade.x) / (style.nearFade.y - style.nearFade.x);
    out.color.a = clamp(fade, style.nearFade.z, 1.0) * style.nearFade.w;

    if style.outlinePass != 0 {
        let scale = clamp(far * style.outlineFar.x + style.outlineFar.y, style.outlineFar.z, style.outlineFar.w);
        place += normal * style.outline.w * scale * in.incol.a;
        out.color = vec4f(clamp(style.outline.rgb, vec3f(0.0), vec3f(1.0)), out.color.a);
    } else {
        let light = saturate((dot(normal, style.lightDir.xyz) + style.lightDir.w) / (1.0 + style.lightDir.w));
        let bright = level(light);
        var color = mix(style.shadowColor.rgb, style.lightColor.rgb, bright) * in.incol.rgb;
        // Shadows lose a little of their color.
        let gray = dot(color, vec3f(0.299, 0.587, 0.114));
        color = mix(color, vec3f(gray), (1.0 - bright) * 0.35);

        let halfway = style.lightDir.xyz + eye;
        let cosine = dot(halfway, normal) * inverseSqrt(max(dot(halfway, halfway), 0.00001));
        let shine = pow(max(cosine, 0.00001), style.gloss.x);
        color += saturate((shine - style.gloss.y) * style.gloss.w + 0.5) * style.gloss.z * style.lightColor.rgb;

        var edge = pow(max(1.0 - max(dot(normal, eye), 0.0), 0.00001), style.rim.w);
        if !(light > 0.0 && bright > 0.5) {
            edge *= 0.25;
        }
        color += edge * style.rim.rgb;
        out.color = vec4f(clamp(color, vec3f(0.0), vec3f(1.0)), out.color.a);
        out.texcoord1 = vec2f(light, edge);

        if style.hatched != 0 {
            let octave = floor(log2(far) - style.hatch.z);
            out.texcoord2 = in.inpos.xy * exp2(-octave) * style.hatch.x;
        }
        if normal.z >= 0.0 {
            out.quaternion = normalize(vec4f(-normal.y, normal.x, 0.0, 1.0 + normal.z));
        } else {
            out.quaternion = normalize(vec4f(1.0 - normal.z, 0.0, normal.x, -normal.y));
        }
    }
    out.position = scene.projection * vec4f(place, 1.0);
    return out;
}
