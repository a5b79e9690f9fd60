#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in int kind;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Kinds { mat4 mvp; vec4 colors[4]; int mode; };

void main() {
    vec4 c = colors[0];
    switch (kind) {
        case 0:
            c = vec4(1.0, 0.0, 0.0, 1.0);
            break;
        case 1:
        case 2:
            c = colors[kind];
            if (position.x > 0.0) break;
            c *= 0.5;
            break;
        default:
            c = vec4(position, 1.0);
    }
    if (mode == 2) {
        c = c.bgra;
    }
    color = c;
    gl_Position = mvp * vec4(position, 1.0);
}
