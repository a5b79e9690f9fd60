#version 450
// Grass: the tips move, the roots stay.
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec2 v_texcoord;
layout(location = 1) out vec4 v_color;
layout(set = 0, binding = 0) uniform Wind { mat4 mvp; vec2 direction; float time; float strength; };

void main() {
    vec3 p = position;
    if (uv.y > 0.1) {
        float sway = sin(time + p.x * 0.5 + p.z) * strength * uv.y;
        p.xz += direction * sway;
    }
    v_texcoord = uv;
    v_color = vec4(vec3(0.5 + 0.5 * uv.y), 1.0);
    gl_Position = mvp * vec4(p, 1.0);
}
