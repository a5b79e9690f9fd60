#version 120
// A switch whose default stands first, and a while loop.
attribute vec4 a_position;
attribute vec4 a_color;
attribute float a_kind;
varying vec4 v_color;
uniform mat4 u_mvp;
uniform float u_offsets[3];
uniform int u_octaves;

float sway(float x) {
    float sum = 0.0;
    int octave = 0;
    while (octave < u_octaves) {
        sum += x * u_offsets[0];
        octave++;
    }
    return sum;
}

void main() {
    vec4 color = a_color;
    switch (int(a_kind)) {
        default:
            color.a = 0.5;
            break;
        case 0:
            color.rgb *= 0.5;
        case 1:
            color.r = u_offsets[1];
            break;
    }
    v_color = color;
    gl_Position = u_mvp * (a_position + vec4(sway(a_position.y), 0.0, 0.0, 0.0));
}
