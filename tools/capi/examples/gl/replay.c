// A host of OpenGL 3.3 in C: draws a recording, and each draw in the way that it wants at that moment.
//
//     cc replay.c context.c recording.c $(pkg-config --static --cflags --libs transpica) -lEGL -o replay
//     replay FILE.pclist [FOLDER [NAME=VALUE...]]
//
// Every frame is drawn four times: with all triangles from the CPU, with vertices from batches, with the program as
// GLSL, and with a draw in each of them in turn. A line has the milliseconds of each and the number of pixels that are
// not those of the CPU: 0, and the exit status is 1 if it is not. FOLDER receives the frames of the GPU as FRAME.ppm.
// NAME=VALUE is a setting, such as assume=uniforms=2^24,attributes=2^24. A line at the end has the
// time that linking took.
//
// All ways end in one `main` of the host, after a program or after records of its outputs. Geometry programs run on the
// CPU in every way: OpenGL 3.3 has no compute shaders, and a geometry stage cannot be in all of their modes.

#include "context.h"
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <transpica.h>

typedef enum Way { CPU, BATCH, GPU, MIXED, WAYS } Way;

// Instructions after which a vertex is an error.
enum { BUDGET = 1 << 20, RECORD = 22, OUTPUTS = 8 };

// ---------------------------------------------------------------------------------------------------------- the stages

// What the vertex stage does after the program: depth as the console maps it, in OpenGL's volume, and colors as it takes them.
static const char *const MAIN = "out vec4 color;\n"
                                "out vec2 texcoord0;\n"
                                "uniform vec2 depth_map; // scale and offset\n"
                                "uniform bool w_buffer;\n"
                                "invariant gl_Position;\n"
                                "void main() {\n"
                                "    pica_main();\n"
                                "    color = min(abs(pica_color), vec4(1.0));\n"
                                "    texcoord0 = pica_texcoord0;\n"
                                "    float depth = position.z * depth_map.x + position.w * depth_map.y;\n"
                                "    float z = w_buffer ? (2.0 * depth - 1.0) * position.w : 2.0 * depth - position.w;\n"
                                "    gl_Position = vec4(position.xy, z, position.w);\n"
                                "}\n";

// Names and components of a record's outputs, which are those of the preset, in their order.
static const struct {
    const char *name;
    GLint components;
} RECORDS[OUTPUTS] = {{"position", 4},       {"pica_color", 4},     {"pica_texcoord0", 2},  {"pica_texcoord1", 2},
                      {"pica_texcoord2", 2}, {"pica_texcoordw", 1}, {"pica_quaternion", 4}, {"pica_view", 3}};

// The host's fragment stage would be made of the console's texture units; this shows colors and tiles.
static const char *const FRAGMENT = "#version 330 core\n"
                                    "in vec4 color;\n"
                                    "in vec2 texcoord0;\n"
                                    "out vec4 pixel;\n"
                                    "void main() {\n"
                                    "    vec2 tile = floor(texcoord0);\n"
                                    "    float odd = mod(abs(tile.x + tile.y), 2.0);\n"
                                    "    pixel = vec4(color.rgb * (1.0 - 0.4 * odd), 1.0);\n"
                                    "}\n";

// Links a stage that has a record for the program.
static GLuint link_records(void) {
    char text[2048] = "#version 330 core\n", body[1024] = "void pica_main() {\n";
    for (int n = 0; n < OUTPUTS; n++) {
        const char *const name = RECORDS[n].name, *const types[4] = {"float", "vec2", "vec3", "vec4"};
        const char *const type = types[RECORDS[n].components - 1];
        const size_t at = strlen(text), end = strlen(body);
        snprintf(text + at, sizeof text - at, "layout(location = %d) in %s r_%s;\n%s %s;\n", n, type, name, type, name);
        snprintf(body + end, sizeof body - end, "    %s = r_%s;\n", name, name);
    }
    const char *const texts[] = {text, body, "}\n", MAIN};
    return context_link(texts, 4, FRAGMENT);
}

// ----------------------------------------------------------------------------------------------------------- the host

// What was made of the programs of some draws; each part is NULL until a draw wants it.
typedef struct Program {
    TranspicaKey key; // of everything that the registers say but uniforms
    TranspicaPipeline *pipeline;
    TranspicaBatch *batch;
    TranspicaResult *result;
    GLuint stages;
    uint32_t inputs; // v registers that the stages read
} Program;

