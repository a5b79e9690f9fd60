// Tests every function and error of the interface, in the common subset of C11 and C++17: the test
// compiles it as both.
// Usage: smoke FILE.shbin FOLDER GEOMETRY.shbin; writes the translated modules into the folder. Executable 1 of the
// last file is a geometry program in point mode, of one vertex and two triangles.

#include <stdio.h>
#include <stdlib.h>
#include <transpica.h>

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static void check(int holds, const char *text, int line) {
    if (!holds) {
        fprintf(stderr, "line %d does not hold: %s\n", line, text);
        exit(1);
    }
}

static const char *folder;

static void write_words(const char *name, const TranspicaResult *result) {
    char path[1024];
    size_t count = 0;
    const uint32_t *words = transpica_result_words(result, &count);
    FILE *file;
    CHECK(snprintf(path, sizeof path, "%s/%s.spv", folder, name) < (int)sizeof path);
    file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(words, sizeof *words, count, file) == count);
    CHECK(fclose(file) == 0);
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = (uint8_t *)malloc(1 << 16);
    CHECK(file != NULL && bytes != NULL);
    *size = fread(bytes, 1, 1 << 16, file);
    CHECK(*size > 0 && fclose(file) == 0);
    return bytes;
}

// mov o0, v0; mul o1, c8, v1; end; an unreachable word
static const uint32_t CODE[] = {0x4C000000, 0x20228080, 0x88000000, 0};
static const uint32_t DESCRIPTORS[] = {0x36F};

static TranspicaRawProgram raw_program(void) {
    TranspicaRawProgram raw;
    TRANSPICA_INIT(raw, RAW_PROGRAM);
    raw.code = CODE;
    raw.code_count = 3;
    raw.descriptors = DESCRIPTORS;
    raw.descriptor_count = 1;
    raw.output_mask = 3;
    raw.output_count = 2;
    raw.output_map[0] = 0x03020100;
    raw.output_map[1] = 0x0B0A0908;
    return raw;
}

static void set(TranspicaSettings *settings, const char *path, const char *value) {
    TranspicaResult *errors = NULL;
    CHECK(transpica_settings_set(settings, path, value, &errors) == TRANSPICA_STATUS_OK && errors == NULL);
}

static TranspicaTranslator *translator_of(const TranspicaSettings *settings) {
    TranspicaTranslator *translator = NULL;
    TranspicaResult *errors = NULL;
    CHECK(transpica_translator_create(settings, &translator, &errors) == TRANSPICA_STATUS_OK);
    CHECK(translator != NULL && errors == NULL);
    return translator;
}

static TranspicaResult *translated(TranspicaTranslator *translator, const TranspicaHead *program) {
    TranspicaResult *result = NULL;
    TranspicaStatus status = transpica_translate(translator, program, &result);
    TranspicaMessage message;
    TRANSPICA_INIT(message, MESSAGE);
    if (status != TRANSPICA_STATUS_OK && transpica_result_error(result, 0, &message) == TRANSPICA_STATUS_OK) {
        fprintf(stderr, "%s\n", message.text);
    }
    CHECK(status == TRANSPICA_STATUS_OK && transpica_result_status(result) == status);
    return result;
}

static int same_words(const TranspicaResult *one, const TranspicaResult *other) {
    size_t count = 0, other_count = 0;
    const uint32_t *words = transpica_result_words(one, &count);
    const uint32_t *other_words = transpica_result_words(other, &other_count);
    return count == other_count && memcmp(words, other_words, count * sizeof *words) == 0;
}

// Returns the first error of a result and frees the result, after checking the text.
static TranspicaMessage failure(TranspicaResult *result, const char *part) {
    TranspicaMessage message;
    TRANSPICA_INIT(message, MESSAGE);
    CHECK(result != NULL);
    CHECK(transpica_result_error(result, 0, &message) == TRANSPICA_STATUS_OK);
    CHECK(strlen(message.text) == message.text_length);
    if (strstr(message.text, part) == NULL) {
        fprintf(stderr, "'%s' does not stand in: %s\n", part, message.text);
        exit(1);
    }
    message.text = NULL;
    transpica_result_free(result);
    return message;
}

static void versions(void) {
    const uint32_t version = TRANSPICA_VERSION_MAJOR << 16 | TRANSPICA_VERSION_MINOR << 8 | TRANSPICA_VERSION_PATCH;
    CHECK(transpica_version() == version);
    CHECK(strchr(transpica_version_text(), '.') != NULL);
    CHECK(transpica_has_target(TRANSPICA_TARGET_SPIRV) == 1);
    CHECK(transpica_has_target(3) == 0);
}

static void raw_and_registers(void) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaRawProgram raw = raw_program();
    TranspicaRegisterProgram program;
    TranspicaRegisterWrites listed;
    TranspicaRegisters *registers = NULL;
    TranspicaResult *from_raw = translated(translator, &raw.head);
    TranspicaResult *from_registers, *from_writes;
    // c8 = (1, 2, 3, 4) as float24, w first.
    const TranspicaWrite writes[] = {
        {0x2CB, 0}, {0x2CC, CODE[0]}, {0x2CC, CODE[1]}, {0x2CC, CODE[2]}, {0x2D5, 0}, {0x2D6, DESCRIPTORS[0]},
        {0x2BA, 0x7FFF0000}, {0x2BD, 3}, {0x04F, 2}, {0x050, 0x03020100}, {0x051, 0x0B0A0908},
        {0x2C0, 8}, {0x2C1, 0x41000040}, {0x2C1, 0x80004000}, {0x2C1, 0x003F0000},
    };
    const float vector[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    // Four ints through one command: i0 = (2, 1, 0, 0) and more.
    const uint32_t commands[] = {0x00000102, 0x803F02B1, 7, 8, 9, 0};
    uint8_t bytes[32] = {0};
    size_t index;

    CHECK(transpica_result_words(from_raw, NULL)[0] == 0x07230203);
    write_words("raw", from_raw);

    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    for (index = 0; index < sizeof writes / sizeof *writes; index++) {
        CHECK(transpica_registers_write(registers, writes[index].number, writes[index].value) == TRANSPICA_STATUS_OK);
    }
    CHECK(transpica_registers_commands(registers, commands, 6) == TRANSPICA_STATUS_OK);
    {
        // A draw with a geometry program, and one without.
        const uint32_t mixed[] = {2, 0xF0229, 1, 0xF022E, 0, 0xF0229, 1, 0xF022E};
        TranspicaMessage warning;
        TranspicaResult *checked;
        TranspicaRegisters *empty;
        TRANSPICA_INIT(warning, MESSAGE);
        CHECK(transpica_registers_create(&empty) == TRANSPICA_STATUS_OK);
        CHECK(transpica_registers_check(empty, mixed, 8, &checked) == TRANSPICA_STATUS_OK);
        CHECK(transpica_result_warning(checked, 0, &warning) == TRANSPICA_STATUS_OK);
        CHECK(warning.place == TRANSPICA_PLACE_BYTE_OFFSET && warning.at == 24 && strstr(warning.text, "hangs"));
        transpica_result_free(checked);
        transpica_registers_free(empty);
    }
    CHECK(transpica_registers_read(registers, 0x2B1) == 0x102 && transpica_registers_read(registers, 0x2B4) == 9);
    CHECK(transpica_registers_write_masked(registers, 0x2B1, 0xFFFFFFFF, 2) == TRANSPICA_STATUS_OK);
    CHECK(transpica_registers_read(registers, 0x2B1) == 0xFF02);
    CHECK(transpica_registers_write(registers, 0x10000, 1) == TRANSPICA_STATUS_OK);
    TRANSPICA_INIT(program, REGISTER_PROGRAM);
    program.registers = registers;
    from_registers = translated(translator, &program.head);
    CHECK(same_words(from_raw, from_registers));

    TRANSPICA_INIT(listed, REGISTER_WRITES);
    listed.writes = writes;
    listed.write_count = sizeof writes / sizeof *writes;
    from_writes = translated(translator, &listed.head);
    CHECK(same_words(from_raw, from_writes));

    CHECK(transpica_registers_pack(registers, TRANSPICA_STAGE_VERTEX, from_registers, bytes, 16) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(bytes, vector, sizeof vector) == 0 && bytes[16] == 0);
    CHECK(transpica_registers_pack(registers, 0, from_registers, bytes, 15) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_pack(registers, 2, from_registers, bytes, 16) == TRANSPICA_STATUS_BAD_ARGUMENT);

    transpica_registers_free(registers);
    transpica_result_free(from_raw);
    transpica_result_free(from_registers);
    transpica_result_free(from_writes);
    transpica_translator_free(translator);
}

