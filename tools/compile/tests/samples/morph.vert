#version 450
// A face of a neutral shape and four expressions.
layout(location = 0) in vec3 inpos;
layout(location = 1) in vec3 innrm;
layout(location = 2) in vec3 smiling;
layout(location = 3) in vec3 frowning;
layout(location = 4) in vec3 blinking;
layout(location = 5) in vec3 talking;
layout(location = 6) in vec2 inuv;
layout(location = 0) out vec4 v_color;
layout(location = 1) out vec2 v_texcoord0;
layout(location = 2) out vec3 v_view;
uniform mat4 projection, modelView;
uniform vec4 weights;
uniform vec4 skinColor;
uniform vec4 blush;
uniform vec4 lightDir;
uniform bool smile;
uniform bool frown;
uniform bool still;
uniform bool talk;

void main() {
    vec4 parts = clamp(weights, 0.0, 1.0);
    vec3 place = inpos;
    if (smile) place += parts.x * smiling;
    if (frown) place += parts.y * frowning;
    if (!still) place += parts.z * blinking;
    if (talk) place += parts.w * talking;
    vec4 eye = modelView * vec4(place, 1.0);
    vec3 normal = normalize(mat3(modelView) * innrm);
    float light = 0.5 * max(dot(normal, lightDir.xyz), 0.0) + lightDir.w;
    v_color = vec4(min((skinColor.rgb + blush.rgb * parts.x) * light, 1.0), 1.0);
    v_texcoord0 = inuv;
    v_view = -eye.xyz;
    gl_Position = projection * eye;
}