// Everything that one way keeps from draw to draw.
typedef struct Host {
    TranspicaSettings *settings;
    TranspicaTranslator *translator;
    TranspicaRegisters *registers;
    Program *programs;
    size_t program_count;
    float *records;
    size_t record_room;
    GLuint record_stages;
    GLuint buffers[4]; // vertices, indices, uniforms; attributes use one for each buffer of the recording
    double linking; // milliseconds in which OpenGL compiled and linked translated programs
} Host;

static double milliseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// Prints the errors of a result and frees it.
static bool report(TranspicaResult *errors, const char *what) {
    TranspicaMessage message;
    TRANSPICA_INIT(message, MESSAGE);
    const bool known = transpica_result_error(errors, 0, &message) == TRANSPICA_STATUS_OK;
    fprintf(stderr, "%s: %s\n", what, known ? message.text : "failed");
    transpica_result_free(errors);
    return false;
}

// Sets NAME=VALUE.
static bool set(TranspicaSettings *settings, const char *setting, TranspicaResult **errors) {
    const char *const equals = strchr(setting, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals == NULL ? strlen(setting) : (size_t)(equals - setting)), setting);
    return transpica_settings_set(settings, name, equals == NULL ? "" : equals + 1, errors) == TRANSPICA_STATUS_OK;
}

static bool open_host(Host *host, char **settings) {
    // Outputs are variables that `main` reads, and the block is the register file: c0 first, the same for all programs.
    TranspicaResult *errors = NULL;
    host->settings = transpica_settings_new();
    if (transpica_settings_preset(host->settings, "tanuki3ds-opengl", &errors) != TRANSPICA_STATUS_OK) {
        return report(errors, "preset");
    }
    for (; *settings != NULL; settings++) {
        if (!set(host->settings, *settings, &errors)) {
            return report(errors, *settings);
        }
    }
    if (transpica_translator_create(host->settings, &host->translator, &errors) != TRANSPICA_STATUS_OK) {
        return report(errors, "translator");
    }
    transpica_translator_warm_up(host->translator);
    host->record_stages = link_records();
    gl.GenBuffers(4, host->buffers);
    return host->record_stages != 0 && transpica_registers_create(&host->registers) == TRANSPICA_STATUS_OK;
}

static void close_host(Host *host) {
    for (size_t n = 0; n < host->program_count; n++) {
        transpica_pipeline_free(host->programs[n].pipeline);
        transpica_batch_free(host->programs[n].batch);
        transpica_result_free(host->programs[n].result);
        gl.DeleteProgram(host->programs[n].stages);
    }
    gl.DeleteProgram(host->record_stages);
    free(host->programs);
    free(host->records);
    transpica_registers_free(host->registers);
    transpica_translator_free(host->translator);
    transpica_settings_free(host->settings);
}

static TranspicaRegisterProgram program_of(const Host *host, TranspicaStage stage) {
    TranspicaRegisterProgram program;
    TRANSPICA_INIT(program, REGISTER_PROGRAM);
    program.registers = host->registers;
    program.stage = stage;
    return program;
}

// Finds the programs of the registers; NULL with a message if there is none that runs.
static Program *find(Host *host) {
    Program wanted = {.pipeline = NULL};
    TranspicaResult *errors = NULL;
    if (transpica_pipeline_key(host->registers, &wanted.key, &errors) != TRANSPICA_STATUS_OK) {
        report(errors, "program");
        return NULL;
    }
    for (size_t n = 0; n < host->program_count; n++) {
        if (memcmp(&host->programs[n].key, &wanted.key, sizeof wanted.key) == 0) {
            return &host->programs[n];
        }
    }
    Program *const more = realloc(host->programs, (host->program_count + 1) * sizeof(Program));
    if (more == NULL) {
        return NULL;
    }
    host->programs = more;
    more[host->program_count] = wanted;
    return &more[host->program_count++];
}

// Makes room for records of so many vertices.
static bool reserve(Host *host, size_t vertices) {
    if (vertices * RECORD > host->record_room) {
        float *const more = realloc(host->records, vertices * RECORD * sizeof(float));
        if (more == NULL) {
            return false;
        }
        host->records = more;
        host->record_room = vertices * RECORD;
    }
    return true;
}