static void files(const uint8_t *bytes, size_t size) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaExecutable file;
    TranspicaFigures figures;
    TranspicaInput input;
    TranspicaOutput output;
    TranspicaMember member;
    TranspicaResult *result, *scanned = NULL;
    size_t length = 1;

    TRANSPICA_INIT(file, EXECUTABLE);
    file.bytes = bytes;
    file.byte_count = size;
    file.name = "textured.shbin";
    result = translated(translator, &file.head);
    write_words("textured", result);
    CHECK(transpica_result_text(result, TRANSPICA_TARGET_REFLECTION, &length) == NULL && length == 0);

    TRANSPICA_INIT(figures, FIGURES);
    CHECK(transpica_result_figures(result, &figures) == TRANSPICA_STATUS_OK);
    CHECK(figures.tier == TRANSPICA_TIER_STRUCTURED && figures.error_count == 0);
    CHECK(figures.input_count == 3 && figures.output_count == 3 && figures.member_count == 3);
    CHECK(figures.uniform_size == 144 && figures.uniform_minimum == 144);
    TRANSPICA_INIT(input, INPUT);
    CHECK(transpica_result_input(result, 1, &input) == TRANSPICA_STATUS_OK);
    CHECK(strcmp(input.name, "inuv") == 0 && input.name_length == 4 && input.number == 1 && input.location == 1);
    CHECK(transpica_result_input(result, 3, &input) == TRANSPICA_STATUS_BAD_ARGUMENT);
    TRANSPICA_INIT(output, OUTPUT);
    CHECK(transpica_result_output(result, 0, &output) == TRANSPICA_STATUS_OK);
    CHECK(output.destination == TRANSPICA_DESTINATION_POSITION && output.components == 4);
    CHECK(transpica_result_output(result, 2, &output) == TRANSPICA_STATUS_OK);
    CHECK(strcmp(output.name, "texcoord0_uv") == 0 && output.location == 1 && output.components == 2);
    TRANSPICA_INIT(member, MEMBER);
    CHECK(transpica_result_member(result, 1, &member) == TRANSPICA_STATUS_OK);
    CHECK(strcmp(member.name, "modelView") == 0 && member.bank == TRANSPICA_BANK_FLOAT);
    memset(&member.name, 0, sizeof member.name);
    CHECK(transpica_result_member_named(result, "nothing", &member) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_member_named(result, "modelView", &member) == TRANSPICA_STATUS_OK);
    CHECK(strcmp(member.name, "modelView") == 0 && member.bank == TRANSPICA_BANK_FLOAT);
    CHECK(member.count == 4 && member.offset == 64 && member.byte_count == 64);

    CHECK(transpica_scan(translator, &file.head, &scanned) == TRANSPICA_STATUS_OK);
    CHECK(transpica_result_words(scanned, &length) == NULL && length == 0);
    CHECK(strstr(transpica_result_text(scanned, TRANSPICA_TARGET_REFLECTION, &length), "\"modelView\"") != NULL);
    CHECK(strlen(transpica_result_text(scanned, TRANSPICA_TARGET_REFLECTION, NULL)) == length);

    transpica_result_free(scanned);
    transpica_result_free(result);
    transpica_translator_free(translator);
}

