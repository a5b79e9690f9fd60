#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 uv;
layout(location = 2) in float frame;
layout(location = 0) out vec2 v_uv;
layout(set = 0, binding = 0) uniform Sheet { mat4 projection; vec2 grid; };

void main() {
    float column = mod(frame, grid.x);
    float row = floor(frame / grid.x);
    v_uv = (uv + vec2(column, row)) / grid;
    gl_Position = projection * vec4(position, 0.0, 1.0);
}