// Orders the vertices of triangles; returns their number.
static size_t assemble(const Draw *draw, GLuint *to) {
    const uint32_t *const from = draw->indices;
    size_t count = 0;
    for (size_t n = 2; n < draw->count; n += draw->topology == LIST ? 3 : 1) {
        // Every second triangle of a strip is reversed, the first of a fan's vertices is in all.
        const bool odd = draw->topology == STRIP && n % 2 == 1;
        to[count++] = draw->topology == FAN ? from[0] : from[odd ? n - 1 : n - 2];
        to[count++] = from[odd ? n - 2 : n - 1];
        to[count++] = from[n];
    }
    return count;
}

// The number that 24 bits are: a sign, 7 bits of exponent, 16 of the mantissa.
static float float24(uint32_t bits) {
    const uint32_t exponent = bits >> 16 & 0x7F;
    const uint32_t wide = (bits >> 23 & 1) << 31 | (exponent + 64) << 23 | (bits & 0xFFFF) << 7;
    float value = 0;
    if (exponent != 0) {
        memcpy(&value, &wide, sizeof value);
    }
    return value;
}

// Selects stages and sets what `main` reads. A recording without fragment state has the system library's depth.
static void use(const Host *host, GLuint stages) {
    const float scale = float24(transpica_registers_read(host->registers, 0x04D));
    const float offset = float24(transpica_registers_read(host->registers, 0x04E));
    const bool has_depth = scale != 0 || offset != 0;
    const bool z_buffer = !has_depth || (transpica_registers_read(host->registers, 0x06D) & 1) != 0;
    gl.UseProgram(stages);
    gl.Uniform2f(gl.GetUniformLocation(stages, "depth_map"), has_depth ? scale : -1.0f, offset);
    gl.Uniform1i(gl.GetUniformLocation(stages, "w_buffer"), !z_buffer);
}

// Draws records; `indices` is NULL if they are triangles in their order.
static void draw_records(const Host *host, size_t vertices, const GLuint *indices, size_t count) {
    use(host, host->record_stages);
    gl.BindBuffer(GL_ARRAY_BUFFER, host->buffers[0]);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(vertices * RECORD * sizeof(float)), host->records, GL_STREAM_DRAW);
    size_t at = 0;
    for (GLuint n = 0; n < 16; n++) {
        if (n < OUTPUTS) {
            gl.EnableVertexAttribArray(n);
            gl.VertexAttribPointer(n, RECORDS[n].components, GL_FLOAT, GL_FALSE, RECORD * sizeof(float),
                                   (const void *)(at * sizeof(float)));
            at += (size_t)RECORDS[n].components;
        } else {
            gl.DisableVertexAttribArray(n);
        }
    }
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, host->buffers[1]);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof(GLuint)), indices, GL_STREAM_DRAW);
    gl.DrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, NULL);
}

// Describes a draw to the library: its attributes are v registers.
static void describe(const Recording *recording, const Draw *draw, TranspicaVertexAttribute attributes[16], TranspicaDraw *to) {
    const float missing[4] = {0, 0, 0, 1};
    memset(attributes, 0, 16 * sizeof *attributes);
    for (size_t n = 0; n < 16; n++) {
        memcpy(attributes[n].value, missing, sizeof missing);
    }
    for (size_t n = 0; n < draw->attribute_count; n++) {
        const Attribute *const from = &draw->attributes[n];
        TranspicaVertexAttribute *const attribute = &attributes[from->v];
        attribute->bytes = recording->buffers[from->buffer].bytes;
        attribute->byte_count = recording->buffers[from->buffer].size;
        attribute->offset = from->offset;
        attribute->stride = from->stride;
        attribute->number = (TranspicaNumber)from->number;
        attribute->components = from->components;
    }
    memset(to, 0, sizeof *to);
    to->attributes = attributes;
    to->attribute_count = 16;
    to->indices = draw->indexed ? draw->indices : NULL;
    to->index_size = draw->indexed ? 4 : 0;
    to->count = draw->count;
}

