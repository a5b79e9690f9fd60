// OpenGL 3.3 without a window: a surfaceless context of EGL, a target of 400 × 240 pixels, and the functions by name.

#ifndef CONTEXT_H
#define CONTEXT_H

#include <GL/glcorearb.h>
#include <stdbool.h>
#include <stddef.h>

#define FUNCTIONS(F)                                                                                                   \
    F(ATTACHSHADER, AttachShader) F(BINDBUFFER, BindBuffer) F(BINDBUFFERBASE, BindBufferBase)                          \
    F(BINDFRAMEBUFFER, BindFramebuffer) F(BINDRENDERBUFFER, BindRenderbuffer) F(BINDVERTEXARRAY, BindVertexArray)      \
    F(BUFFERDATA, BufferData) F(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus) F(CLEAR, Clear)                        \
    F(CLEARCOLOR, ClearColor) F(CLEARDEPTH, ClearDepth) F(COMPILESHADER, CompileShader) F(CREATEPROGRAM, CreateProgram) \
    F(CREATESHADER, CreateShader) F(DELETEBUFFERS, DeleteBuffers) F(DELETEPROGRAM, DeleteProgram) F(DELETESHADER, DeleteShader)                        \
    F(DEPTHFUNC, DepthFunc) F(DISABLEVERTEXATTRIBARRAY, DisableVertexAttribArray) F(DRAWELEMENTS, DrawElements)        \
    F(ENABLE, Enable) F(ENABLEVERTEXATTRIBARRAY, EnableVertexAttribArray) F(FINISH, Finish)                            \
    F(FRAMEBUFFERRENDERBUFFER, FramebufferRenderbuffer) F(GENBUFFERS, GenBuffers) F(GENFRAMEBUFFERS, GenFramebuffers)  \
    F(GENRENDERBUFFERS, GenRenderbuffers) F(GENVERTEXARRAYS, GenVertexArrays) F(GETERROR, GetError)                    \
    F(GETPROGRAMINFOLOG, GetProgramInfoLog) F(GETPROGRAMIV, GetProgramiv) F(GETSHADERINFOLOG, GetShaderInfoLog)        \
    F(GETSHADERIV, GetShaderiv) F(GETSTRING, GetString) F(GETUNIFORMBLOCKINDEX, GetUniformBlockIndex)                  \
    F(GETUNIFORMLOCATION, GetUniformLocation) F(LINKPROGRAM, LinkProgram) F(READPIXELS, ReadPixels)                    \
    F(RENDERBUFFERSTORAGE, RenderbufferStorage) F(SHADERSOURCE, ShaderSource) F(UNIFORM1I, Uniform1i)                  \
    F(UNIFORM2F, Uniform2f) F(UNIFORMBLOCKBINDING, UniformBlockBinding) F(USEPROGRAM, UseProgram)                      \
    F(VERTEXATTRIB4FV, VertexAttrib4fv) F(VERTEXATTRIBPOINTER, VertexAttribPointer) F(VIEWPORT, Viewport)

#define DECLARE(TYPE, name) PFNGL##TYPE##PROC name;
typedef struct Functions { FUNCTIONS(DECLARE) } Functions;
#undef DECLARE

extern Functions gl;

enum { WIDTH = 400, HEIGHT = 240 };

// Opens the context; false with a message on standard error if there is none.
bool context_open(void);
// Links a vertex stage of several texts and a fragment stage; 0 with a message if they are wrong.
GLuint context_link(const char *const *vertex, GLsizei count, const char *fragment);
// Reads the target's pixels: red, green, blue and alpha, from the lower left.
void context_read(unsigned char pixels[4 * WIDTH * HEIGHT]);

#endif
