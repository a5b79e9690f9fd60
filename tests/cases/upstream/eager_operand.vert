// naga's GLSL reader computes the right operand of `&&` and `||` at all times: g becomes 1, not 0.
#version 450
float g = 0.0;
bool side() { g += 1.0; return true; }
void main() {
    bool t = g > 0.0 && side();
    gl_Position = vec4(g);
}