// All on the CPU: vertices, a geometry program if there is one, triangles.
static bool draw_on_cpu(Host *host, Program *program, const Recording *recording, const Draw *draw) {
    TranspicaResult *errors = NULL;
    TranspicaVertexAttribute attributes[16];
    TranspicaDraw described;
    size_t count = 0;
    if (program->pipeline == NULL &&
        transpica_pipeline_create(host->settings, host->registers, &program->pipeline, &errors) != TRANSPICA_STATUS_OK) {
        return report(errors, "pipeline");
    }
    describe(recording, draw, attributes, &described);
    transpica_pipeline_use_registers(program->pipeline, host->registers);
    const size_t room = host->record_room;
    if (transpica_pipeline_draw(program->pipeline, &described, host->records, room, &count, &errors) != TRANSPICA_STATUS_OK) {
        return report(errors, "draw on the CPU");
    }
    // As on the console, the next draw finds what this one left in the uniforms of the geometry
    // unit.
    transpica_pipeline_hand_over(program->pipeline, host->registers, NULL);
    GLuint *const order = malloc((count + 1) * sizeof(GLuint));
    // Whole triangles were written; the others wait.
    const size_t written = room / (3 * RECORD) * 3 * RECORD;
    if (order == NULL || !reserve(host, count) || transpica_pipeline_record_floats(program->pipeline) != RECORD ||
        (count * RECORD > written && transpica_pipeline_read(program->pipeline, host->records + written,
                                                             host->record_room - written) != TRANSPICA_STATUS_OK)) {
        free(order);
        return report(NULL, "records of triangles");
    }
    for (size_t n = 0; n < count; n++) {
        order[n] = (GLuint)n;
    }
    draw_records(host, count, order, count);
    free(order);
    return true;
}

// Vertices on the CPU, each once; triangles by OpenGL.
static bool draw_by_batch(Host *host, Program *program, const Recording *recording, const Draw *draw) {
    TranspicaResult *errors = NULL;
    TranspicaVertexAttribute attributes[16];
    TranspicaDraw described;
    if (program->batch == NULL) {
        const TranspicaRegisterProgram vertex = program_of(host, TRANSPICA_STAGE_VERTEX);
        if (transpica_batch_create(host->settings, &vertex.head, BUDGET, &program->batch, &errors) != TRANSPICA_STATUS_OK) {
            return report(errors, "batch");
        }
    }
    describe(recording, draw, attributes, &described);
    described.indices = NULL;
    described.index_size = 0;
    described.count = draw->vertex_count;
    described.registers = host->registers; // outputs by the output map, see `replay` for the attributes
    transpica_batch_use_registers(program->batch, host->registers);
    GLuint *const order = malloc(3 * ((size_t)draw->count + 1) * sizeof(GLuint));
    const bool fits = order != NULL && reserve(host, draw->vertex_count) &&
                      transpica_batch_record_floats(program->batch, host->registers, 0) == RECORD;
    if (!fits || transpica_batch_draw(program->batch, &described, host->records, host->record_room, &errors) !=
                     TRANSPICA_STATUS_OK) {
        free(order);
        return report(errors, "draw by a batch");
    }
    draw_records(host, draw->vertex_count, order, assemble(draw, order));
    free(order);
    return true;
}

// Translates and links a program.
static bool make_stages(Host *host, Program *program) {
    TranspicaRegisterProgram vertex = program_of(host, TRANSPICA_STAGE_VERTEX);
    TranspicaRequest request;
    TranspicaFigures figures;
    TRANSPICA_INIT(request, REQUEST);
    TRANSPICA_INIT(figures, FIGURES);
    request.targets = TRANSPICA_TARGET_GLSL | TRANSPICA_TARGET_GLSL_EXTENSIONS;
    request.glsl_version = TRANSPICA_GLSL_VERSION_CORE330;
    vertex.head.next = &request.head;
    if (transpica_translate(host->translator, &vertex.head, &program->result) != TRANSPICA_STATUS_OK) {
        TranspicaResult *const errors = program->result;
        program->result = NULL;
        return report(errors, "translation");
    }
    const char *const texts[] = {"#version 330 core\n",
                                 transpica_result_text(program->result, TRANSPICA_TARGET_GLSL_EXTENSIONS, NULL),
                                 transpica_result_text(program->result, TRANSPICA_TARGET_GLSL, NULL), MAIN};
    const double start = milliseconds();
    program->stages = context_link(texts, 4, FRAGMENT);
    host->linking += milliseconds() - start;
    if (program->stages == 0) {
        return false;
    }
    const GLuint block = gl.GetUniformBlockIndex(program->stages, "Uniforms");
    if (block != GL_INVALID_INDEX) {
        gl.UniformBlockBinding(program->stages, block, 0);
    }
    transpica_result_figures(program->result, &figures);
    for (uint32_t n = 0; n < figures.input_count; n++) {
        TranspicaInput input;
        TRANSPICA_INIT(input, INPUT);
        transpica_result_input(program->result, n, &input);
        program->inputs |= 1u << input.number;
    }
    return true;
}

