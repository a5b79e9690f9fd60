#version 450
// Lamps with attenuation and Blinn's highlight, and the normal as a quaternion.
layout(location = 0) in vec3 inpos;
layout(location = 1) in vec3 innrm;
layout(location = 2) in vec4 incol;
layout(location = 0) out vec4 v_normalquat;
layout(location = 1) out vec4 v_color;
layout(location = 2) out vec3 v_view;
uniform mat4 projection, modelView;
uniform vec4 lampPos[3];
uniform vec4 lampColor[3];   // a: shininess
uniform vec4 attenuation[3]; // for (1, d, d^2, 1 / d)
uniform vec4 ambient;
uniform uint lampCount;
uniform bool lit;
uniform bool frame;

vec3 lamp(uint i, vec3 place, vec3 normal, vec3 view) {
    vec3 toLamp = lampPos[i].xyz - place;
    float square = max(dot(toLamp, toLamp), 0.00001);
    float inverse = inversesqrt(square);
    vec3 direction = toLamp * inverse;
    float diffuse = dot(direction, normal);
    if (diffuse <= 0.0) return vec3(0.0);
    float fall = dot(attenuation[i], vec4(1.0, square * inverse, square, inverse));
    float cosine = max(dot(normalize(direction + view), normal), 0.00001);
    return (diffuse + pow(cosine, lampColor[i].a)) / fall * lampColor[i].rgb;
}

void main() {
    vec4 eye = modelView * vec4(inpos, 1.0);
    vec3 normal = normalize(mat3(modelView) * innrm);
    vec3 view = normalize(-eye.xyz);
    vec3 light = ambient.rgb;
    if (lit) {
        for (uint i = 0; i < lampCount; i++) {
            light += lamp(i, eye.xyz, normal, view);
        }
    }
    v_color = vec4(min(incol.rgb * light, 1.0), incol.a);
    v_view = -eye.xyz;
    v_normalquat = vec4(0.0, 0.0, 0.0, 1.0);
    if (frame) {
        v_normalquat = normalize(vec4(-normal.y, normal.x, 0.0, max(1.0 + normal.z, 0.00001)));
    }
    gl_Position = projection * eye;
}
