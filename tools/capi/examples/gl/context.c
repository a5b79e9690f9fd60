#include "context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <string.h>

Functions gl;

static bool fail(const char *what) {
    fprintf(stderr, "%s; on Debian: sudo apt-get install -y libegl1 libegl-mesa0 libgl1-mesa-dri\n", what);
    return false;
}

// C does not convert a pointer to a function to one to an object, nor between types of functions without a cast.
static bool load(void *function, const char *name) {
    void (*const found)(void) = eglGetProcAddress(name);
    memcpy(function, &found, sizeof found);
    return found != NULL || fail(name);
}

static bool make_target(void) {
    GLuint frame, buffers[2], array;
    gl.GenFramebuffers(1, &frame);
    gl.BindFramebuffer(GL_FRAMEBUFFER, frame);
    gl.GenRenderbuffers(2, buffers);
    const GLenum formats[2] = {GL_RGBA8, GL_DEPTH_COMPONENT32F}, places[2] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
    for (int n = 0; n < 2; n++) {
        gl.BindRenderbuffer(GL_RENDERBUFFER, buffers[n]);
        gl.RenderbufferStorage(GL_RENDERBUFFER, formats[n], WIDTH, HEIGHT);
        gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, places[n], GL_RENDERBUFFER, buffers[n]);
    }
    gl.GenVertexArrays(1, &array);
    gl.BindVertexArray(array);
    gl.Viewport(0, 0, WIDTH, HEIGHT);
    // The console's near plane is at depth 1.
    gl.Enable(GL_DEPTH_TEST);
    gl.DepthFunc(GL_GREATER);
    gl.ClearDepth(0.0);
    gl.ClearColor(0.05f, 0.07f, 0.12f, 1.0f);
    return gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE || fail("no target");
}

bool context_open(void) {
    const EGLint no_surface[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    EGLConfig config;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, no_surface, &config, 1, &count) || count == 0) {
        return fail("no display of EGL without a surface");
    }
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        return fail("no context of OpenGL 3.3");
    }
#define LOAD(TYPE, name) load(&gl.name, "gl" #name) &&
    return FUNCTIONS(LOAD) make_target();
#undef LOAD
}

static GLuint compile(GLenum kind, const char *const *texts, GLsizei count) {
    const GLuint shader = gl.CreateShader(kind);
    GLint compiled = 0;
    char log[4096];
    gl.ShaderSource(shader, count, texts, NULL);
    gl.CompileShader(shader);
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        gl.GetShaderInfoLog(shader, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
    }
    return shader;
}

GLuint context_link(const char *const *vertex, GLsizei count, const char *fragment) {
    const GLuint shaders[2] = {compile(GL_VERTEX_SHADER, vertex, count), compile(GL_FRAGMENT_SHADER, &fragment, 1)};
    const GLuint program = gl.CreateProgram();
    GLint linked = 0;
    char log[4096];
    for (int n = 0; n < 2; n++) {
        gl.AttachShader(program, shaders[n]);
        gl.DeleteShader(shaders[n]);
    }
    gl.LinkProgram(program);
    gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        gl.GetProgramInfoLog(program, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
        gl.DeleteProgram(program);
        return 0;
    }
    return program;
}

void context_read(unsigned char pixels[4 * WIDTH * HEIGHT]) {
    gl.ReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}