// The program on the GPU: its location of an attribute is the v register.
static bool draw_on_gpu(Host *host, Program *program, const Recording *recording, const Draw *draw) {
    static const GLenum formats[4] = {GL_BYTE, GL_UNSIGNED_BYTE, GL_SHORT, GL_FLOAT};
    static uint8_t block[4096];
    TranspicaFigures figures;
    TRANSPICA_INIT(figures, FIGURES);
    if (program->stages == 0 && !make_stages(host, program)) {
        return false;
    }
    transpica_result_figures(program->result, &figures);
    if (figures.uniform_size > sizeof block ||
        transpica_registers_pack(host->registers, TRANSPICA_STAGE_VERTEX, program->result, block, sizeof block) !=
            TRANSPICA_STATUS_OK) {
        return report(NULL, "uniforms");
    }
    use(host, program->stages);
    gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, host->buffers[2]);
    gl.BufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)figures.uniform_size, block, GL_STREAM_DRAW);
    const float missing[4] = {0, 0, 0, 1};
    for (GLuint v = 0; v < 16; v++) {
        gl.DisableVertexAttribArray(v);
        gl.VertexAttrib4fv(v, missing);
    }
    GLuint sources[16];
    gl.GenBuffers((GLsizei)draw->attribute_count, sources);
    for (size_t n = 0; n < draw->attribute_count; n++) {
        const Attribute *const attribute = &draw->attributes[n];
        const Buffer *const buffer = &recording->buffers[attribute->buffer];
        if (attribute->stride == 0 && draw->vertex_count != 0) {
            // To OpenGL a stride of 0 means that vertices follow each other.
            float value[4];
            recording_fetch(recording, attribute, 0, value);
            gl.VertexAttrib4fv(attribute->v, value);
        } else if ((program->inputs >> attribute->v & 1) != 0) {
            gl.BindBuffer(GL_ARRAY_BUFFER, sources[n]);
            gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)buffer->size, buffer->bytes, GL_STREAM_DRAW);
            gl.VertexAttribPointer(attribute->v, (GLint)attribute->components, formats[attribute->number], GL_FALSE,
                                   (GLsizei)attribute->stride, (const void *)attribute->offset);
            gl.EnableVertexAttribArray(attribute->v);
        }
    }
    GLuint *const order = malloc(3 * ((size_t)draw->count + 1) * sizeof(GLuint));
    if (order == NULL) {
        return report(NULL, "memory");
    }
    const size_t count = assemble(draw, order);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, host->buffers[1]);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof(GLuint)), order, GL_STREAM_DRAW);
    gl.DrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, NULL);
    gl.DeleteBuffers((GLsizei)draw->attribute_count, sources);
    free(order);
    return true;
}

static bool draw_one(Host *host, Way way, const Recording *recording, const Draw *draw) {
    // Attributes of a recording are v registers already, and all sixteen are there.
    transpica_registers_write_masked(host->registers, 0x2B9, 0x0F, 0x1);
    transpica_registers_write(host->registers, 0x2BB, 0x76543210);
    transpica_registers_write(host->registers, 0x2BC, 0xFEDCBA98);
    transpica_registers_write_masked(host->registers, 0x25E, (uint32_t)draw->topology << 8, 0x2);
    Program *const program = find(host);
    if (program == NULL) {
        return false;
    }
    if (way == CPU || draw->topology == BY_GEOMETRY || transpica_registers_have_geometry(host->registers)) {
        return draw_on_cpu(host, program, recording, draw);
    }
    return way == BATCH ? draw_by_batch(host, program, recording, draw) : draw_on_gpu(host, program, recording, draw);
}

