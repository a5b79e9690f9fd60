#version 450
struct Light { vec4 position; vec4 color; };
layout(location = 0) in vec4 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec4 v_color;
layout(set = 0, binding = 0) uniform Scene { mat4 view; mat4 projection; Light lights[8]; vec4 ambient; int count; };

vec3 shade(Light light, vec3 p, vec3 n) {
    vec3 d = light.position.xyz - p * light.position.w;
    return max(dot(n, normalize(d)), 0.0) * light.color.rgb;
}

void main() {
    vec4 p = view * position;
    vec3 n = mat3(view) * normal;
    vec3 sum = ambient.rgb;
    for (int i = 0; i < count; i++) {
        sum += shade(lights[i], p.xyz, n);
    }
    v_color = vec4(clamp(sum, 0.0, 1.0), ambient.a);
    gl_Position = projection * p;
}
