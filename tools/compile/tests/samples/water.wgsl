// A sea of eight waves: foam, water that absorbs light, a mirrored sky, the sun's glint, ripples.
struct Camera { projection: mat4x4f, viewMatrix: mat4x3f, worldMatrix: mat4x3f }
struct Waves {
    wavePhase: array<vec4f, 8>, // turns a unit along each axis; w: the phase of now
    waveMove: array<vec4f, 8>,  // displacement; w: part in the foam
    waveSlope: array<vec3f, 8>, // of the surface
}
struct Light { eyePos: vec3f, sunDir: vec4f, sunColor: vec3f, zenith: vec3f, horizon: vec3f }
struct Water {
    shallow: vec4f,             // w: absorption
    deep: vec4f,                // w: light through crests
    detail0: array<vec4f, 2>,   // rows of ripple coordinates; w: their drift
    detail1: array<vec4f, 2>,
    refraction: vec4f,          // scale, strength, fade by distance
    foam: vec4f,                // scale, offset, scale of the texture, opacity of the water
}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<uniform> waves: Waves;
@group(0) @binding(2) var<uniform> light: Light;
@group(0) @binding(3) var<uniform> water: Water;

// inside: depth of the ground, distance to the shore, height of the swell.
struct Vertex { @location(0) inpos: vec3f, @location(1) inside: vec3f }
struct Result {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0: vec3f,
    @location(2) texcoord1: vec2f,
    @location(3) texcoord2: vec2f,
    @location(4) view: vec3f,
    @location(5) normal: vec3f,
}

const TURN = 6.283185307;

// Two rows; the last column is a drift.
fn ripples(rows: array<vec4f, 2>, place: vec3f) -> vec2f {
    return vec2f(dot(rows[0], vec4f(place, 1.0)), dot(rows[1], vec4f(place, 1.0)));
}

@vertex
fn main(in: Vertex) -> Result {
    let calm = camera.worldMatrix * vec4f(in.inpos, 1.0);
    var place = calm;
    var slope = vec3f(0.0, 1.0, 0.0);
    var crests = 0.0;
    for (var i = 0; i < 8; i++) {
        let phase = TURN * dot(waves.wavePhase[i], vec4f(calm, 1.0));
        let lift = in.inside.z * sin(phase);
        let push = in.inside.z * cos(phase);
        let wave = vec3f(push, lift, push);
        place += wave * waves.waveMove[i].xyz;
        slope -= wave * waves.waveSlope[i];
        crests += lift * waves.waveMove[i].w;
    }
    let view = camera.viewMatrix * vec4f(place, 1.0);
    let position = camera.projection * vec4f(view, 1.0);
    let normal = normalize(slope);
    let toEye = light.eyePos - place;
    let eye = normalize(toEye);

    // Schlick's approximation of Fresnel's term; the sky along the mirrored ray.
    let facing = max(dot(normal, eye), 0.0);
    let fresnel = 0.02037 + 0.97963 * pow(1.0 - facing, 5.0);
    let ray = 2.0 * facing * normal - eye;
    var sky = mix(light.zenith, light.horizon, pow(1.0 - max(ray.y, 0.0), 4.0));
    sky += light.sunDir.w * pow(saturate(dot(light.sunDir.xyz, ray)), 64.0) * light.sunColor;

    // Light from the ground, and through crests between the eye and the sun.
    let height = place.y - calm.y;
    let crest = max(height, 0.0);
    let clear = exp2(-water.shallow.w * max(height + in.inside.x, 0.0));
    var body = mix(water.deep.rgb, water.shallow.rgb, clear);
    body += water.deep.w * max(dot(light.sunDir.xyz, -eye), 0.0) * crest * light.sunColor;

    // Foam on crests and along the shore.
    let shore = 0.25 / max(in.inside.y + crest, 0.02);
    let froth = saturate(max(crests * water.foam.x + water.foam.y, shore));
    let foam = froth * froth * (3.0 - 2.0 * froth);
    let color = saturate(mix(mix(body, sky, fresnel), vec3f(1.0), foam));

    let scale = water.foam.z * froth;
    let second = ripples(water.detail1, calm) + 0.02 * normal.xz;
    let fade = water.refraction.z * clear / (1.0 + length(toEye) * water.refraction.w);
    let screen = 0.5 + position.xy / position.w * water.refraction.xy;
    return Result(
        position,
        vec4f(color, max(max(1.0 - clear, fresnel), foam) * water.foam.w),
        vec3f(ripples(water.detail0, calm) + 0.02 * normal.xz, foam),
        second + second * scale,
        screen + normal.xz * fade,
        -view,
        camera.viewMatrix * vec4f(normal, 0.0),
    );
}