// Draws the next frame; false with a message, or at the end with *drawn = false.
static bool draw_frame(Host *host, Way way, Recording *recording, unsigned char *pixels, size_t *draws, double *time) {
    const double start = milliseconds();
    gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (*draws = 0;;) {
        const Event event = recording_next(recording);
        if (event.kind == COMMANDS) {
            transpica_registers_commands(host->registers, event.words, event.word_count);
        } else if (event.kind == DRAW) {
            // Live: the registers are all that a way needs of the draws before.
            const Way now = way == MIXED ? (Way)(*draws % MIXED) : way;
            if (!draw_one(host, now, recording, &event.draw)) {
                return false;
            }
            ++*draws;
        } else if (event.kind == DAMAGED) {
            fprintf(stderr, "offset %#zx: %s\n", event.at, event.problem);
            return false;
        } else {
            break;
        }
    }
    context_read(pixels);
    *time = milliseconds() - start;
    return gl.GetError() == GL_NO_ERROR || report(NULL, "OpenGL");
}

static size_t different(const unsigned char *one, const unsigned char *other) {
    size_t count = 0;
    for (size_t n = 0; n < WIDTH * HEIGHT; n++) {
        count += memcmp(one + 4 * n, other + 4 * n, 4) != 0;
    }
    return count;
}

static bool write_picture(const char *folder, size_t frame, const unsigned char *pixels) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%zu.ppm", folder, frame);
    FILE *const file = fopen(path, "wb");
    if (file == NULL) {
        return report(NULL, path);
    }
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (size_t row = HEIGHT; row-- > 0;) {
        for (size_t column = 0; column < WIDTH; column++) {
            fwrite(pixels + 4 * (row * WIDTH + column), 1, 3, file);
        }
    }
    return fclose(file) == 0 || report(NULL, path);
}

static bool replay(const char *path, const char *folder, char **settings, size_t *differing) {
    static unsigned char pixels[WAYS][4 * WIDTH * HEIGHT];
    Recording recordings[WAYS];
    Host hosts[WAYS];
    bool good = true;
    memset(hosts, 0, sizeof hosts);
    for (int way = 0; way < WAYS; way++) {
        const char *const problem = recording_open(&recordings[way], path);
        good = (problem == NULL || report(NULL, problem)) && open_host(&hosts[way], settings) && good;
    }
    for (size_t frame = 0; good; frame++) {
        size_t draws = 0;
        double times[WAYS];
        for (int way = 0; way < WAYS && good; way++) {
            good = draw_frame(&hosts[way], (Way)way, &recordings[way], pixels[way], &draws, &times[way]);
        }
        if (!good || (draws == 0 && recordings[0].at == recordings[0].size)) {
            break;
        }
        const size_t counts[3] = {different(pixels[CPU], pixels[BATCH]), different(pixels[CPU], pixels[GPU]),
                                  different(pixels[CPU], pixels[MIXED])};
        printf("frame %zu: %zu draws, cpu %.1f ms, batch %.1f ms, gpu %.1f ms, mixed %.1f ms; pixels that differ: %zu %zu %zu\n",
               frame, draws, times[CPU], times[BATCH], times[GPU], times[MIXED], counts[0], counts[1], counts[2]);
        *differing += counts[0] + counts[1] + counts[2];
        good = folder == NULL || write_picture(folder, frame, pixels[GPU]);
    }
    printf("%zu programs, linked in %.2f ms\n", hosts[GPU].program_count, hosts[GPU].linking);
    for (int way = 0; way < WAYS; way++) {
        close_host(&hosts[way]);
        recording_close(&recordings[way]);
    }
    return good;
}

int main(int count, char **arguments) {
    size_t differing = 0;
    if (count < 2) {
        fprintf(stderr, "usage: replay FILE.pclist [FOLDER [NAME=VALUE...]]\n");
        return 2;
    }
    if (!context_open() || !replay(arguments[1], count > 2 ? arguments[2] : NULL, arguments + (count > 2 ? 3 : 2), &differing)) {
        return 2;
    }
    printf("%s: %zu pixels differ\n", (const char *)gl.GetString(GL_RENDERER), differing);
    return differing != 0;
}
