#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec2 uv2;
layout(location = 0) out vec2 texcoord0;
layout(location = 1) out vec2 texcoord1;
layout(set = 0, binding = 0) uniform Matrices { mat4 mvp; vec4 transform; };

void main() {
    texcoord0 = uv;
    texcoord1 = uv2 * transform.xy + transform.zw;
    gl_Position = mvp * vec4(position, 1.0);
}
