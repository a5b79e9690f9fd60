#version 450
// Transform, a scaled texture coordinate and a vertex color of bytes.
layout(location = 0) in vec3 inpos;
layout(location = 1) in vec2 inuv;
layout(location = 2) in vec4 incol;
layout(location = 0) out vec4 v_color;
layout(location = 1) out vec2 v_texcoord0;
layout(set = 0, binding = 0) uniform Scene { mat4 projection; mat4 modelView; vec4 texScale; };

void main() {
    gl_Position = projection * modelView * vec4(inpos, 1.0);
    v_texcoord0 = inuv * texScale.xy;
    v_color = incol;
}
