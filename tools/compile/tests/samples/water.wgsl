// A sea of eight waves: surface, foam, mixed colors of sky and water, the sun's glint, and
// three sets of texture coordinates.
struct Scene { projection: mat4x4f, viewMatrix: mat4x3f, worldMatrix: mat4x3f }
struct Sea {
    wavePhase: array<vec4f, 8>, // turns per meter, w: phase
    waveMove: array<vec4f, 8>,  // displacement, w: part in the foam
    waveSlope: array<vec4f, 8>,
    eyePos: vec4f,
    sunDir: vec4f,              // w: strength of the glint
    sunColor: vec4f,
    zenith: vec4f,
    horizon: vec4f,
    shallow: vec4f,             // w: absorption
    deep: vec4f,                // w: light through crests
    detail0: array<vec4f, 2>,
    detail1: array<vec4f, 2>,
    refraction: vec4f,          // scale, strength, fade
    foam: vec4f,                // scale, offset, scale of the texture, opacity
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> sea: Sea;

struct Result {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0: vec3f,
    @location(2) texcoord1: vec2f,
    @location(3) texcoord2: vec2f,
    @location(4) view: vec3f,
    @location(5) quaternion: vec4f,
}

fn fourth(x: f32) -> f32 {
    return x * x * x * x;
}

@vertex
fn main(@location(0) inpos: vec3f, @location(1) inside: vec3f) -> Result {
    let calm = scene.worldMatrix * vec4f(inpos, 1.0);
    var place = calm;
    var slope = vec3f(0.0, 1.0, 0.0);
    var crest = 0.0;
    for (var i = 0; i < 8; i += 4) {
        let turns = vec4f(
            dot(sea.wavePhase[i], vec4f(calm, 1.0)),
            dot(sea.wavePhase[i + 1], vec4f(calm, 1.0)),
            dot(sea.wavePhase[i + 2], vec4f(calm, 1.0)),
            dot(sea.wavePhase[i + 3], vec4f(calm, 1.0)),
        );
        // The swell grows out at sea.
        let s = sin(6.283185307 * turns) * inside.z;
        let c = cos(6.283185307 * turns) * inside.z;
        for (var j = 0; j < 4; j++) {
            let wave = vec3f(c[j], s[j], c[j]);
            place += wave * sea.waveMove[i + j].xyz;
            slope -= wave * sea.waveSlope[i + j].xyz;
            crest += sea.waveMove[i + j].w * s[j];
        }
    }
    let seen = scene.viewMatrix * vec4f(place, 1.0);
    var out: Result;
    out.position = scene.projection * vec4f(seen, 1.0);
    out.view = -seen;

    let normal = normalize(slope);
    let to_eye = sea.eyePos.xyz - place;
    let far = length(to_eye);
    let eye = to_eye / far;
    let cosine = max(dot(normal, eye), 0.0);
    let fresnel = 0.02037 + 0.97963 * fourth(1.0 - cosine) * (1.0 - cosine);
    let mirrored = 2.0 * cosine * normal - eye;
    let up = 1.0 - max(mirrored.y, 0.0);
    let glint = pow(saturate(dot(sea.sunDir.xyz, mirrored)), 64.0) * sea.sunDir.w;
    let sky = mix(sea.zenith.rgb, sea.horizon.rgb, fourth(up)) + glint * sea.sunColor.rgb;

    // Light that comes back from the ground, and through crests before the sun.
    let height = place.y - calm.y;
    let clear = exp2(-max(height + inside.x, 0.0) * sea.shallow.w);
    let through = max(dot(sea.sunDir.xyz, -eye), 0.0) * max(height, 0.0) * sea.deep.w;
    let below = mix(sea.deep.rgb, sea.shallow.rgb, clear) + through * sea.sunColor.rgb;

    let surf = 0.25 / max(inside.y + max(height, 0.0), 0.02);
    let foam = saturate(max(crest * sea.foam.x + sea.foam.y, surf));
    let white = foam * foam * (3.0 - 2.0 * foam);
    let color = mix(mix(below, sky, fresnel), vec3f(1.0), white);
    let opacity = max(max(1.0 - clear, fresnel), white) * sea.foam.w;
    out.color = vec4f(clamp(color, vec3f(0.0), vec3f(1.0)), opacity);

    // Two ripple textures drift, pushed by the slope; the third shines through from below.
    let push = normal.xz * 0.02;
    let drift0 = vec2f(dot(sea.detail0[0].xyz, calm), dot(sea.detail0[1].xyz, calm));
    let drift1 = vec2f(dot(sea.detail1[0].xyz, calm), dot(sea.detail1[1].xyz, calm));
    out.texcoord0 = vec3f(drift0 + vec2f(sea.detail0[0].w, sea.detail0[1].w) + push, white);
    let ripples = drift1 + vec2f(sea.detail1[0].w, sea.detail1[1].w) + push;
    out.texcoord1 = ripples * (1.0 + sea.foam.z * foam);
    let distortion = sea.refraction.z * clear / (1.0 + far * sea.refraction.w);
    out.texcoord2 = normal.xz * distortion + 0.5 + sea.refraction.xy * out.position.xy / out.position.w;

    let n = (scene.viewMatrix * vec4f(normal, 0.0));
    out.quaternion = normalize(vec4f(-n.y, n.x, 0.0, max(1.0 + n.z, 0.0001)));
    return out;
}
