#version 450
// Privates and out parameters: a bent tube.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Tube { mat4 mvp; float bend; };
vec3 center;

void turn(float amount, out vec2 pair, inout float rest) {
    pair = vec2(cos(amount), sin(amount));
    rest *= pair.x;
}

void main() {
    center = vec3(0.0, position.y, 0.0);
    vec2 pair;
    float rest = position.z;
    turn(position.y * bend, pair, rest);
    vec3 p = center + vec3(position.x * pair.x - position.z * pair.y, position.x * pair.y, rest);
    color = tint;
    gl_Position = mvp * vec4(p, 1.0);
}
