#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec4 color;
layout(location = 1) out vec3 view;
layout(set = 0, binding = 0) uniform Rim { mat4 model; mat4 viewProjection; vec3 eye; float power; vec4 rim; vec4 base; };

void main() {
    vec4 world = model * vec4(position, 1.0);
    vec3 n = normalize(mat3(model) * normal);
    vec3 v = normalize(eye - world.xyz);
    float amount = pow(1.0 - max(dot(n, v), 0.0), power);
    color = mix(base, rim, amount);
    view = v;
    gl_Position = viewProjection * world;
}
