#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in ivec4 bones;
layout(location = 2) in vec4 weights;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Skin { mat4 bone[20]; mat4 projection; };

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
        sum += bone[bones[i]] * vec4(position, 1.0) * weights[i];
    }
    color = weights;
    gl_Position = projection * sum;
}
