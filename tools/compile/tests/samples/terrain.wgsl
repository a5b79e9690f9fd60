// A landscape in levels of detail, with four textures that blend by height.
struct Scene { projection: mat4x4f, modelView: mat4x4f }
struct Ground {
    patchBox: vec4f,  // corner, size of a cell, vertical step
    melt: vec4f,      // slope and offset of the transition to the coarser level
    bands: vec4f,
    bandSlope: vec4f,
    sun: vec4f,       // w: ambient light
    fogRange: vec4f,  // slope and offset
    materials: array<vec4f, 24>,
    flat: u32,
    far: u32,
}
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> ground: Ground;

struct Result {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0: vec3f,
    @location(2) texcoord1: vec2f,
}

@vertex
fn main(@location(0) incell: vec4f, @location(1) innrm: vec4f) -> Result {
    let corner = incell.xy * ground.patchBox.z + ground.patchBox.xy;
    var place = vec4f(corner.x, incell.z * ground.patchBox.w, corner.y, 1.0);
    let depth = -(scene.modelView * place).z;
    let coarse = saturate(depth * ground.melt.x + ground.melt.y);
    place.y += (incell.w - incell.z) * coarse * ground.patchBox.w;
    let eye = scene.modelView * place;
    var out: Result;
    out.position = scene.projection * eye;
    let fog = saturate(-eye.z * ground.fogRange.x + ground.fogRange.y);
    out.texcoord0 = vec3f(place.xz * 0.125, fog);
    out.texcoord1 = place.xz * 0.03125;
    if ground.far != 0 {
        out.color = vec4f(ground.materials[0].rgb, 1.0);
        return out;
    }
    let above = saturate((place.y - ground.bands) * ground.bandSlope);
    let weights = vec4f(above.xyz - above.yzw, above.w);
    let material = ground.materials[u32(innrm.w)].rgb;
    if ground.flat != 0 {
        out.color = vec4f(material, dot(weights, vec4f(1.0)));
        return out;
    }
    let up = sqrt(max(1.0 - dot(innrm.xy, innrm.xy), 0.00001));
    let light = max(dot(ground.sun.xyz, vec3f(innrm.x, up, innrm.y)), 0.0) + ground.sun.w;
    out.color = vec4f(material * min(light, 1.0), dot(weights, vec4f(1.0)));
    return out;
}
