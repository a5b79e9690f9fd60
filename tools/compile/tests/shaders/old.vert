#version 120
// GLSL of OpenGL 2: attributes, varyings, uniforms outside of blocks.
attribute vec3 position;
attribute vec3 normal;
attribute vec2 texcoord;
varying vec4 v_color;
varying vec2 v_texcoord;
uniform mat4 modelview, projection;
uniform vec3 light;
uniform bool lit;
uniform vec4 ambient;

void main()
{
    vec4 eye = modelview * vec4(position, 1.0);
    v_texcoord = texcoord;
    v_color = ambient;
    if (lit) {
        v_color += max(dot(normal, light), 0.0);
    }
    gl_Position = projection * eye;
}
