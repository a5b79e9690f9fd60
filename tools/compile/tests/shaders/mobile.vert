#version 300 es
precision highp float;
in vec4 a_position;
in vec2 a_texcoord;
in lowp vec4 a_color;
out vec2 v_texcoord;
out lowp vec4 v_color;
layout(std140) uniform Camera {
    mat4 view_projection;
    vec2 scroll;
};
uniform mediump float time;

void main() {
    v_texcoord = a_texcoord + scroll * time;
    v_color = a_color;
    gl_Position = view_projection * a_position;
}