static void texts(const uint8_t *bytes, size_t size) {
    static const struct {
        uint32_t target;
        const char *part;
    } TEXTS[] = {
        {TRANSPICA_TARGET_WGSL, "fn main"},
        {TRANSPICA_TARGET_GLSL, "#version 330"},
        {TRANSPICA_TARGET_HLSL, "SV_Position"},
        {TRANSPICA_TARGET_MSL, "metal_stdlib"},
        {TRANSPICA_TARGET_REFLECTION, "\"schema\""},
    };
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaExecutable file;
    TranspicaRequest request;
    TranspicaResult *result = NULL;
    size_t index, length = 0;

    TRANSPICA_INIT(file, EXECUTABLE);
    file.bytes = bytes;
    file.byte_count = size;
    TRANSPICA_INIT(request, REQUEST);
    request.head.next = &file.head;
    request.glsl_version = TRANSPICA_GLSL_VERSION_CORE330;
    for (index = 0; index < sizeof TEXTS / sizeof *TEXTS; index++) {
        if (!transpica_has_target(TEXTS[index].target)) {
            request.targets = TEXTS[index].target;
            CHECK(transpica_translate(translator, &request.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
            CHECK(failure(result, "built without").code == TRANSPICA_CODE_NO_TARGET);
        }
    }
    request.targets = TRANSPICA_TARGET_SPIRV;
    for (index = 0; index < sizeof TEXTS / sizeof *TEXTS; index++) {
        request.targets |= transpica_has_target(TEXTS[index].target) * TEXTS[index].target;
    }
    result = translated(translator, &request.head);
    CHECK(transpica_result_words(result, NULL) != NULL);
    for (index = 0; index < sizeof TEXTS / sizeof *TEXTS; index++) {
        const char *text = transpica_result_text(result, TEXTS[index].target, &length);
        CHECK((text != NULL) == (transpica_has_target(TEXTS[index].target) == 1));
        if (text != NULL) {
            CHECK(strlen(text) == length && strstr(text, TEXTS[index].part) != NULL);
            printf("%u: %u bytes\n", (unsigned)TEXTS[index].target, (unsigned)length);
        }
    }
    transpica_result_free(result);
    request.targets = 128;
    CHECK(transpica_translate(translator, &request.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "unknown target").code == TRANSPICA_CODE_UNKNOWN_CHOICE);
    transpica_translator_free(translator);
}

static void keys(void) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaRawProgram raw = raw_program();
    TranspicaSalt salt;
    TranspicaKey key, other;
    CHECK(transpica_key(translator, &raw.head, &key, NULL) == TRANSPICA_STATUS_OK);
    raw.code_count = 4;
    CHECK(transpica_key(translator, &raw.head, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) == 0);
    TRANSPICA_INIT(salt, SALT);
    salt.bytes = (const uint8_t *)"driver 1";
    salt.byte_count = 8;
    salt.head.next = &raw.head;
    CHECK(transpica_key(translator, &salt.head, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) != 0);
    transpica_translator_free(translator);
}

/* A draw's formats take the place of the translator's, and keys contain those that the program reads. */
static void vertex_input(void) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaRawProgram raw = raw_program();
    TranspicaVertexInput input;
    TranspicaResult *result;
    TranspicaKey key, other;
    size_t plain, formatted;
    const uint32_t undefined[1] = {0x40000000};
    CHECK(transpica_key(translator, &raw.head, &key, NULL) == TRANSPICA_STATUS_OK);
    TRANSPICA_INIT(input, VERTEX_INPUT);
    raw.head.next = &input.head;
    input.formats[15].kind = TRANSPICA_ATTRIBUTE_KIND_INT;
    CHECK(transpica_key(translator, &raw.head, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) == 0);
    input.formats[0].kind = TRANSPICA_ATTRIBUTE_KIND_INT;
    CHECK(transpica_key(translator, &raw.head, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) != 0);
    result = translated(translator, &raw.head);
    CHECK(transpica_result_words(result, &formatted) != NULL);
    transpica_result_free(result);
    raw.head.next = NULL;
    result = translated(translator, &raw.head);
    CHECK(transpica_result_words(result, &plain) != NULL && plain < formatted);
    transpica_result_free(result);
    raw.head.next = &input.head;
    input.formats[0].components = 5;
    CHECK(transpica_key(translator, &raw.head, &other, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(failure(result, "v0 has 5 components").code == TRANSPICA_CODE_BAD_OPTION);
    /* A key has the status of a translation. */
    raw.head.next = NULL;
    raw.code = undefined;
    raw.code_count = 1;
    CHECK(transpica_key(translator, &raw.head, &other, &result) == TRANSPICA_STATUS_UNSUPPORTED);
    CHECK(failure(result, "0x10").code == TRANSPICA_CODE_BAD_OPCODE);
    transpica_translator_free(translator);
}

/* The stage for quaternions follows from the outputs alone: with all of them, one serves all programs. */
static void quaternions(void) {
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaJob job;
    TranspicaResult *result;
    TranspicaKey key, other;
    size_t count = 0;
    TRANSPICA_INIT(job, JOB);
    job.entry_point = TRANSPICA_ENTRY_POINT_QUATERNIONS;
    raw.head.next = &job.head;
    set(settings, "outputs.all", "true");
    translator = translator_of(settings);
    // Settings are not needed afterwards.
    transpica_settings_free(settings);
    result = translated(translator, &raw.head);
    CHECK(transpica_result_words(result, &count)[0] == 0x07230203 && count > 100);
    transpica_result_free(result);
    CHECK(transpica_key(translator, &raw.head, &key, NULL) == TRANSPICA_STATUS_OK);
    raw.output_map[0] = 0x1F1F1F1F;
    CHECK(transpica_key(translator, &raw.head, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) == 0);
    transpica_translator_free(translator);
}

/* A module carries the text and its lines only if the settings say so, however long the text is. */
static void debug_sources(void) {
    const char *const name = "shaders/end.pica";
    char *const text = (char *)malloc(300000);
    const uint32_t line = 41;
    TranspicaDebugSource debug;
    size_t counts[2] = {0, 0};
    int on;
    CHECK(text != NULL);
    memset(text, '.', 300000);
    TRANSPICA_INIT(debug, DEBUG_SOURCE);
    debug.name = name;
    debug.text = text;
    debug.text_length = 300000;
    debug.lines = &line;
    debug.line_count = 1;
    for (on = 0; on < 2; on++) {
        TranspicaSettings *settings = transpica_settings_new();
        TranspicaTranslator *translator;
        TranspicaRawProgram raw = raw_program();
        TranspicaResult *result;
        const uint32_t *words;
        size_t n;
        int named = 0;
        raw.head.next = &debug.head;
        set(settings, "debug_info", on ? "true" : "false");
        translator = translator_of(settings);
        result = translated(translator, &raw.head);
        words = transpica_result_words(result, &counts[on]);
        for (n = 0; n + 4 < counts[on]; n++) {
            named |= memcmp(words + n, name, strlen(name) + 1) == 0;
        }
        CHECK(named == on);
        transpica_result_free(result);
        debug.text = NULL;
        CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
        failure(result, "TranspicaDebugSource.text");
        debug.text = text;
        transpica_translator_free(translator);
        transpica_settings_free(settings);
    }
    CHECK(counts[1] > counts[0] + 300000 / 4);
    free(text);
}

/* Tolerances of depth are in 0 to 1, and make another module. */
static void snapped_depth(void) {
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *result = NULL;
    TranspicaKey keys[2];
    int on;
    for (on = 0; on < 2; on++) {
        set(settings, "outputs.snap_depth", on ? "1e-6,1e-5" : "0,0");
        translator = translator_of(settings);
        CHECK(transpica_key(translator, &raw.head, &keys[on], NULL) == TRANSPICA_STATUS_OK);
        transpica_translator_free(translator);
    }
    CHECK(memcmp(&keys[0], &keys[1], sizeof keys[0]) != 0);
    set(settings, "outputs.snap_depth.far", "1");
    translator = NULL;
    CHECK(transpica_translator_create(settings, &translator, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(failure(result, "tolerance").code == TRANSPICA_CODE_BAD_OPTION);
    transpica_settings_free(settings);
}

static void options(void) {
    static const char *const VALUES[][2] = {
        {"arithmetic.precision", "fast"},
        {"block.layout", "{\"Custom\": {\"floats\": 32, \"ints\": 16, \"packing\": \"Bytes\", \"bools\": 0}}"},
        {"outputs.depth", "-w..w"},
        {"outputs.flip_y", "host"},
        {"outputs.clamp_colors", "false"},
        {"control.loop_guard", "1000"},
        {"control.bools", "b0=false,b1=specialized"},
        {"control.ints", "i0=3,0,0,0"},
        {"input.formats", "v1=uint:3"},
        {"spirv_version", "1.5"},
        {"names", "false"},
        {"bindings", "uniforms=0:0,host=0:7"},
        {"varyings", "azahar"},
        {"varyings.0.location", "9"},
        {"limits.depth", "50"},
    };
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *result;
    TranspicaMember member;
    TranspicaOutput output;
    TranspicaFigures figures;
    size_t index;

    for (index = 0; index < sizeof VALUES / sizeof *VALUES; index++) {
        set(settings, VALUES[index][0], VALUES[index][1]);
    }
    CHECK(strcmp(transpica_settings_get(settings, "outputs.depth", NULL), "-w..w") == 0);
    CHECK(strcmp(transpica_settings_get(settings, "input.formats.1.components", NULL), "3") == 0);
    CHECK(strstr(transpica_settings_describe(settings, "outputs.depth", NULL), "\"value\":\"-w..w\"") != NULL);
    translator = translator_of(settings);
    result = translated(translator, &raw.head);
    CHECK(transpica_result_words(result, NULL)[1] == 0x00010500);
    write_words("options", result);
    TRANSPICA_INIT(member, MEMBER);
    CHECK(transpica_result_member(result, 0, &member) == TRANSPICA_STATUS_OK);
    CHECK(member.offset == 32 && member.count == 96 && strcmp(member.name, "c") == 0);
    CHECK(transpica_result_member(result, 1, &member) == TRANSPICA_STATUS_OK);
    CHECK(member.type == TRANSPICA_MEMBER_TYPE_PACKED_INTS && member.offset == 16);
    TRANSPICA_INIT(figures, FIGURES);
    CHECK(transpica_result_figures(result, &figures) == TRANSPICA_STATUS_OK);
    CHECK(figures.uniform_size == 32 + 96 * 16);
    TRANSPICA_INIT(output, OUTPUT);
    CHECK(transpica_result_output(result, 1, &output) == TRANSPICA_STATUS_OK);
    CHECK(output.destination == TRANSPICA_DESTINATION_VARYING && output.location == 9);
    transpica_result_free(result);
    transpica_translator_free(translator);
    transpica_settings_free(settings);
}

static void promises(void) {
    TranspicaTranslator *translator;
    TranspicaResult *result = NULL;
    TranspicaRawProgram raw = raw_program();
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaReliance reliance;
    float uniforms[96 * 4] = {0};
    uint32_t broken[3] = {0, 0, 0};
    TranspicaMagnitudes attributes[16] = {{0, 0}};
    const float vertices[4] = {1, 0.25f, 3, -7};
    volatile float zero = 0;

    set(settings, "assume", "uniforms=2^4,v1=no-nan,results=finite");
    translator = translator_of(settings);
    transpica_settings_free(settings);
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_OK);
    TRANSPICA_INIT(reliance, RELIANCE);
    CHECK(transpica_result_reliance(result, &reliance) == TRANSPICA_STATUS_OK);
    CHECK(reliance.uniforms[0] == 1 << 8 && reliance.uniforms[1] == 0 && reliance.uniforms[2] == 0);
    CHECK(reliance.attributes == 2 && reliance.results == 1);

    // The program reads c8 alone.
    uniforms[9 * 4] = 100;
    CHECK(transpica_result_check_uniforms(result, 0, uniforms, 96, broken) == TRANSPICA_STATUS_OK);
    CHECK(broken[0] == 0);
    uniforms[8 * 4 + 3] = 1 / zero;
    CHECK(transpica_result_check_uniforms(result, 8, uniforms + 8 * 4, 1, broken) == TRANSPICA_STATUS_OK);
    CHECK(broken[0] == 1 << 8 && broken[1] == 0 && broken[2] == 0);
    CHECK(transpica_result_check_uniforms(result, 95, uniforms, 1, broken) == TRANSPICA_STATUS_OK);
    CHECK(broken[0] == 1 << 8);
    uniforms[8 * 4 + 3] = 15.5f;
    CHECK(transpica_result_check_uniforms(result, 0, uniforms, 96, broken) == TRANSPICA_STATUS_OK);
    CHECK(broken[0] == 0);
    CHECK(transpica_result_check_uniforms(result, 90, uniforms, 7, broken) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_check_uniforms(result, 1, uniforms, (size_t)-1, broken) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_check_uniforms(result, 0, NULL, 96, broken) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_check_uniforms(result, 0, uniforms, 96, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);

    // The second float of each record; the module relies on v1 alone.
    CHECK(transpica_magnitudes_add(&attributes[1], (const uint8_t *)vertices, sizeof vertices, 8, 4, 1) ==
          TRANSPICA_STATUS_OK);
    CHECK(memcmp(&attributes[1].largest, "\0\0\xE0\x40", 4) == 0 && memcmp(&attributes[1].least, "\0\0\x80\x3E", 4) == 0);
    CHECK(transpica_result_allows(result, broken, attributes) == 1);
    broken[0] = 1 << 8;
    CHECK(transpica_result_allows(result, broken, attributes) == 0);
    broken[0] = 1 << 9;
    attributes[0].largest = 0x7FC00000;
    CHECK(transpica_result_allows(result, broken, attributes) == 1);
    attributes[1].largest = 0x7FC00000;
    CHECK(transpica_result_allows(result, broken, attributes) == 0);
    CHECK(transpica_result_allows(result, NULL, attributes) == 0 && transpica_result_allows(NULL, broken, attributes) == 0);
    CHECK(transpica_magnitudes_add(NULL, NULL, 0, 8, 4, 1) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_magnitudes_add(&attributes[1], NULL, 0, 0, (size_t)-1, (size_t)-1) == TRANSPICA_STATUS_OK);
    transpica_result_free(result);
    transpica_translator_free(translator);

    // Without promises nothing is relied on, and without a program there is nothing to ask.
    translator = translator_of(NULL);
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_OK);
    CHECK(transpica_result_reliance(result, &reliance) == TRANSPICA_STATUS_OK);
    CHECK(reliance.uniforms[0] == 0 && reliance.attributes == 0 && reliance.results == 0);
    transpica_result_free(result);
    raw.entry = 70000;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(transpica_result_reliance(result, &reliance) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_check_uniforms(result, 0, uniforms, 96, broken) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_result_free(result);
    transpica_translator_free(translator);
}

static void bad_programs(const uint8_t *bytes, size_t size) {
    static const uint32_t UNDEFINED[] = {0x84000000, 0x40000000, 0x88000000};
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaExecutable file;
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaResult *result = NULL;
    TranspicaMessage message;
    TranspicaFigures figures;

    set(settings, "limits.code_words", "12");
    translator = translator_of(settings);
    transpica_settings_free(settings);
    TRANSPICA_INIT(file, EXECUTABLE);
    file.bytes = bytes;
    file.byte_count = size;
    CHECK(transpica_translate(translator, &file.head, &result) == TRANSPICA_STATUS_UNSUPPORTED);
    CHECK(failure(result, "exceeds the limit of 12").code == TRANSPICA_CODE_LIMIT);
    transpica_translator_free(translator);

    translator = translator_of(NULL);
    raw.code = UNDEFINED;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_UNSUPPORTED);
    TRANSPICA_INIT(figures, FIGURES);
    CHECK(transpica_result_figures(result, &figures) == TRANSPICA_STATUS_OK && figures.error_count == 1);
    CHECK(transpica_result_words(result, NULL) == NULL);
    message = failure(result, "opcode 0x10 is not defined");
    CHECK(message.code == TRANSPICA_CODE_BAD_OPCODE);
    CHECK(message.place == TRANSPICA_PLACE_CODE_WORD && message.at == 1);

    raw.entry = 70000;
    CHECK(transpica_scan(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(failure(result, "entry point").code == TRANSPICA_CODE_ENTRY_OUT_OF_CODE);

    TRANSPICA_INIT(file, EXECUTABLE);
    file.bytes = bytes;
    file.byte_count = size / 2;
    CHECK(transpica_translate(translator, &file.head, &result) == TRANSPICA_STATUS_INVALID);
    message = failure(result, "");
    CHECK(message.place == TRANSPICA_PLACE_BYTE_OFFSET && message.at > 0);
    file.byte_count = size;
    file.index = 5;
    CHECK(transpica_key(translator, &file.head, NULL, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "key is NULL").code == TRANSPICA_CODE_NULL_ARGUMENT);
    CHECK(transpica_translate(translator, &file.head, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(failure(result, "DVLE 5").code == TRANSPICA_CODE_NO_EXECUTABLE);
    transpica_translator_free(translator);
}

static void bad_settings(void) {
    static const struct {
        const char *path, *value, *part;
        uint32_t code;
    } WRONG[] = {
        {"outputs.dept", "raw", "did you mean `depth`?", TRANSPICA_CODE_BAD_OPTION},
        {"outputs.depth", "rav", "did you mean `raw`?", TRANSPICA_CODE_BAD_OPTION},
        {"control.permissive", "2", "control.permissive: invalid type", TRANSPICA_CODE_BAD_OPTION},
        {"limits.depth", "\xFF", "value is not UTF-8", TRANSPICA_CODE_BAD_OPTION},
        {NULL, "raw", "path is NULL", TRANSPICA_CODE_NULL_ARGUMENT},
        {"outputs.depth", NULL, "value is NULL", TRANSPICA_CODE_NULL_ARGUMENT},
    };
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaTranslator *translator = NULL;
    TranspicaResult *errors = NULL;
    size_t index;
    for (index = 0; index < sizeof WRONG / sizeof *WRONG; index++) {
        CHECK(transpica_settings_set(settings, WRONG[index].path, WRONG[index].value, &errors) == TRANSPICA_STATUS_BAD_ARGUMENT);
        CHECK(failure(errors, WRONG[index].part).code == WRONG[index].code);
        CHECK(transpica_settings_set(settings, WRONG[index].path, WRONG[index].value, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    }
    CHECK(transpica_settings_set(NULL, "names", "true", &errors) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(errors, "settings is NULL");
    CHECK(transpica_settings_get(settings, "output", &errors) == NULL);
    failure(errors, "did you mean `outputs`?");
    CHECK(transpica_settings_get(NULL, "outputs", NULL) == NULL && transpica_settings_describe(settings, NULL, NULL) == NULL);
    CHECK(transpica_settings_check(NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_settings_set_allocator(NULL, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    // Fields that contradict each other are refused at once.
    set(settings, "control.bools.baked", "4");
    set(settings, "control.bools.specialized", "4");
    CHECK(transpica_settings_check(settings, &errors) == TRANSPICA_STATUS_INVALID);
    CHECK(failure(errors, "b2 is both").code == TRANSPICA_CODE_BAD_OPTION);
    CHECK(transpica_translator_create(settings, &translator, &errors) == TRANSPICA_STATUS_INVALID && translator == NULL);
    CHECK(failure(errors, "b2 is both").code == TRANSPICA_CODE_BAD_OPTION);
    CHECK(transpica_settings_preset(settings, "azahar-vulkan", NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_settings_check(settings, NULL) == TRANSPICA_STATUS_OK);
    set(settings, "bindings.host.binding", "0");
    CHECK(transpica_settings_check(settings, &errors) == TRANSPICA_STATUS_INVALID);
    failure(errors, "binding");
    set(settings, "bindings", "host=0:1");
    set(settings, "varyings.0.location", "7");
    CHECK(transpica_translator_create(settings, &translator, &errors) == TRANSPICA_STATUS_INVALID);
    failure(errors, "location");
    transpica_settings_free(settings);
    transpica_settings_free(NULL);
}

// Translation of a chain fails.
static void refused(const TranspicaHead *program, const char *part, uint32_t code) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaResult *result = NULL;
    CHECK(transpica_translate(translator, program, &result) != TRANSPICA_STATUS_OK);
    CHECK(failure(result, part).code == code);
    transpica_translator_free(translator);
}

static void bad_chains(void) {
    struct {
        TranspicaRawProgram known;
        uint32_t unknown[2];
    } newer;
    TranspicaSalt salt, second;
    TranspicaHead stranger;
    TranspicaRequest request;
    TranspicaFigures figures;
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaResult *result = NULL;
    TranspicaRawProgram raw = raw_program(), other = raw_program();

    memset(&newer, 0, sizeof newer);
    newer.known = raw_program();
    newer.known.head.size = sizeof newer;
    transpica_result_free(translated(translator, &newer.known.head));
    newer.unknown[1] = 1;
    refused(&newer.known.head, "does not know", TRANSPICA_CODE_UNKNOWN_FIELD);

    raw.head.size -= 4;
    refused(&raw.head, "has size", TRANSPICA_CODE_BAD_SIZE);
    raw.head.size = 0xFFFFFFFF;
    refused(&raw.head, "has size", TRANSPICA_CODE_BAD_SIZE);
    raw = raw_program();
    stranger.type = (TranspicaType)999;
    stranger.size = sizeof stranger;
    stranger.next = NULL;
    refused(&stranger, "type 999", TRANSPICA_CODE_UNKNOWN_TYPE);
    stranger.type = (TranspicaType)0;
    refused(&stranger, "type 0", TRANSPICA_CODE_UNKNOWN_TYPE);
    refused((const TranspicaHead *)((const char *)&stranger + 1), "aligned", TRANSPICA_CODE_BAD_CHAIN);
    TRANSPICA_INIT(salt, SALT);
    TRANSPICA_INIT(second, SALT);
    salt.head.next = &second.head;
    refused(&salt.head, "two of TranspicaSalt", TRANSPICA_CODE_REPEATED_TYPE);
    salt.head.next = &salt.head;
    refused(&salt.head, "two of TranspicaSalt", TRANSPICA_CODE_REPEATED_TYPE);
    raw.stage = (TranspicaStage)3;
    refused(&raw.head, "TranspicaRawProgram.stage is 3", TRANSPICA_CODE_UNKNOWN_CHOICE);
    raw = raw_program();

    CHECK(transpica_translate(translator, NULL, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "transpica_translate").code == TRANSPICA_CODE_NO_PROGRAM);
    raw.head.next = &other.head;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "two programs").code == TRANSPICA_CODE_REPEATED_TYPE);
    TRANSPICA_INIT(request, REQUEST);
    request.head.next = &other.head;
    other.reserved = 1;
    CHECK(transpica_translate(translator, &request.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "reserved").code == TRANSPICA_CODE_UNKNOWN_FIELD);
    TRANSPICA_INIT(figures, FIGURES);
    raw.head.next = &figures.head;
    CHECK(transpica_scan(translator, &raw.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "transpica_scan").code == TRANSPICA_CODE_MISPLACED_TYPE);
    transpica_translator_free(translator);
}

static void nulls(void) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *result = NULL, *good;
    TranspicaMessage message;
    TranspicaFigures figures;
    TranspicaKey key;
    TranspicaRegisters *registers = NULL;
    uint8_t bytes[16];
    size_t count = 9;

    CHECK(transpica_translator_create(NULL, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_translate(NULL, &raw.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "translator is NULL").code == TRANSPICA_CODE_NULL_ARGUMENT);
    CHECK(transpica_translate(translator, &raw.head, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_scan(translator, &raw.head, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_key(NULL, &raw.head, &key, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_key(translator, &raw.head, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    raw.code = NULL;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "TranspicaRawProgram.code is NULL").code == TRANSPICA_CODE_NULL_ARGUMENT);
    raw = raw_program();
    good = translated(translator, &raw.head);

    CHECK(transpica_result_status(NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_words(NULL, &count) == NULL && count == 0);
    CHECK(transpica_result_text(NULL, TRANSPICA_TARGET_WGSL, NULL) == NULL);
    CHECK(transpica_result_figures(good, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    TRANSPICA_INIT(figures, FIGURES);
    CHECK(transpica_result_figures(NULL, &figures) == TRANSPICA_STATUS_BAD_ARGUMENT);
    figures.head.type = TRANSPICA_TYPE_MESSAGE;
    CHECK(transpica_result_figures(good, &figures) == TRANSPICA_STATUS_BAD_ARGUMENT);
    TRANSPICA_INIT(message, MESSAGE);
    CHECK(transpica_result_error(good, 0, &message) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_warning(good, 0, &message) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_input(good, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_output(good, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_member(NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_result_member_named(NULL, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_create(NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_copy(NULL, &registers) == TRANSPICA_STATUS_BAD_ARGUMENT && registers == NULL);
    CHECK(transpica_registers_write(NULL, 0, 0) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_commands(NULL, NULL, 0) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_check(NULL, NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_registers_read(NULL, 0x2BA) == 0);
    CHECK(transpica_registers_pack(NULL, 0, good, bytes, 16) == TRANSPICA_STATUS_BAD_ARGUMENT);

    transpica_result_free(good);
    transpica_result_free(NULL);
    transpica_registers_free(NULL);
    transpica_translator_free(translator);
    transpica_translator_free(NULL);
}

typedef struct Counter {
    long live;
    long calls;
    long fail_at;
} Counter;

static void *allocate(void *user, size_t size, size_t alignment) {
    Counter *counter = (Counter *)user;
    CHECK(alignment <= sizeof(void *));
    if (++counter->calls == counter->fail_at) {
        return NULL;
    }
    counter->live += (long)size;
    return malloc(size);
}

static void release(void *user, void *memory, size_t size) {
    ((Counter *)user)->live -= (long)size;
    free(memory);
}

static void allocators(void) {
    Counter counter = {0, 0, 0};
    TranspicaAllocator allocator = {allocate, NULL, &counter};
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaRequest request;
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *result = NULL;
    long calls;

    CHECK(transpica_settings_set_allocator(settings, &allocator, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(failure(result, "TranspicaAllocator.free is NULL").code == TRANSPICA_CODE_NULL_ARGUMENT);
    allocator.free = release;
    CHECK(transpica_settings_set_allocator(settings, &allocator, NULL) == TRANSPICA_STATUS_OK);
    translator = translator_of(settings);
    TRANSPICA_INIT(request, REQUEST);
    request.targets = TRANSPICA_TARGET_SPIRV | TRANSPICA_TARGET_REFLECTION;
    raw.head.next = &request.head;
    result = translated(translator, &raw.head);
    CHECK(counter.live > 0 && counter.calls == 3);
    // Results outlive their translator.
    transpica_translator_free(translator);
    CHECK(transpica_result_words(result, NULL)[0] == 0x07230203);
    transpica_result_free(result);
    CHECK(counter.live == 0);

    translator = translator_of(settings);
    CHECK(transpica_settings_set_allocator(settings, NULL, NULL) == TRANSPICA_STATUS_OK);
    transpica_settings_free(settings);
    for (calls = counter.calls; counter.fail_at < calls + 3;) {
        counter.calls = calls;
        counter.fail_at = counter.fail_at < calls ? calls + 1 : counter.fail_at + 1;
        CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_OUT_OF_MEMORY);
        CHECK(failure(result, "allocator").code == TRANSPICA_CODE_OUT_OF_MEMORY);
        CHECK(counter.live == 0);
    }
    counter.fail_at = 0;
    raw.entry = 99;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    CHECK(counter.live > 0);
    transpica_result_free(result);
    CHECK(counter.live == 0);
    transpica_translator_free(translator);
}

static void batches(const uint8_t *bytes, size_t size) {
    TranspicaRawProgram raw = raw_program();
    TranspicaBatch *batch = NULL;
    TranspicaResult *errors = NULL;
    TranspicaUniforms uniforms;
    TranspicaRegisters *registers = NULL;
    TranspicaExecutable executable;
    static float inputs[65][16][4], outputs[65][16][4];
    float *x;
    int vertex;
    CHECK(transpica_batch_create(NULL, &raw.head, 1000, &batch, &errors) == TRANSPICA_STATUS_OK);
    CHECK(batch != NULL && errors == NULL);
    // The program copies v0, and multiplies c8 by v1.x.
    memset(&uniforms, 0, sizeof uniforms);
    uniforms.floats[8][1] = 2;
    CHECK(transpica_batch_set_uniforms(batch, &uniforms) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_input(batch, 2, 0) == NULL && transpica_batch_input(batch, 16, 0) == NULL);
    CHECK(transpica_batch_input(batch, 0, 4) == NULL && transpica_batch_output(batch, 16, 0) == NULL);
    x = transpica_batch_input(batch, 0, 0);
    CHECK(x != NULL);
    x[0] = 3;
    x[TRANSPICA_BATCH_LANES - 1] = 4;
    CHECK(transpica_batch_run(batch, TRANSPICA_BATCH_LANES, &errors) == TRANSPICA_STATUS_OK && errors == NULL);
    CHECK(transpica_batch_output(batch, 0, 0)[0] == 3);
    CHECK(transpica_batch_output(batch, 0, 0)[TRANSPICA_BATCH_LANES - 1] == 4);
    // One vertex more than lanes.
    for (vertex = 0; vertex < 65; vertex++) {
        inputs[vertex][0][2] = (float)vertex;
        inputs[vertex][1][0] = (float)vertex;
    }
    CHECK(transpica_batch_run_vertices(batch, &inputs[0][0][0], &outputs[0][0][0], 65, NULL) == TRANSPICA_STATUS_OK);
    for (vertex = 0; vertex < 65; vertex++) {
        CHECK(outputs[vertex][0][2] == (float)vertex && outputs[vertex][1][1] == (float)(2 * vertex));
    }
    CHECK(transpica_batch_run_vertices(batch, NULL, NULL, 0, NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_run_vertices(batch, NULL, &outputs[0][0][0], 1, &errors) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(errors, "inputs is NULL");
    CHECK(transpica_batch_run_vertices(batch, &inputs[0][0][0], &outputs[0][0][0], (size_t)-1 / 8, &errors) ==
          TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(errors, "exceed");
    // Uniforms of registers, all zero.
    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_use_registers(batch, registers) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_run_vertices(batch, &inputs[0][0][0], &outputs[0][0][0], 65, NULL) == TRANSPICA_STATUS_OK);
    CHECK(outputs[64][1][1] == 0);
    CHECK(transpica_batch_use_registers(batch, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    uniforms.reserved = 1;
    CHECK(transpica_batch_set_uniforms(batch, &uniforms) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_registers_free(registers);
    transpica_batch_free(batch);
    // Two instructions do not suffice for three.
    CHECK(transpica_batch_create(NULL, &raw.head, 2, &batch, NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_run(batch, 2, &errors) != TRANSPICA_STATUS_OK);
    failure(errors, "vertex 0: ");
    transpica_batch_free(batch);
    raw.stage = TRANSPICA_STAGE_GEOMETRY;
    CHECK(transpica_batch_create(NULL, &raw.head, 1000, &batch, &errors) != TRANSPICA_STATUS_OK && batch == NULL);
    failure(errors, "geometry");
    CHECK(transpica_batch_create(NULL, NULL, 1000, &batch, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_batch_create(NULL, &raw.head, 1000, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_batch_run(NULL, 1, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_batch_input(NULL, 0, 0) == NULL && transpica_batch_output(NULL, 0, 0) == NULL);
    transpica_batch_free(NULL);
    // A file, whose constants the batch has.
    TRANSPICA_INIT(executable, EXECUTABLE);
    executable.bytes = bytes;
    executable.byte_count = size;
    CHECK(transpica_batch_create(NULL, &executable.head, 100000, &batch, NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_batch_run(batch, 64, NULL) == TRANSPICA_STATUS_OK);
    transpica_batch_free(batch);
}

static void draws(void) {
    TranspicaRawProgram raw = raw_program();
    TranspicaBatch *batch = NULL;
    TranspicaResult *errors = NULL;
    TranspicaUniforms uniforms;
    TranspicaRegisters *registers = NULL;
    TranspicaVertexAttribute attributes[2];
    TranspicaDraw draw;
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 255, 8};
    const uint16_t indices[4] = {3, 0, 3, 1};
    float records[4][8];
    memset(&uniforms, 0, sizeof uniforms);
    memset(attributes, 0, sizeof attributes);
    memset(&draw, 0, sizeof draw);
    CHECK(transpica_batch_create(NULL, &raw.head, 1000, &batch, NULL) == TRANSPICA_STATUS_OK);
    uniforms.floats[8][1] = 2;
    CHECK(transpica_batch_set_uniforms(batch, &uniforms) == TRANSPICA_STATUS_OK);
    attributes[0].bytes = bytes;
    attributes[0].byte_count = sizeof bytes;
    attributes[0].stride = 2;
    attributes[0].number = TRANSPICA_NUMBER_U8;
    attributes[0].components = 2;
    attributes[1].value[0] = 0.25f;
    draw.attributes = attributes;
    draw.attribute_count = 2;
    draw.indices = indices;
    draw.index_size = 2;
    draw.count = 4;
    draw.outputs = 3;
    // Two registers: the attribute and 2 * 0.25.
    CHECK(transpica_batch_record_floats(batch, NULL, 3) == 8 && transpica_batch_record_floats(NULL, NULL, 3) == 0);
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, &errors) == TRANSPICA_STATUS_OK && errors == NULL);
    CHECK(records[0][0] == 255 && records[2][1] == 8 && records[1][0] == 1 && records[3][1] == 4);
    CHECK(records[0][3] == 1 && records[0][5] == 0.5f && records[3][5] == 0.5f);
    // Vertices in their order, with the maps of registers: attribute 0 is v1, attribute 1 is v0.
    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    transpica_registers_write(registers, 0x2B9, 1);
    transpica_registers_write(registers, 0x2BB, 0x01);
    transpica_registers_write(registers, 0x2BD, 3);
    transpica_registers_write(registers, 0x04F, 2);
    transpica_registers_write(registers, 0x050, 0x03020100);
    transpica_registers_write(registers, 0x051, 0x0B0A0908);
    draw.registers = registers;
    draw.index_size = 0;
    draw.first = 1;
    draw.count = 3;
    CHECK(transpica_batch_record_floats(batch, registers, 0) == 8);
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 24, NULL) == TRANSPICA_STATUS_OK);
    // Colors are clamped.
    CHECK(records[0][0] == 0.25f && records[2][5] == 1.0f);
    // Fields at places of the host's choice, in a copy that shares the program.
    {
        const uint32_t offsets[2] = {5, 0}, beyond[2] = {6, 0};
        const float half[1][4] = {{0, 0.5f, 0, 0}};
        float placed[3][10];
        TranspicaBatch *copy = NULL;
        memset(placed, 0, sizeof placed);
        CHECK(transpica_batch_copy(batch, &copy, NULL) == TRANSPICA_STATUS_OK);
        draw.record_stride = 10;
        draw.offsets = offsets;
        draw.offset_count = 2;
        CHECK(transpica_batch_draw(copy, &draw, &placed[0][0], 30, NULL) == TRANSPICA_STATUS_OK);
        CHECK(placed[0][5] == 0.25f && placed[2][1] == 1.0f && placed[2][9] == 0);
        // c8.y scales the attribute: half of it is not clamped.
        CHECK(transpica_batch_write_floats(copy, 8, half, 1) == TRANSPICA_STATUS_OK);
        CHECK(transpica_batch_draw(copy, &draw, &placed[0][0], 30, NULL) == TRANSPICA_STATUS_OK);
        CHECK(transpica_batch_write_floats(copy, 95, half, 2) == TRANSPICA_STATUS_BAD_ARGUMENT);
        CHECK(transpica_batch_write_floats(copy, 8, NULL, 1) == TRANSPICA_STATUS_BAD_ARGUMENT);
        draw.offsets = beyond;
        draw.record_stride = 9;
        CHECK(transpica_batch_draw(copy, &draw, &placed[0][0], 30, NULL) != TRANSPICA_STATUS_OK);
        draw.offset_count = 1;
        CHECK(transpica_batch_draw(copy, &draw, &placed[0][0], 30, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
        draw.record_stride = draw.offset_count = 0;
        draw.offsets = NULL;
        transpica_batch_free(copy);
    }
    // Each argument is checked.
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 23, &errors) != TRANSPICA_STATUS_OK);
    failure(errors, "3 records of 8 floats");
    draw.count = 4;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, &errors) != TRANSPICA_STATUS_OK);
    failure(errors, "vertex 3: ");
    draw.count = 1;
    CHECK(transpica_batch_draw(batch, &draw, NULL, 32, &errors) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(errors, "records is NULL");
    draw.index_size = 3;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.index_size = 0;
    draw.flip_y = 2;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.flip_y = 0;
    draw.parameter_count = 17;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.parameter_count = 1;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.parameter_count = 0;
    // Without registers: the outputs of the program that the batch was made from, whose color is
    // clamped, too.
    draw.registers = NULL;
    draw.outputs = 0;
    CHECK(transpica_batch_record_floats(batch, NULL, 0) == 8);
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 8, NULL) == TRANSPICA_STATUS_OK);
    CHECK(records[0][0] == 3 && records[0][3] == 1 && records[0][5] == 0.5f);
    draw.outputs = 0x10000;
    CHECK(transpica_batch_draw(batch, &draw, &records[0][0], 32, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.outputs = 0;
    attributes[0].components = 5;
    CHECK(transpica_batch_draw(batch, &draw, NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    attributes[0].components = 1;
    attributes[0].number = (TranspicaNumber)4;
    CHECK(transpica_batch_draw(batch, &draw, NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_batch_draw(batch, NULL, NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.reserved = 1;
    CHECK(transpica_batch_draw(batch, &draw, NULL, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    memset(&draw, 0, sizeof draw);
    CHECK(transpica_batch_draw(batch, &draw, NULL, 0, NULL) == TRANSPICA_STATUS_OK);
    transpica_registers_free(registers);
    transpica_batch_free(batch);
}

// Hosts that do not keep the number of outputs get all that the mask enables.
static void unknown_output_counts(void) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *known = translated(translator, &raw.head), *unknown = NULL;
    raw.output_count = 0;
    unknown = translated(translator, &raw.head);
    CHECK(same_words(known, unknown));
    raw.output_count = 1;
    transpica_result_free(unknown);
    unknown = translated(translator, &raw.head);
    CHECK(!same_words(known, unknown));
    transpica_result_free(unknown);
    transpica_result_free(known);
    transpica_translator_free(translator);
}

// A list of one triangle of a vertex program that moves v0 to the position and v1 to the color.
static void pipelines(void) {
    static const uint32_t WRITES[][2] = {
        {0x2CB, 0}, {0x2CC, 0x4C000000}, {0x2CC, 0x4C201000}, {0x2CC, 0x88000000}, {0x2D5, 0}, {0x2D6, 0x36F},
        {0x2BA, 0x7FFF0000}, {0x2B9, 0xA0000001}, {0x2BB, 0x76543210}, {0x2BD, 3}, {0x04F, 2},
        {0x050, 0x03020100}, {0x051, 0x0B0A0908},
    };
    const float bytes[6] = {1, 2, 3, 4, 5, 6};
    const uint32_t offsets[2] = {4, 0}, by_semantic[3] = {4, 99, 0};
    TranspicaKey key, other;
    TranspicaRegisters *registers = NULL;
    TranspicaPipeline *pipeline = NULL, *copy = NULL;
    TranspicaResult *errors = NULL;
    TranspicaVertexAttribute attribute;
    TranspicaDrawLimits limits;
    TranspicaDraw draw;
    float records[3][8];
    size_t count = 0, index;
    memset(&attribute, 0, sizeof attribute);
    memset(&draw, 0, sizeof draw);
    memset(&limits, 0, sizeof limits);
    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    for (index = 0; index < sizeof WRITES / sizeof *WRITES; index++) {
        transpica_registers_write(registers, WRITES[index][0], WRITES[index][1]);
    }
    CHECK(transpica_pipeline_create(NULL, registers, &pipeline, &errors) == TRANSPICA_STATUS_OK && errors == NULL);
    CHECK(transpica_pipeline_record_floats(pipeline) == 8 && transpica_pipeline_record_floats(NULL) == 0);
    attribute.bytes = (const uint8_t *)bytes;
    attribute.byte_count = sizeof bytes;
    attribute.stride = 8;
    attribute.number = TRANSPICA_NUMBER_F32;
    attribute.components = 2;
    draw.attributes = &attribute;
    draw.attribute_count = 1;
    draw.registers = registers;
    draw.count = 3;
    CHECK(transpica_pipeline_part(pipeline) == 3 && transpica_pipeline_part(NULL) == 0);
    CHECK(transpica_pipeline_read(pipeline, NULL, 0) == TRANSPICA_STATUS_OK);
    // Room for all of it, with a registers of its own: those of the draw do not count.
    draw.registers = NULL;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, &errors) == TRANSPICA_STATUS_OK);
    CHECK(count == 3 && errors == NULL);
    CHECK(records[0][0] == 1 && records[2][1] == 6 && records[1][3] == 1 && records[1][7] == 1);
    CHECK(transpica_pipeline_read(pipeline, NULL, 0) == TRANSPICA_STATUS_OK);
    // No room for a triangle: it is read later.
    draw.offsets = offsets;
    draw.offset_count = 2;
    memset(records, 0, sizeof records);
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 23, &count, NULL) == TRANSPICA_STATUS_OK);
    CHECK(count == 3 && records[0][4] == 0);
    CHECK(transpica_pipeline_read(pipeline, &records[0][0], 23) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_read(pipeline, NULL, 24) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_read(pipeline, &records[0][0], 24) == TRANSPICA_STATUS_OK);
    CHECK(records[0][4] == 1 && records[2][5] == 6);
    // Places by semantic: the position at 4, the color at 0.
    draw.offsets = by_semantic;
    draw.offset_count = 3;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.by_semantic = 1;
    memset(records, 0, sizeof records);
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) == TRANSPICA_STATUS_OK);
    CHECK(records[0][4] == 1 && records[2][5] == 6 && records[2][3] == 1);
    draw.offset_count = 2;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, &errors) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(errors, "none for color");
    draw.by_semantic = 2;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.by_semantic = 0;
    draw.record_stride = 7;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) != TRANSPICA_STATUS_OK);
    draw.record_stride = 8;
    draw.offset_count = 1;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.offset_count = 0;
    draw.reserved = 1;
    CHECK(transpica_pipeline_draw(pipeline, &draw, &records[0][0], 24, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    draw.reserved = 0;
    CHECK(transpica_pipeline_draw(pipeline, &draw, NULL, 24, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    // A topology makes another pipeline, uniforms do not.
    CHECK(transpica_pipeline_key(registers, &key, NULL) == TRANSPICA_STATUS_OK);
    transpica_registers_write(registers, 0x2B0, 1);
    CHECK(transpica_pipeline_key(registers, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) == 0);
    transpica_registers_write(registers, 0x25E, 0x100);
    CHECK(transpica_pipeline_key(registers, &other, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&key, &other, sizeof key) != 0);
    CHECK(transpica_pipeline_key(registers, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_key(NULL, &key, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_hand_over(pipeline, registers, NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_pipeline_hand_over(NULL, registers, pipeline) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_use_registers(pipeline, registers) == TRANSPICA_STATUS_OK);
    CHECK(transpica_pipeline_use_registers(pipeline, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_copy(pipeline, &copy, NULL) == TRANSPICA_STATUS_OK);
    // A vertex that is not there, and a limit.
    draw.count = 4;
    CHECK(transpica_pipeline_draw(copy, &draw, NULL, 0, &count, &errors) != TRANSPICA_STATUS_OK);
    failure(errors, "3");
    CHECK(transpica_pipeline_hand_over(copy, NULL, pipeline) == TRANSPICA_STATUS_OK);
    limits.steps = 2;
    draw.count = 3;
    CHECK(transpica_pipeline_set_limits(copy, &limits) == TRANSPICA_STATUS_OK);
    CHECK(transpica_pipeline_set_limits(copy, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_draw(copy, &draw, NULL, 0, &count, &errors) != TRANSPICA_STATUS_OK);
    failure(errors, "instructions");
    CHECK(transpica_pipeline_draw(pipeline, &draw, NULL, 0, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pipeline_draw(NULL, &draw, NULL, 0, &count, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_pipeline_free(copy);
    transpica_pipeline_free(pipeline);
    transpica_pipeline_free(NULL);
    transpica_registers_free(registers);
}

static void hooks_are_checked_and_applied(void) {
    TranspicaRawProgram raw = raw_program();
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaResult *result = NULL;
    TranspicaHooks hooks;
    TranspicaHook list[4];
    TranspicaBatch *batch = NULL;
    TranspicaRegisters *registers = NULL;
    TranspicaVertexAttribute attributes[2];
    TranspicaDraw draw;
    TranspicaUniforms uniforms;
    float parameters[2][4] = {{0.5f, 0, 0, 0}, {0, 0.25f, 0, 0}};
    float records[8];
    TranspicaKey plain, hooked;
    memset(list, 0, sizeof list);
    memset(attributes, 0, sizeof attributes);
    memset(&draw, 0, sizeof draw);
    memset(&uniforms, 0, sizeof uniforms);
    TRANSPICA_INIT(hooks, HOOKS);
    CHECK(transpica_key(translator, &raw.head, &plain, NULL) == TRANSPICA_STATUS_OK);
    raw.head.next = &hooks.head;
    // No hooks change no key.
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&plain, &hooked, sizeof plain) == 0);
    // x of the position is halved, c8 is parameter 1, and the second instruction is looked at.
    list[0].kind = TRANSPICA_HOOK_KIND_MULTIPLY;
    list[0].semantic = TRANSPICA_SEMANTIC_POSITION;
    list[0].mask = 1;
    list[0].operands[0].is_parameter = 1;
    list[1].kind = TRANSPICA_HOOK_KIND_REDIRECT;
    list[1].number = 8;
    list[1].operands[0].is_parameter = 1;
    list[1].operands[0].parameter = 1;
    list[2].kind = TRANSPICA_HOOK_KIND_TAP;
    list[2].number = 1;
    list[2].location = 9;
    // The position comes a second time, too.
    list[3].kind = TRANSPICA_HOOK_KIND_AGAIN;
    list[3].location = 10;
    hooks.hooks = list;
    hooks.hook_count = 4;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_OK);
    CHECK(memcmp(&plain, &hooked, sizeof plain) != 0);
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_OK);
    write_words("hooks", result);
    transpica_result_free(result);
    // The same on the CPU.
    CHECK(transpica_batch_create(NULL, &raw.head, 1000, &batch, NULL) == TRANSPICA_STATUS_OK);
    uniforms.floats[8][1] = 100;
    CHECK(transpica_batch_set_uniforms(batch, &uniforms) == TRANSPICA_STATUS_OK);
    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    transpica_registers_write(registers, 0x2B9, 1);
    transpica_registers_write(registers, 0x2BB, 0x10);
    transpica_registers_write(registers, 0x2BD, 3);
    transpica_registers_write(registers, 0x04F, 2);
    transpica_registers_write(registers, 0x050, 0x03020100);
    transpica_registers_write(registers, 0x051, 0x0B0A0908);
    attributes[0].value[0] = 6;
    attributes[1].value[0] = 2;
    draw.attributes = attributes;
    draw.attribute_count = 2;
    draw.count = 1;
    draw.registers = registers;
    draw.parameters = &parameters[0][0];
    draw.parameter_count = 2;
    CHECK(transpica_batch_draw(batch, &draw, records, 8, NULL) == TRANSPICA_STATUS_OK);
    CHECK(records[0] == 3 && records[5] == 0.5f);
    transpica_batch_free(batch);
    transpica_registers_free(registers);
    // Each field is checked.
    list[2].number = 3;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    failure(result, "hook 2: the program has 3 words");
    list[2].number = 0x10000;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    list[2].number = 1;
    list[1].number = 96;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    failure(result, "c96 does not exist");
    list[1].number = 8;
    list[0].mask = 16;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    list[0].mask = 1;
    list[0].semantic = (TranspicaSemantic)9;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    list[0].semantic = TRANSPICA_SEMANTIC_POSITION;
    list[0].operands[0].is_parameter = 2;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    list[0].operands[0].is_parameter = 1;
    list[0].operands[0].parameter = 16;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    failure(result, "parameter 16 does not exist");
    list[0].operands[0].parameter = 0;
    list[0].kind = TRANSPICA_HOOK_KIND_AGAIN;
    CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_INVALID);
    failure(result, "hook 3: a module has one second evaluation");
    list[0].kind = (TranspicaHookKind)7;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    list[0].kind = TRANSPICA_HOOK_KIND_SET;
    list[0].reserved = 1;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    hooks.hooks = NULL;
    CHECK(transpica_key(translator, &raw.head, &hooked, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_translator_free(translator);
}

static void presets(void) {
    static const char *const NAMES[] = {"azahar-vulkan", "azahar-opengl", "azahar-opengles", "panda3ds-opengl", "panda3ds-opengles",
                                        "tanuki3ds-opengl"};
    TranspicaSettings *settings = transpica_settings_new();
    TranspicaTranslator *translator;
    TranspicaRawProgram raw = raw_program();
    TranspicaResult *result = NULL;
    size_t index;
    for (index = 0; index < sizeof NAMES / sizeof *NAMES; index++) {
        CHECK(transpica_settings_preset(settings, NAMES[index], NULL) == TRANSPICA_STATUS_OK);
        translator = translator_of(settings);
        CHECK(transpica_translator_warm_up(translator) == TRANSPICA_STATUS_OK);
        CHECK(transpica_translate(translator, &raw.head, &result) == TRANSPICA_STATUS_OK);
        write_words(NAMES[index], result);
        transpica_result_free(result);
        transpica_translator_free(translator);
    }
    CHECK(transpica_settings_preset(settings, "azahar-vulcan", &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(result, "did you mean `azahar-vulkan`?");
    CHECK(transpica_translator_warm_up(NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_settings_preset(settings, NULL, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_settings_preset(NULL, NAMES[0], NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_settings_float_controls(settings, 1, 0, 1, NULL) == TRANSPICA_STATUS_OK);
    CHECK(strcmp(transpica_settings_get(settings, "float_controls.rounding", NULL), "true") == 0);
    CHECK(strcmp(transpica_settings_get(settings, "float_controls.subnormals", NULL), "false") == 0);
    CHECK(transpica_settings_float_controls(NULL, 1, 1, 1, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_settings_free(settings);
}

static void geometry(const uint8_t *bytes, size_t size) {
    TranspicaTranslator *translator = translator_of(NULL);
    TranspicaSetup *setup = NULL;
    TranspicaResult *result = NULL, *kernel_result = NULL;
    TranspicaPlan *plan = NULL;
    TranspicaRegisters *registers = NULL;
    TranspicaExecutable executable;
    TranspicaJob job;
    TranspicaKernel kernel;
    TranspicaPlanRequest request;
    TranspicaPlanFigures figures;
    TranspicaKey key, other;
    uint32_t block[8], uses[6], *words;
    uint32_t use_count = 0;
    size_t word_count = 0;
    unsigned pass;
    const struct {
        TranspicaEntryPoint entry_point;
        uint32_t index;
        const char *name;
    } entry_points[] = {
        {TRANSPICA_ENTRY_POINT_COMPUTE, 0, "geometry_vertices"},
        {TRANSPICA_ENTRY_POINT_GEOMETRY, 1, "geometry"},
        {TRANSPICA_ENTRY_POINT_DRAW, 1, "geometry_draw"},
        {TRANSPICA_ENTRY_POINT_BEFORE_GEOMETRY, 0, "geometry_before"},
        {TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE, 1, "geometry_stage"},
    };
    CHECK(transpica_setup_from_file(bytes, size, 0, 1, 0, &setup, NULL) == TRANSPICA_STATUS_OK);
    CHECK(transpica_setup_vertex_outputs(setup) != 0 && transpica_setup_vertex_outputs(NULL) == 0);
    CHECK(transpica_setup_topology(setup) == TRANSPICA_TOPOLOGY_GEOMETRY);
    CHECK(transpica_setup_point_vertices(setup) == 1 && transpica_setup_point_vertices(NULL) == 1);
    TRANSPICA_INIT(executable, EXECUTABLE);
    TRANSPICA_INIT(job, JOB);
    executable.bytes = bytes;
    executable.byte_count = size;
    executable.head.next = &job.head;
    job.setup = setup;
    for (pass = 0; pass < sizeof entry_points / sizeof *entry_points; ++pass) {
        executable.index = entry_points[pass].index;
        job.entry_point = entry_points[pass].entry_point;
        CHECK(transpica_translate(translator, &executable.head, &result) == TRANSPICA_STATUS_OK);
        write_words(entry_points[pass].name, result);
        CHECK(transpica_key(translator, &executable.head, &key, NULL) == TRANSPICA_STATUS_OK);
        CHECK(pass == 0 || memcmp(&key, &other, sizeof key) != 0);
        other = key;
        if (job.entry_point == TRANSPICA_ENTRY_POINT_GEOMETRY) {
            kernel_result = result;
        } else {
            TRANSPICA_INIT(kernel, KERNEL);
            CHECK(transpica_result_kernel(result, &kernel) == TRANSPICA_STATUS_BAD_ARGUMENT);
            transpica_result_free(result);
        }
    }
    TRANSPICA_INIT(kernel, KERNEL);
    CHECK(transpica_result_kernel(kernel_result, &kernel) == TRANSPICA_STATUS_OK);
    CHECK(kernel.dependence == TRANSPICA_DEPENDENCE_NONE && kernel.has_triangles == 1 && kernel.triangles == 2);
    CHECK(kernel.state_count == 0 && kernel.vectors > 0);
    CHECK(transpica_result_state(kernel_result, NULL, 0) == TRANSPICA_STATUS_OK);
    CHECK(transpica_result_state(kernel_result, block, 1) == TRANSPICA_STATUS_BAD_ARGUMENT);
    memset(&request, 0, sizeof request);
    CHECK(transpica_plan_create(&request, &plan, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(result, "TranspicaPlanRequest.setup is NULL");
    request.setup = setup;
    request.kernel = kernel_result;
    request.vertices = 1000;
    CHECK(transpica_plan_create(&request, &plan, NULL) == TRANSPICA_STATUS_OK);
    TRANSPICA_INIT(figures, PLAN_FIGURES);
    CHECK(transpica_plan_figures(plan, &figures) == TRANSPICA_STATUS_OK);
    CHECK(figures.invocations == 1000 && figures.threads == 1000 && figures.draw_count == 1);
    CHECK(figures.vertex_bytes == 1000 * 256 && figures.triangle_bytes == 1000 * 2 * 3 * 16 * (uint64_t)kernel.vectors);
    CHECK(figures.vertex_groups[0] == 16 && figures.geometry_groups[0] == 16 && figures.list_bytes == figures.triangle_bytes);
    CHECK(figures.pass_groups[TRANSPICA_PASS_SCAN][0] == 1 && figures.pass_groups[TRANSPICA_PASS_COMPACT][0] == 0);
    CHECK(figures.result_bytes == 40 && figures.groups_offset == 28);
    CHECK(figures.feed_block[1] == 1000 && figures.collect_block[1] == 2 && figures.primitive_bytes == 0);
    CHECK(transpica_plan_draw_block(plan, 0, block) == TRANSPICA_STATUS_OK && block[0] == 1000 && block[5] == 2);
    CHECK(transpica_plan_draw_block(plan, 1, block) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_plan_draw_block(plan, 0, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_plan_primitives(plan, NULL, 0) == TRANSPICA_STATUS_OK);
    CHECK(transpica_plan_primitives(plan, (uint8_t *)block, 4) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_plan_free(plan);
    transpica_plan_free(NULL);
    request.bytes = 100;
    CHECK(transpica_plan_create(&request, &plan, &result) != TRANSPICA_STATUS_OK && plan == NULL);
    failure(result, "bytes of vertices");
    for (pass = TRANSPICA_PASS_FEED; pass <= TRANSPICA_PASS_COMPACT; ++pass) {
        CHECK(transpica_pass_words(pass, NULL, &word_count) == TRANSPICA_STATUS_OK && word_count > 100);
        words = (uint32_t *)malloc(word_count * sizeof *words);
        CHECK(words != NULL && transpica_pass_words(pass, words, &word_count) == TRANSPICA_STATUS_OK);
        CHECK(words[0] == 0x07230203);
        --word_count;
        CHECK(transpica_pass_words(pass, words, &word_count) == TRANSPICA_STATUS_BAD_ARGUMENT);
        free(words);
        CHECK(transpica_pass_bindings(pass, uses, &use_count) == TRANSPICA_STATUS_OK && use_count >= 4);
        CHECK(uses[pass == TRANSPICA_PASS_SCAN ? 3 : 0] <= TRANSPICA_BINDING_USE_WRITE);
    }
    CHECK(transpica_pass_words(3, NULL, &word_count) == TRANSPICA_STATUS_BAD_ARGUMENT);
    CHECK(transpica_pass_bindings(3, uses, &use_count) == TRANSPICA_STATUS_BAD_ARGUMENT);
    // A setup that is missing or of no draw with a geometry program.
    job.setup = NULL;
    CHECK(transpica_translate(translator, &executable.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(result, "TranspicaJob.setup is NULL");
    CHECK(transpica_registers_create(&registers) == TRANSPICA_STATUS_OK);
    CHECK(transpica_registers_have_geometry(registers) == 0 && transpica_registers_have_geometry(NULL) == 0);
    transpica_setup_free(setup);
    CHECK(transpica_setup_from_registers(registers, &setup, NULL) == TRANSPICA_STATUS_OK);
    job.setup = setup;
    CHECK(transpica_translate(translator, &executable.head, &result) != TRANSPICA_STATUS_OK);
    failure(result, "no geometry program");
    request.setup = setup;
    CHECK(transpica_plan_create(&request, &plan, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    job.entry_point = (TranspicaEntryPoint)99;
    CHECK(transpica_translate(translator, &executable.head, &result) == TRANSPICA_STATUS_BAD_ARGUMENT);
    failure(result, "TranspicaJob.entry_point");
    transpica_setup_free(setup);
    CHECK(transpica_setup_from_file(bytes, size, 1, 1, 0, &setup, &result) != TRANSPICA_STATUS_OK && setup == NULL);
    transpica_result_free(result);
    CHECK(transpica_setup_from_registers(NULL, &setup, NULL) == TRANSPICA_STATUS_BAD_ARGUMENT);
    transpica_setup_free(NULL);
    transpica_registers_free(registers);
    transpica_result_free(kernel_result);
    transpica_translator_free(translator);
}

int main(int count, char **arguments) {
    size_t size = 0;
    uint8_t *bytes;
    CHECK(count == 4);
    folder = arguments[2];
    bytes = read_file(arguments[1], &size);
    versions();
    raw_and_registers();
    files(bytes, size);
    texts(bytes, size);
    keys();
    vertex_input();
    snapped_depth();
    quaternions();
    debug_sources();
    options();
    promises();
    bad_programs(bytes, size);
    bad_settings();
    bad_chains();
    nulls();
    allocators();
    batches(bytes, size);
    draws();
    pipelines();
    unknown_output_counts();
    hooks_are_checked_and_applied();
    presets();
    free(bytes);
    bytes = read_file(arguments[3], &size);
    geometry(bytes, size);
    free(bytes);
    puts("all holds");
    return 0;
}
