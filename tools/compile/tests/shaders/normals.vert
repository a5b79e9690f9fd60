#version 450
// The inverse of the model matrix for each vertex, as teaching shaders have it.
layout(location = 0) in vec3 aPos;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec2 aTexCoords;
layout(location = 0) out vec3 normal;
layout(location = 1) out vec2 TexCoords;
layout(set = 0, binding = 0) uniform Matrices { mat4 model; mat4 view; mat4 projection; } m;

void main() {
    normal = normalize(mat3(transpose(inverse(m.model))) * aNormal);
    TexCoords = aTexCoords;
    gl_Position = m.projection * m.view * m.model * vec4(aPos, 1.0);
}
