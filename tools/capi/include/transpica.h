// transpica: translates PICA200 (Nintendo 3DS) shader programs to SPIR-V, WGSL, GLSL, HLSL and MSL.
// Generated from the sources of the library by its tests; do not edit.
//
// Pointers are NULL or as their comment describes. A NULL that is not permitted is an error, not a crash.
//
// Options are a tree of fields that TranspicaSettings holds: they are set by paths and texts, and a wrong path or
// value is an error that names the nearest one.
//
// Programs are chains of structures. Each begins with a TranspicaHead: its type, its size (sizeof), and the next
// structure or NULL. TRANSPICA_INIT sets the head of a structure and zeros the rest; zeros are defaults. Unknown
// types, structures that are too small, and unknown fields that are not 0 are errors with a message. Structures that
// a function fills have a head as well.
//
// A translator or register state is used by one thread at a time, as are settings while a call takes them without
// const; different objects are independent of each other. Results do not change and may be read by any thread. The
// caller that creates an object frees it; texts and words belong to their result or settings. Nothing is printed
// (unless the library panics, which is a defect), no file is read. There is no global state except tables of keywords
// of text targets, which are built once.

#ifndef TRANSPICA_H
#define TRANSPICA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Version of this header; transpica_version returns that of the library.
#define TRANSPICA_VERSION_MAJOR 0
#define TRANSPICA_VERSION_MINOR 1
#define TRANSPICA_VERSION_PATCH 0

// Enumerations are numbers of 32 bits; before C23 their types are.
#if defined(__cplusplus)
#define TRANSPICA_UINT32 : uint32_t
#define TRANSPICA_TYPEDEF(name)
#elif __STDC_VERSION__ >= 202311L
#define TRANSPICA_UINT32 : uint32_t
#define TRANSPICA_TYPEDEF(name) typedef enum name name;
#else
#define TRANSPICA_UINT32
#define TRANSPICA_TYPEDEF(name) typedef uint32_t name;
#endif

// Number of vertices that a batch runs side by side.
#define TRANSPICA_BATCH_LANES 64

// Gives a structure its head and zeros: TRANSPICA_INIT(program, RAW_PROGRAM);
#define TRANSPICA_INIT(structure, TYPE) \
    (memset(&(structure), 0, sizeof(structure)), (structure).head.type = TRANSPICA_TYPE_##TYPE, \
     (structure).head.size = (uint32_t)sizeof(structure))


// Status of a call.
enum TranspicaStatus TRANSPICA_UINT32 {
    // Success; a program is translated.
    TRANSPICA_STATUS_OK = 0,
    // The program may be valid, but the library cannot translate it: run it in another way.
    TRANSPICA_STATUS_UNSUPPORTED = 1,
    // The program or the settings are contradictory; no other way of running it will
    // succeed.
    TRANSPICA_STATUS_INVALID = 2,
    // The call is wrong: a NULL argument that is not permitted, or an invalid chain.
    TRANSPICA_STATUS_BAD_ARGUMENT = 3,
    // The caller's allocator failed.
    TRANSPICA_STATUS_OUT_OF_MEMORY = 4,
    // A defect of the library. Objects of the call can still be freed, and used again.
    TRANSPICA_STATUS_INTERNAL = 5,
};
TRANSPICA_TYPEDEF(TranspicaStatus)

// Kind of an error.
enum TranspicaCode TRANSPICA_UINT32 {
    // A warning, not an error.
    TRANSPICA_CODE_NONE = 0,
    // The file ends inside a structure.
    TRANSPICA_CODE_TRUNCATED = 1,
    // Four bytes that identify a structure are wrong.
    TRANSPICA_CODE_BAD_MAGIC = 2,
    // A table or string is outside the file.
    TRANSPICA_CODE_OUT_OF_FILE = 3,
    // A field holds an undefined value.
    TRANSPICA_CODE_BAD_FIELD = 4,
    // The file has no executable with this number.
    TRANSPICA_CODE_NO_EXECUTABLE = 5,
    // The entry point is outside the code.
    TRANSPICA_CODE_ENTRY_OUT_OF_CODE = 6,
    // The entry point is in the code, but beyond the words that its shader unit holds.
    TRANSPICA_CODE_ENTRY_OUT_OF_REACH = 7,
    // A reachable opcode that the instruction set does not define.
    TRANSPICA_CODE_BAD_OPCODE = 8,
    // One of `limits` of TranspicaSettings was exceeded.
    TRANSPICA_CODE_LIMIT = 9,
    // The program is of a stage that the operation does not handle.
    TRANSPICA_CODE_STAGE = 10,
    // The step budget of the interpreter was used up.
    TRANSPICA_CODE_STEP_BUDGET = 11,
    // An option that does not exist or has no such value, that contradicts another, or that a
    // target cannot express.
    TRANSPICA_CODE_BAD_OPTION = 12,
    // The verifier rejected an intermediate form (a defect of the library).
    TRANSPICA_CODE_VERIFY = 14,
    // A downstream library rejected the library's output (a defect of the library).
    TRANSPICA_CODE_BACKEND = 15,
    // Anything else.
    TRANSPICA_CODE_OTHER = 16,
    // A geometry program that cannot be a geometry stage.
    TRANSPICA_CODE_NO_GEOMETRY_STAGE = 17,
    // A required argument is NULL.
    TRANSPICA_CODE_NULL_ARGUMENT = 100,
    // A structure of a chain has a type that this library does not know.
    TRANSPICA_CODE_UNKNOWN_TYPE = 101,
    // A structure is in a chain where it does not belong.
    TRANSPICA_CODE_MISPLACED_TYPE = 102,
    // Two structures of a chain have the same purpose.
    TRANSPICA_CODE_REPEATED_TYPE = 103,
    // A structure is too small, or implausibly large.
    TRANSPICA_CODE_BAD_SIZE = 104,
    // A structure is larger than this library knows, and an unknown field is not zero.
    TRANSPICA_CODE_UNKNOWN_FIELD = 105,
    // A number that is not a value of its enumeration.
    TRANSPICA_CODE_UNKNOWN_CHOICE = 106,
    // A chain has no end, or a pointer in it is not aligned.
    TRANSPICA_CODE_BAD_CHAIN = 107,
    // No structure of the chain selects a program.
    TRANSPICA_CODE_NO_PROGRAM = 108,
    // The library was built without this target.
    TRANSPICA_CODE_NO_TARGET = 109,
    // The caller's allocator failed.
    TRANSPICA_CODE_OUT_OF_MEMORY = 110,
    // A defect of the library.
    TRANSPICA_CODE_INTERNAL = 111,
};
TRANSPICA_TYPEDEF(TranspicaCode)

// Unit of a message's place.
enum TranspicaPlace TRANSPICA_UINT32 {
    // None: it concerns the entire input.
    TRANSPICA_PLACE_WHOLE = 0,
    // Bytes from the start of the file.
    TRANSPICA_PLACE_BYTE_OFFSET = 1,
    // Code words.
    TRANSPICA_PLACE_CODE_WORD = 2,
};
TRANSPICA_TYPEDEF(TranspicaPlace)

// The type of a structure.
enum TranspicaType TRANSPICA_UINT32 {
    // TranspicaRequest
    TRANSPICA_TYPE_REQUEST = 16,
    // TranspicaRawProgram
    TRANSPICA_TYPE_RAW_PROGRAM = 17,
    // TranspicaExecutable
    TRANSPICA_TYPE_EXECUTABLE = 18,
    // TranspicaRegisterProgram
    TRANSPICA_TYPE_REGISTER_PROGRAM = 19,
    // TranspicaRegisterWrites
    TRANSPICA_TYPE_REGISTER_WRITES = 20,
    // TranspicaSalt
    TRANSPICA_TYPE_SALT = 21,
    // TranspicaVertexInput
    TRANSPICA_TYPE_VERTEX_INPUT = 22,
    // TranspicaHooks
    TRANSPICA_TYPE_HOOKS = 23,
    // TranspicaJob
    TRANSPICA_TYPE_JOB = 24,
    // TranspicaDebugSource
    TRANSPICA_TYPE_DEBUG_SOURCE = 25,
    // TranspicaFigures
    TRANSPICA_TYPE_FIGURES = 32,
    // TranspicaMessage
    TRANSPICA_TYPE_MESSAGE = 33,
    // TranspicaInput
    TRANSPICA_TYPE_INPUT = 34,
    // TranspicaOutput
    TRANSPICA_TYPE_OUTPUT = 35,
    // TranspicaMember
    TRANSPICA_TYPE_MEMBER = 36,
    // TranspicaKernel
    TRANSPICA_TYPE_KERNEL = 37,
    // TranspicaPlanFigures
    TRANSPICA_TYPE_PLAN_FIGURES = 38,
    // TranspicaReliance
    TRANSPICA_TYPE_RELIANCE = 39,
};
TRANSPICA_TYPEDEF(TranspicaType)

// Outputs of a translation. Bits that can be combined.
enum TranspicaTarget TRANSPICA_UINT32 {
    // SPIR-V words.
    TRANSPICA_TARGET_SPIRV = 1,
    // WGSL text.
    TRANSPICA_TARGET_WGSL = 2,
    // GLSL text.
    TRANSPICA_TARGET_GLSL = 4,
    // HLSL text.
    TRANSPICA_TARGET_HLSL = 8,
    // MSL text.
    TRANSPICA_TARGET_MSL = 16,
    // Reflection as JSON text.
    TRANSPICA_TARGET_REFLECTION = 32,
    // The `#extension` lines of the GLSL text, for hosts that put them in front of their own
    // declarations (`glsl.extension_lines` of the settings).
    TRANSPICA_TARGET_GLSL_EXTENSIONS = 64,
};
TRANSPICA_TYPEDEF(TranspicaTarget)

// Version of GLSL texts.
enum TranspicaGlslVersion TRANSPICA_UINT32 {
    // `#version 450` with sets and bindings, for Vulkan.
    TRANSPICA_GLSL_VERSION_VULKAN450 = 0,
    // `#version 330 core`, for OpenGL 3.3 and later.
    TRANSPICA_GLSL_VERSION_CORE330 = 1,
    // `#version 310 es`, for OpenGL ES 3.1 and later.
    TRANSPICA_GLSL_VERSION_ES310 = 2,
    // `#version 400 core`, for OpenGL 4.0 and later.
    TRANSPICA_GLSL_VERSION_CORE400 = 3,
    // `#version 410 core`, for OpenGL 4.1 and later.
    TRANSPICA_GLSL_VERSION_CORE410 = 4,
    // `#version 420 core`, for OpenGL 4.2 and later.
    TRANSPICA_GLSL_VERSION_CORE420 = 5,
    // `#version 430 core`, for OpenGL 4.3 and later.
    TRANSPICA_GLSL_VERSION_CORE430 = 6,
    // `#version 440 core`, for OpenGL 4.4 and later.
    TRANSPICA_GLSL_VERSION_CORE440 = 7,
    // `#version 450 core`, for OpenGL 4.5 and later.
    TRANSPICA_GLSL_VERSION_CORE450 = 8,
    // `#version 460 core`, for OpenGL 4.6.
    TRANSPICA_GLSL_VERSION_CORE460 = 9,
    // `#version 300 es`, for OpenGL ES 3.0 and later, and for WebGL 2.
    TRANSPICA_GLSL_VERSION_ES300 = 10,
    // `#version 320 es`, for OpenGL ES 3.2.
    TRANSPICA_GLSL_VERSION_ES320 = 11,
};
TRANSPICA_TYPEDEF(TranspicaGlslVersion)

// Shape of the entry point.
enum TranspicaEntryPoint TRANSPICA_UINT32 {
    // A vertex stage: attributes in, position and varyings out.
    TRANSPICA_ENTRY_POINT_VERTEX = 0,
    // A compute stage: all registers of each vertex in and out through storage buffers.
    TRANSPICA_ENTRY_POINT_COMPUTE = 1,
    // The geometry stage between this vertex stage and the fragment stage that negates the
    // quaternions of a triangle's second and third vertices if they are on the other side from the
    // first. It contains no code of the program and passes everything else through: SPIR-V and
    // GLSL 450. With `outputs.all`, one serves all programs.
    TRANSPICA_ENTRY_POINT_QUATERNIONS = 2,
    // A vertex program before TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE. If no primitive of an API has
    // the vertices of an invocation, it takes points, whose attributes are those of all of them:
    // see transpica_result_input.
    TRANSPICA_ENTRY_POINT_BEFORE_GEOMETRY = 3,
    // A geometry program as a compute stage.
    TRANSPICA_ENTRY_POINT_GEOMETRY = 4,
    // A geometry program as a geometry stage: SPIR-V and GLSL, for programs whose invocations are
    // independent.
    TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE = 5,
    // A vertex stage that draws the triangles of TRANSPICA_ENTRY_POINT_GEOMETRY, or vertices that
    // ran on the CPU. It has no code of the program.
    TRANSPICA_ENTRY_POINT_DRAW = 6,
};
TRANSPICA_TYPEDEF(TranspicaEntryPoint)

// The number format of an attribute in the host's input assembly.
enum TranspicaAttributeKind TRANSPICA_UINT32 {
    // Floats, or integers that the host has converted.
    TRANSPICA_ATTRIBUTE_KIND_FLOAT = 0,
    // Signed integers; the shader converts them.
    TRANSPICA_ATTRIBUTE_KIND_INT = 1,
    // Unsigned integers; the shader converts them.
    TRANSPICA_ATTRIBUTE_KIND_UINT = 2,
};
TRANSPICA_TYPEDEF(TranspicaAttributeKind)

// Kind of a promise about numbers.
enum TranspicaPromiseKind TRANSPICA_UINT32 {
    // None: any number.
    TRANSPICA_PROMISE_KIND_NOTHING = 0,
    // No number is NaN.
    TRANSPICA_PROMISE_KIND_NOT_NAN = 1,
    // All numbers are finite, with magnitudes below a power of two.
    TRANSPICA_PROMISE_KIND_BELOW = 2,
    // Like BELOW, and magnitudes other than 0 are at least another power of two.
    TRANSPICA_PROMISE_KIND_BETWEEN = 3,
};
TRANSPICA_TYPEDEF(TranspicaPromiseKind)

// Number format of an attribute in a vertex buffer, as named by bits of the registers 0x201 and
// 0x202. Integers become floats of the same value.
enum TranspicaNumber TRANSPICA_UINT32 {
    // Signed bytes.
    TRANSPICA_NUMBER_S8 = 0,
    // Unsigned bytes.
    TRANSPICA_NUMBER_U8 = 1,
    // Signed integers of two bytes, little-endian.
    TRANSPICA_NUMBER_S16 = 2,
    // Floats of four bytes, little-endian.
    TRANSPICA_NUMBER_F32 = 3,
};
TRANSPICA_TYPEDEF(TranspicaNumber)

// A shader unit.
enum TranspicaStage TRANSPICA_UINT32 {
    // The vertex unit: 512 code words.
    TRANSPICA_STAGE_VERTEX = 0,
    // The geometry unit: 4,096 code words.
    TRANSPICA_STAGE_GEOMETRY = 1,
};
TRANSPICA_TYPEDEF(TranspicaStage)

// Control-flow tier of a translation.
enum TranspicaTier TRANSPICA_UINT32 {
    // The program's own structure was recovered.
    TRANSPICA_TIER_STRUCTURED = 0,
    // A loop over a switch on basic blocks: slower.
    TRANSPICA_TIER_BLOCK_DISPATCHER = 1,
    // A loop over a switch on the program counter: slower still.
    TRANSPICA_TIER_PC_DISPATCHER = 2,
};
TRANSPICA_TYPEDEF(TranspicaTier)

// A register file.
enum TranspicaBank TRANSPICA_UINT32 {
    // c registers.
    TRANSPICA_BANK_FLOAT = 0,
    // i registers.
    TRANSPICA_BANK_INT = 1,
    // b registers.
    TRANSPICA_BANK_BOOL = 2,
};
TRANSPICA_TYPEDEF(TranspicaBank)

// Type of a member of the uniform block.
enum TranspicaMemberType TRANSPICA_UINT32 {
    // A vector of four floats for each register.
    TRANSPICA_MEMBER_TYPE_FLOAT_VECTORS = 0,
    // A vector of four int32_t for each register.
    TRANSPICA_MEMBER_TYPE_INT_VECTORS = 1,
    // One word for each register: four bytes, x lowest.
    TRANSPICA_MEMBER_TYPE_PACKED_INTS = 2,
    // One word for all: bit k is the register first + k.
    TRANSPICA_MEMBER_TYPE_BITS = 3,
};
TRANSPICA_TYPEDEF(TranspicaMemberType)

// Destination of an output.
enum TranspicaDestination TRANSPICA_UINT32 {
    // The position built-in.
    TRANSPICA_DESTINATION_POSITION = 0,
    // The varying of a location.
    TRANSPICA_DESTINATION_VARYING = 1,
    // The clip distance built-in.
    TRANSPICA_DESTINATION_CLIP_DISTANCES = 2,
};
TRANSPICA_TYPEDEF(TranspicaDestination)

// Kind of a hook.
enum TranspicaHookKind TRANSPICA_UINT32 {
    // Replaces components of an output.
    TRANSPICA_HOOK_KIND_SET = 0,
    // Adds to components of an output.
    TRANSPICA_HOOK_KIND_ADD = 1,
    // Multiplies components of an output.
    TRANSPICA_HOOK_KIND_MULTIPLY = 2,
    // Multiplies an output by a matrix: component n is the dot product of row n and the output.
    TRANSPICA_HOOK_KIND_TRANSFORM = 3,
    // Makes reads of a float uniform read the operand.
    TRANSPICA_HOOK_KIND_REDIRECT = 4,
    // Emits the result of an instruction as a varying.
    TRANSPICA_HOOK_KIND_TAP = 5,
    // Emits the position that the program computes with the uniforms of a second block, as the
    // varying `position_again` at `location`. The block has the layout of the uniform block and
    // the binding `bindings.again` of the settings.
    TRANSPICA_HOOK_KIND_AGAIN = 6,
};
TRANSPICA_TYPEDEF(TranspicaHookKind)

// Use of an output by the rasterizer.
enum TranspicaSemantic TRANSPICA_UINT32 {
    // Position in clip space.
    TRANSPICA_SEMANTIC_POSITION = 0,
    // Rotation of the normal and tangent frame.
    TRANSPICA_SEMANTIC_QUATERNION = 1,
    // Color.
    TRANSPICA_SEMANTIC_COLOR = 2,
    // Texture coordinate 0.
    TRANSPICA_SEMANTIC_TEXCOORD0 = 3,
    // Third component of texture coordinate 0.
    TRANSPICA_SEMANTIC_TEXCOORD0_W = 4,
    // Texture coordinate 1.
    TRANSPICA_SEMANTIC_TEXCOORD1 = 5,
    // Texture coordinate 2.
    TRANSPICA_SEMANTIC_TEXCOORD2 = 6,
    // View vector.
    TRANSPICA_SEMANTIC_VIEW = 7,
    // Input of a geometry program; the rasterizer ignores it.
    TRANSPICA_SEMANTIC_GENERIC = 8,
};
TRANSPICA_TYPEDEF(TranspicaSemantic)

// Way in which vertices form triangles.
enum TranspicaTopology TRANSPICA_UINT32 {
    // Three vertices for each.
    TRANSPICA_TOPOLOGY_LIST = 0,
    // One vertex for each after the second.
    TRANSPICA_TOPOLOGY_STRIP = 1,
    // As a strip, around the first vertex.
    TRANSPICA_TOPOLOGY_FAN = 2,
    // As the geometry program submits them.
    TRANSPICA_TOPOLOGY_GEOMETRY = 3,
};
TRANSPICA_TYPEDEF(TranspicaTopology)

// A pass around a geometry program; the modules are the same for all programs.
enum TranspicaPass TRANSPICA_UINT32 {
    // Writes the record of each invocation: 0 o0 to o15 of each vertex, 1 the feed, 2 its uniform
    // block, 3 indices or any buffer, 4 primitives or any buffer, 5 the register file c0 to c95.
    TRANSPICA_PASS_FEED = 0,
    // Computes places and totals: 0 counts, 1 offsets, 2 the uniform block, 3 the result of ten
    // words. It begins with the arguments of an indirect draw; then come the triangles, the most
    // of a thread, 1 if that exceeds the room, the arguments of the indirect dispatch of the next
    // pass.
    TRANSPICA_PASS_SCAN = 1,
    // Writes the finished list of triangles: 0 triangles, 1 offsets, 2 the result, 3 the list, 4
    // the uniform block.
    TRANSPICA_PASS_COMPACT = 2,
};
TRANSPICA_TYPEDEF(TranspicaPass)

// Kind of a binding of a pass.
enum TranspicaBindingUse TRANSPICA_UINT32 {
    // A storage buffer that is read.
    TRANSPICA_BINDING_USE_READ = 0,
    // A storage buffer that is written.
    TRANSPICA_BINDING_USE_WRITE = 1,
    // A uniform buffer.
    TRANSPICA_BINDING_USE_UNIFORM = 2,
};
TRANSPICA_TYPEDEF(TranspicaBindingUse)

// Dependence of invocations of a geometry program on earlier ones.
enum TranspicaDependence TRANSPICA_UINT32 {
    // None.
    TRANSPICA_DEPENDENCE_NONE = 0,
    // On a number of the last ones.
    TRANSPICA_DEPENDENCE_DEPTH = 1,
    // On all.
    TRANSPICA_DEPENDENCE_UNBOUNDED = 2,
};
TRANSPICA_TYPEDEF(TranspicaDependence)

// A vertex program, decoded to run on the CPU. One for each thread.
typedef struct TranspicaBatch TranspicaBatch;

// The programs of a register state, decoded to draw on the CPU: a vertex program, and the geometry
// program that takes its vertices, if the registers have one. State that a geometry program leaves
// carries over to the next draw. One for each thread.
typedef struct TranspicaPipeline TranspicaPipeline;

// The plan of a draw.
typedef struct TranspicaPlan TranspicaPlan;

// The registers of the shader units and of the output map. They start as 0. Writes to other
// registers have no effect.
typedef struct TranspicaRegisters TranspicaRegisters;

// Result of a call: status, words, texts, messages, reflection. Does not change; any thread may
// read it. Free it with transpica_result_free.
typedef struct TranspicaResult TranspicaResult;

// Configuration of translators and batches: options, target settings, an allocator. A fresh one
// has the defaults. Options are a tree of fields with paths such as `outputs.depth`, and values
// are texts as the command line spells them, or JSON: transpica_settings_describe lists them.
typedef struct TranspicaSettings TranspicaSettings;

// Setup of the programs of a draw: outputs of the vertex program, input of the geometry program,
// outputs that the rasterizer takes, topology.
typedef struct TranspicaSetup TranspicaSetup;

// Translates programs under fixed options, and reuses its memory. One for each thread.
typedef struct TranspicaTranslator TranspicaTranslator;

// The caller's allocator, for the words and texts of results. Temporary memory is the library's
// own, bounded by `limits` of TranspicaSettings. Both functions NULL: the library's. They must not
// throw, and must be callable from every thread that translates or frees results.
typedef struct TranspicaAllocator {
    // Returns `size` bytes at a multiple of `alignment`, or NULL.
    void *(*allocate)(void *user, size_t size, size_t alignment);
    // Frees these bytes.
    void (*free)(void *user, void *memory, size_t size);
    // Passed to both.
    void *user;
} TranspicaAllocator;

// Common start of all structures.
typedef struct TranspicaHead {
    // A TranspicaType: the type of the structure.
    TranspicaType type;
    // Its size in bytes: sizeof of the structure.
    uint32_t size;
    // The next structure of the chain, or NULL. Structures that a function fills are not chained.
    const struct TranspicaHead *next;
} TranspicaHead;

// A program as stored in the memory of a shader unit.
typedef struct TranspicaRawProgram {
    // TRANSPICA_TYPE_RAW_PROGRAM
    struct TranspicaHead head;
    // Code words.
    const uint32_t *code;
    // Number of code words. A vertex unit holds 512, a geometry unit 4,096; words beyond those are
    // dropped.
    size_t code_count;
    // Operand descriptors.
    const uint32_t *descriptors;
    // Number of operand descriptors.
    size_t descriptor_count;
    // Entry point, in code words.
    uint32_t entry;
    // A TranspicaStage.
    TranspicaStage stage;
    // Register 0x2BD: bit n enables output register n.
    uint32_t output_mask;
    // Register 0x04F: the number of outputs that the rasterizer takes. 0 if the host does not keep
    // it: all that output_mask enables, at most 7.
    uint32_t output_count;
    // Registers 0x050 to 0x056: the semantics of the outputs' components.
    uint32_t output_map[7];
    // Must be 0.
    uint32_t reserved;
} TranspicaRawProgram;

// All uniform registers.
typedef struct TranspicaUniforms {
    // c0 to c95.
    float floats[96][4];
    // i0 to i3: iterations minus 1, start of aL, step of aL, and a component without effect.
    uint8_t ints[4][4];
    // Bit n is bn.
    uint16_t bools;
    // Must be 0.
    uint16_t reserved;
} TranspicaUniforms;

// Counts and sizes of a result.
typedef struct TranspicaFigures {
    // TRANSPICA_TYPE_FIGURES
    struct TranspicaHead head;
    // A TranspicaTier.
    TranspicaTier tier;
    // Number of errors.
    uint32_t error_count;
    // Number of warnings.
    uint32_t warning_count;
    // Number of attributes that the program reads.
    uint32_t input_count;
    // Number of outputs.
    uint32_t output_count;
    // Number of members of the uniform block, and of symbols that are names in a member.
    uint32_t member_count;
    // Bytes of the bound uniform block, a multiple of 16; 0 if there is none.
    uint32_t uniform_size;
    // Bytes up to the end of its last member, which must be filled.
    uint32_t uniform_minimum;
} TranspicaFigures;

// An error or a warning.
typedef struct TranspicaMessage {
    // TRANSPICA_TYPE_MESSAGE
    struct TranspicaHead head;
    // Description of the problem and its place; ends with a zero. Lives as long as the result.
    const char *text;
    // Bytes of the text, without the zero.
    size_t text_length;
    // A TranspicaCode.
    TranspicaCode code;
    // A TranspicaPlace: the unit of `at`.
    TranspicaPlace place;
    // Place: a byte offset in the file, or a code word.
    uint32_t at;
} TranspicaMessage;

// An attribute that a program reads.
typedef struct TranspicaInput {
    // TRANSPICA_TYPE_INPUT
    struct TranspicaHead head;
    // Its name; ends with a zero. Lives as long as the result.
    const char *name;
    // Bytes of the name, without the zero.
    size_t name_length;
    // Its v register, 0 to 15.
    uint32_t number;
    // Its location.
    uint32_t location;
} TranspicaInput;

// An output of the vertex entry.
typedef struct TranspicaOutput {
    // TRANSPICA_TYPE_OUTPUT
    struct TranspicaHead head;
    // Its name; ends with a zero. Lives as long as the result.
    const char *name;
    // Bytes of the name, without the zero.
    size_t name_length;
    // A TranspicaDestination.
    TranspicaDestination destination;
    // The location of a varying.
    uint32_t location;
    // Number of components.
    uint32_t components;
    // Must be 0.
    uint32_t reserved;
} TranspicaOutput;

// A member of the uniform block. After the members follow symbols without a member of their own:
// their registers lie in a member that is an array, whose bytes they share.
typedef struct TranspicaMember {
    // TRANSPICA_TYPE_MEMBER
    struct TranspicaHead head;
    // Its name; ends with a zero. Lives as long as the result.
    const char *name;
    // Bytes of the name, without the zero.
    size_t name_length;
    // A TranspicaBank.
    TranspicaBank bank;
    // First register.
    uint32_t first;
    // Number of registers.
    uint32_t count;
    // A TranspicaMemberType.
    TranspicaMemberType type;
    // Byte offset in the block.
    uint32_t offset;
    // Size in bytes.
    uint32_t byte_count;
} TranspicaMember;

// Registers whose promises (`assume` of TranspicaSettings) a module relies on. While those are
// kept, it computes what it computes without them.
typedef struct TranspicaReliance {
    // TRANSPICA_TYPE_RELIANCE
    struct TranspicaHead head;
    // Mask of float uniforms: bit n % 32 of word n / 32 stands for cn.
    uint32_t uniforms[3];
    // Mask of attributes: bit n stands for vn.
    uint32_t attributes;
    // 1 if the promise about results is needed, else 0.
    uint32_t results;
    // Must be 0.
    uint32_t reserved;
} TranspicaReliance;

// The largest and the least magnitude of some numbers. Zeros are those of no numbers.
typedef struct TranspicaMagnitudes {
    // Bits of the largest magnitude as a float.
    uint32_t largest;
    // Bits of the least magnitude other than 0; 0 if there is none.
    uint32_t least;
} TranspicaMagnitudes;

// 128-bit identifier of a module: equal keys, equal SPIR-V. A new version of the library has new
// keys.
typedef struct TranspicaKey {
    // The bytes in the order in which to print or compare them.
    uint8_t bytes[16];
} TranspicaKey;

// An attribute of the vertices of a draw.
typedef struct TranspicaVertexAttribute {
    // The vertex buffer; NULL if all vertices have the same value.
    const uint8_t *bytes;
    // Number of bytes.
    size_t byte_count;
    // The byte where the attribute of vertex 0 begins.
    size_t offset;
    // Bytes from vertex to vertex.
    size_t stride;
    // A TranspicaNumber: the format of the components.
    TranspicaNumber number;
    // Number of components, 1 to 4. The others are those of (0, 0, 0, 1).
    uint32_t components;
    // The value without a vertex buffer.
    float value[4];
} TranspicaVertexAttribute;

// A draw. All zeros are a draw of no vertices.
typedef struct TranspicaDraw {
    // The attributes.
    const struct TranspicaVertexAttribute *attributes;
    // Number of attributes; those after the sixteenth have no effect.
    size_t attribute_count;
    // The index buffer, aligned to the size of an index. NULL if index_size is 0.
    const void *indices;
    // Bytes of an index: 1, 2 or 4; 0 if there are no indices.
    uint32_t index_size;
    // The first vertex if there are no indices; those after it follow.
    uint32_t first;
    // Number of vertices, or of indices.
    size_t count;
    // Of a batch, the registers that say which attribute each of v0 to v15 is, and which outputs a
    // record has. NULL if attribute n is register n and `outputs` counts. A pipeline has those of
    // its own registers.
    const struct TranspicaRegisters *registers;
    // Of a batch without registers: a record is these output registers, bit n is on, of four
    // floats each, without conversion. 0: the outputs of the program that the batch was created
    // with, converted.
    uint32_t outputs;
    // 1 if y of the position is mirrored, with `outputs.flip_y` of `host`.
    uint32_t flip_y;
    // 1 if the clip plane is on, with clip planes.
    uint32_t clip_enabled;
    // Number of parameters, at most 16; the others are 0.
    uint32_t parameter_count;
    // The clip plane.
    float clip_plane[4];
    // Parameters of hooks, four floats each. NULL if there are none.
    const float *parameters;
    // Floats from record to record; 0 if one ends where the next begins.
    size_t record_stride;
    // The float of a record where each output begins; NULL if they are one after the other.
    // Floats that belong to no output keep their values.
    const uint32_t *offsets;
    // Number of offsets, one for each output of a record; 0 if there are none.
    size_t offset_count;
    // 1 if offsets[n] belongs to the output with the TranspicaSemantic n, and offsets[8] to clip
    // distances. Offsets of outputs that a record does not have are ignored.
    uint32_t by_semantic;
    // Must be 0.
    uint32_t reserved;
} TranspicaDraw;

// Limits of the work of a draw; a draw beyond one is an error. Zeros are the defaults. A draw
// reads at most the first 2,097,152 vertices of its buffers, whatever they are.
typedef struct TranspicaDrawLimits {
    // Instructions of a vertex or of an invocation of the geometry program. Default: 16,777,216.
    uint64_t steps;
    // Instructions of a draw. Default: 4,294,967,296.
    uint64_t draw_steps;
    // EMITs of an invocation. Default: 65,536.
    uint32_t emits;
    // Triangles of a draw. Default: 262,144.
    uint32_t triangles;
} TranspicaDrawLimits;

// Needs of a geometry program in a compute stage: TRANSPICA_ENTRY_POINT_GEOMETRY.
typedef struct TranspicaKernel {
    // TRANSPICA_TYPE_KERNEL
    struct TranspicaHead head;
    // Vectors of a vertex in the buffer of triangles: one for each output.
    uint32_t vectors;
    // A TranspicaDependence of invocations on earlier ones.
    TranspicaDependence dependence;
    // For TRANSPICA_DEPENDENCE_DEPTH, the number of earlier invocations.
    uint32_t depth;
    // 1 if `triangles` is a proven bound, 0 if none is.
    uint32_t has_triangles;
    // Upper bound of the triangles of an invocation.
    uint32_t triangles;
    // Words of carried state. The buffer at binding 5 has twice as many: before and after a draw.
    uint32_t state_count;
} TranspicaKernel;

// A draw with a geometry program. Zeros are defaults.
typedef struct TranspicaPlanRequest {
    // The setup of the draw.
    const struct TranspicaSetup *setup;
    // The result of TRANSPICA_ENTRY_POINT_GEOMETRY.
    const struct TranspicaResult *kernel;
    // The vertices to draw, or NULL for all in their order. In variable mode, each primitive is
    // its number of vertices and then their indices.
    const uint32_t *indices;
    // Number of indices.
    size_t index_count;
    // Number of vertices.
    uint32_t vertices;
    // Vectors of a record in the previous draw, if the float uniforms of the geometry program were
    // not set since; else 0.
    uint32_t window;
    // Triangles of an invocation where none are proven: a guess, which the result of the scan
    // confirms. 0: 64.
    uint32_t triangles;
    // Limit of the invocations of a thread in one dispatch. 0: none.
    uint32_t most_invocations;
    // Limit of the bytes of a buffer. 0: 134,217,728, which every driver has.
    uint32_t bytes;
    // Must be 0.
    uint32_t reserved;
} TranspicaPlanRequest;

// Sizes and workgroups of a plan.
typedef struct TranspicaPlanFigures {
    // TRANSPICA_TYPE_PLAN_FIGURES
    struct TranspicaHead head;
    // Bytes of o0 to o15 of each vertex: binding 1 of the vertex program, 0 of the feed.
    uint64_t vertex_bytes;
    // Bytes of the feed.
    uint64_t feed_bytes;
    // Bytes of the triangles.
    uint64_t triangle_bytes;
    // Bytes of the counts, and of the offsets.
    uint64_t count_bytes;
    // Bytes of the finished list.
    uint64_t list_bytes;
    // Offset in the feed of the uniforms that the draw leaves in the register file.
    uint64_t copy_from;
    // Their offset in the register file, c0 to c95 of 16 bytes each.
    uint64_t copy_to;
    // Their bytes; 0 if the draw leaves none.
    uint64_t copy_bytes;
    // Number of dispatches of the geometry program. Between two of them the second half of the
    // state is copied to the first half.
    uint32_t draw_count;
    // Vectors of a record.
    uint32_t window;
    // Number of threads of the geometry program.
    uint32_t threads;
    // Number of invocations.
    uint32_t invocations;
    // Workgroups of the vertex program.
    uint32_t vertex_groups[3];
    // Workgroups of the geometry program, in each of its dispatches.
    uint32_t geometry_groups[3];
    // Workgroups of each TranspicaPass. 0 in all: dispatch it indirectly, see `groups_offset`.
    uint32_t pass_groups[3][3];
    // Bytes of the result of the scan, which begins with the arguments of an indirect draw.
    uint32_t result_bytes;
    // Offset in it of the arguments of the indirect dispatch.
    uint32_t groups_offset;
    // 0.
    uint32_t reserved;
    // The uniform block of TRANSPICA_PASS_FEED.
    uint32_t feed_block[12];
    // The uniform block of the other passes.
    uint32_t collect_block[4];
    // Bytes that transpica_plan_primitives copies.
    uint64_t primitive_bytes;
} TranspicaPlanFigures;

// Requested targets. Without this structure: SPIR-V words.
typedef struct TranspicaRequest {
    // TRANSPICA_TYPE_REQUEST
    struct TranspicaHead head;
    // One or more of TranspicaTarget. 0: SPIR-V words.
    uint32_t targets;
    // A TranspicaGlslVersion; ignored without a GLSL target.
    TranspicaGlslVersion glsl_version;
} TranspicaRequest;

// An executable of a .shbin file.
typedef struct TranspicaExecutable {
    // TRANSPICA_TYPE_EXECUTABLE
    struct TranspicaHead head;
    // The file.
    const uint8_t *bytes;
    // Size of the file in bytes.
    size_t byte_count;
    // Name of the file for comments in texts, or NULL.
    const char *name;
    // Index of the executable (DVLE) in the file, from 0.
    uint32_t index;
    // Must be 0.
    uint32_t reserved;
} TranspicaExecutable;

// The program in a register state.
typedef struct TranspicaRegisterProgram {
    // TRANSPICA_TYPE_REGISTER_PROGRAM
    struct TranspicaHead head;
    // The state.
    const struct TranspicaRegisters *registers;
    // A TranspicaStage.
    TranspicaStage stage;
    // Must be 0.
    uint32_t reserved;
} TranspicaRegisterProgram;

// A write to a register of the GPU.
typedef struct TranspicaWrite {
    // Number of the register.
    uint32_t number;
    // Value of the register.
    uint32_t value;
} TranspicaWrite;

// The program in a register state of zeros after some writes.
typedef struct TranspicaRegisterWrites {
    // TRANSPICA_TYPE_REGISTER_WRITES
    struct TranspicaHead head;
    // The writes.
    const struct TranspicaWrite *writes;
    // Number of writes.
    size_t write_count;
    // A TranspicaStage.
    TranspicaStage stage;
    // Must be 0.
    uint32_t reserved;
} TranspicaRegisterWrites;

// Additional content of a key, such as the driver.
typedef struct TranspicaSalt {
    // TRANSPICA_TYPE_SALT
    struct TranspicaHead head;
    // Any bytes.
    const uint8_t *bytes;
    // Number of bytes.
    size_t byte_count;
} TranspicaSalt;

// An attribute in the host's input assembly.
typedef struct TranspicaAttributeFormat {
    // A TranspicaAttributeKind.
    TranspicaAttributeKind kind;
    // Number of components that the program reads, 1 to 4; the others are those of (0, 0, 0, 1).
    // 0: four.
    uint32_t components;
} TranspicaAttributeFormat;

// A promise about the numbers that a host feeds.
typedef struct TranspicaPromise {
    // A TranspicaPromiseKind.
    TranspicaPromiseKind kind;
    // For TRANSPICA_PROMISE_KIND_BELOW and BETWEEN: magnitudes are below two to the power of this,
    // 0 to 128.
    uint32_t exponent;
    // For TRANSPICA_PROMISE_KIND_BETWEEN: magnitudes other than 0 are at least two to the power of
    // this, -128 to 127.
    int32_t least;
} TranspicaPromise;

// Vertex input of a draw. It goes with a program and takes the place of `input` of
// TranspicaSettings, all of it: one translator serves draws of any formats. Keys contain what the
// program reads. Zeros are floats with four components and no promise. The attribute for register
// n has location n in every module, however the console permutes its attributes.
typedef struct TranspicaVertexInput {
    // TRANSPICA_TYPE_VERTEX_INPUT
    struct TranspicaHead head;
    // Formats of v0 to v15.
    struct TranspicaAttributeFormat formats[16];
    // Promises about v0 to v15, as the input assembly converts them.
    struct TranspicaPromise promises[16];
} TranspicaVertexInput;

// An operand of a hook: four floats.
typedef struct TranspicaHookOperand {
    // 0: `value` counts and is part of the module. 1: `parameter` counts and is read at draw time.
    uint32_t is_parameter;
    // Number of the parameter, 0 to 15: the vector at byte 32 + 16 * n of the host block.
    uint32_t parameter;
    // The constant.
    float value[4];
} TranspicaHookOperand;

// A change of a program.
typedef struct TranspicaHook {
    // A TranspicaHookKind.
    TranspicaHookKind kind;
    // A TranspicaSemantic: the output. 0 for other hooks.
    TranspicaSemantic semantic;
    // The components, bit 0 is x. 0 for matrices and hooks of no output.
    uint32_t mask;
    // For a redirected uniform, its register, 0 to 95; for a tap, the address of the instruction.
    uint32_t number;
    // Location of the varying of a tap or a second evaluation.
    uint32_t location;
    // Must be 0.
    uint32_t reserved;
    // The rows of a matrix; only the first is the operand of other hooks.
    struct TranspicaHookOperand operands[4];
} TranspicaHook;

// Hooks of a program, first to last. They come with the program, and are part of its key.
typedef struct TranspicaHooks {
    // TRANSPICA_TYPE_HOOKS
    struct TranspicaHead head;
    // The hooks.
    const struct TranspicaHook *hooks;
    // Number of hooks.
    size_t hook_count;
} TranspicaHooks;

// The entry point of a translation, in the chain of a program. Without it: the vertex stage.
typedef struct TranspicaJob {
    // TRANSPICA_TYPE_JOB
    struct TranspicaHead head;
    // A TranspicaEntryPoint.
    TranspicaEntryPoint entry_point;
    // Must be 0.
    uint32_t reserved;
    // The setup of the draw, for entry points of draws with a geometry program; else NULL.
    const struct TranspicaSetup *setup;
} TranspicaJob;

// The source of a program for debuggers, with `debug_info` of the settings. It is a part of the
// key.
typedef struct TranspicaDebugSource {
    // TRANSPICA_TYPE_DEBUG_SOURCE
    struct TranspicaHead head;
    // Name of the file, or NULL.
    const char *name;
    // Its text in UTF-8, which may end with a zero. NULL if text_length is 0.
    const char *text;
    // Bytes of the text.
    size_t text_length;
    // The line of each code word, from 1; 0: none.
    const uint32_t *lines;
    // Number of lines; words after them have none.
    size_t line_count;
} TranspicaDebugSource;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Creates settings with the defaults. NULL only after a defect of the library.
struct TranspicaSettings *transpica_settings_new(void);

// Frees settings. Objects that were made with them do not need them. NULL is permitted.
void transpica_settings_free(struct TranspicaSettings *settings);

// Replaces all options by those of a known host: `azahar-vulkan`, `azahar-opengl`,
// `azahar-opengles`, `panda3ds-opengl`, `panda3ds-opengles` or `tanuki3ds-opengl`. Fields may be
// set after it. `errors` is NULL or receives a result if the call fails, else NULL; so below.
TranspicaStatus transpica_settings_preset(struct TranspicaSettings *settings,
                                          const char *name,
                                          struct TranspicaResult **errors);

// Sets the field at a path, or a part of the tree: `outputs.depth` to `-w..w`,
// `control.loop_guard` to `1000` or `none`, `control.bools` to `b0=true,b3=specialized`,
// `varyings` to `azahar` or JSON. A wrong path or value changes nothing, and the message names the
// nearest one.
TranspicaStatus transpica_settings_set(struct TranspicaSettings *settings,
                                       const char *path,
                                       const char *value,
                                       struct TranspicaResult **errors);

// Declares the rules of float arithmetic that a Vulkan device reports in
// `VkPhysicalDeviceFloatControlsProperties`: `shaderSignedZeroInfNanPreserveFloat32`,
// `shaderDenormPreserveFloat32` and `shaderRoundingModeRTEFloat32`, each 0 or 1. Sets
// `float_controls`.
TranspicaStatus transpica_settings_float_controls(struct TranspicaSettings *settings,
                                                  uint32_t nan,
                                                  uint32_t subnormals,
                                                  uint32_t rounding,
                                                  struct TranspicaResult **errors);

// Sets the allocator of results; NULL is the library's own.
TranspicaStatus transpica_settings_set_allocator(struct TranspicaSettings *settings,
                                                 const struct TranspicaAllocator *allocator,
                                                 struct TranspicaResult **errors);

// Returns the value at a path as a text that transpica_settings_set reads; NULL for a wrong path.
// It lives until the next call with these settings that is not const.
const char *transpica_settings_get(struct TranspicaSettings *settings,
                                   const char *path,
                                   struct TranspicaResult **errors);

// Describes the fields at or below a path, all of them for an empty one, as JSON: a list of
// objects with `path`, `group`, `help`, `form`, `choices`, `default`, `value`, `changed`. It lives
// as long as the text of transpica_settings_get.
const char *transpica_settings_describe(struct TranspicaSettings *settings,
                                        const char *path,
                                        struct TranspicaResult **errors);

// Checks what no single field can violate, such as two blocks at one binding or two outputs at one
// location. Translators and batches are not made with settings that fail.
TranspicaStatus transpica_settings_check(const struct TranspicaSettings *settings,
                                         struct TranspicaResult **errors);

// Creates a state through `registers`.
TranspicaStatus transpica_registers_create(struct TranspicaRegisters **registers);

// Creates a copy of `registers` through `copy`, so that another thread can translate from it.
TranspicaStatus transpica_registers_copy(const struct TranspicaRegisters *registers,
                                         struct TranspicaRegisters **copy);

// Writes `value` to register `number`, like the console's program: uploads go through the FIFO
// registers.
TranspicaStatus transpica_registers_write(struct TranspicaRegisters *registers,
                                          uint32_t number,
                                          uint32_t value);

// Writes those bytes of `value` that the low four bits of `bytes` enable.
TranspicaStatus transpica_registers_write_masked(struct TranspicaRegisters *registers,
                                                 uint32_t number,
                                                 uint32_t value,
                                                 uint32_t bytes);

// Writes a program to the memory of its unit: code, operand descriptors, entry point, outputs and
// their map, as TranspicaRawProgram has them. Words beyond them stay. A host that keeps programs
// in arrays can so create a pipeline, or ask for keys and setups.
TranspicaStatus transpica_registers_load(struct TranspicaRegisters *registers,
                                         const struct TranspicaRawProgram *program);

// Replaces the uniforms of the unit `stage` (a TranspicaStage).
TranspicaStatus transpica_registers_set_uniforms(struct TranspicaRegisters *registers,
                                                 uint32_t stage,
                                                 const struct TranspicaUniforms *uniforms);

// Executes a command list of `word_count` words: each command is a parameter, a header and further
// parameters, padded to eight bytes. An incomplete command at the end is not executed.
TranspicaStatus transpica_registers_commands(struct TranspicaRegisters *registers,
                                             const uint32_t *words,
                                             size_t word_count);

// Executes a command list, as transpica_registers_commands does, and provides through `result`
// what hangs a console or surprises there as warnings, each at the byte of its command: draws
// without a geometry program behind one with it, counts of vertex outputs that do not fit,
// overwritten uniforms of a geometry program, a command that goes on past the end.
TranspicaStatus transpica_registers_check(struct TranspicaRegisters *registers,
                                          const uint32_t *words,
                                          size_t word_count,
                                          struct TranspicaResult **result);

// Returns the last value written to a register; 0 for data registers, for registers outside the
// state, and for NULL.
uint32_t transpica_registers_read(const struct TranspicaRegisters *registers, uint32_t number);

// Fills a uniform buffer for a translated program with the uniforms of the unit `stage` (a
// TranspicaStage). `size` is at least TranspicaFigures.uniform_minimum; bytes beyond the block
// stay unchanged.
TranspicaStatus transpica_registers_pack(const struct TranspicaRegisters *registers,
                                         uint32_t stage,
                                         const struct TranspicaResult *result,
                                         uint8_t *bytes,
                                         size_t size);

// Frees a state. NULL is permitted.
void transpica_registers_free(struct TranspicaRegisters *registers);

// Returns the status of the call that made the result; TRANSPICA_STATUS_BAD_ARGUMENT for NULL.
TranspicaStatus transpica_result_status(const struct TranspicaResult *result);

// Returns the words of the SPIR-V module, and through `count` (unless NULL) their number. NULL if
// there are none. They live as long as the result.
const uint32_t *transpica_result_words(const struct TranspicaResult *result, size_t *count);

// Returns a text of the result, which ends with a zero, and through `length` (unless NULL) its
// bytes without the zero. `target` is one TranspicaTarget. NULL if there is none. It lives as long
// as the result.
const char *transpica_result_text(const struct TranspicaResult *result, uint32_t target, size_t *length);

// Fills `figures`, whose head has type and size. Works for results without a program, too.
TranspicaStatus transpica_result_figures(const struct TranspicaResult *result,
                                         struct TranspicaFigures *figures);

// Fills `message` with error number `index`, from 0.
TranspicaStatus transpica_result_error(const struct TranspicaResult *result,
                                       size_t index,
                                       struct TranspicaMessage *message);

// Fills `message` with warning number `index`, from 0.
TranspicaStatus transpica_result_warning(const struct TranspicaResult *result,
                                         size_t index,
                                         struct TranspicaMessage *message);

// Fills `input` with attribute number `index` of those that the program reads, from 0.
TranspicaStatus transpica_result_input(const struct TranspicaResult *result,
                                       size_t index,
                                       struct TranspicaInput *input);

// Fills `output` with output number `index`, from 0.
TranspicaStatus transpica_result_output(const struct TranspicaResult *result,
                                        size_t index,
                                        struct TranspicaOutput *output);

// Fills `member` with member number `index` of the uniform block, from 0.
TranspicaStatus transpica_result_member(const struct TranspicaResult *result,
                                        size_t index,
                                        struct TranspicaMember *member);

// Fills `member` with the member or symbol of this name, which ends with a zero.
// TRANSPICA_STATUS_BAD_ARGUMENT if there is none.
TranspicaStatus transpica_result_member_named(const struct TranspicaResult *result,
                                              const char *name,
                                              struct TranspicaMember *member);

// Frees a result and everything that it owns. NULL is permitted.
void transpica_result_free(struct TranspicaResult *result);

// Fills `reliance`, whose head has type and size, with the promises that the module relies on.
TranspicaStatus transpica_result_reliance(const struct TranspicaResult *result,
                                          struct TranspicaReliance *reliance);

// Checks `count` float uniforms from c`first` on, four floats each, after they were written.
// `broken` is the mask of uniforms that break a promise, three words as in TranspicaReliance; bits
// of other uniforms stay. Zeros and all 96 uniforms are the start. The module may be used while
// all words are 0.
TranspicaStatus transpica_result_check_uniforms(const struct TranspicaResult *result,
                                                uint32_t first,
                                                const float *uniforms,
                                                size_t count,
                                                uint32_t *broken);

// Adds the numbers of an attribute in little-endian vertex data of `size` bytes to `magnitudes`:
// `components` floats at `offset` plus n times `stride` bytes for each vertex n; with a stride of
// 0 all vertices have the first one. A host does this once, when vertices are uploaded. Neither
// integers nor attributes without a promise need it.
TranspicaStatus transpica_magnitudes_add(struct TranspicaMagnitudes *magnitudes,
                                         const uint8_t *bytes,
                                         size_t size,
                                         size_t stride,
                                         size_t offset,
                                         size_t components);

// Returns whether a draw may use the module of a result: 1 if `broken`, see
// transpica_result_check_uniforms, is 0 and `attributes`, the magnitudes of v0 to v15, keep the
// promises that the module relies on, else 0. Returns 0 for a result without a program. Promises
// about results of arithmetic are up to the host.
uint32_t transpica_result_allows(const struct TranspicaResult *result,
                                 const uint32_t *broken,
                                 const struct TranspicaMagnitudes *attributes);

// Creates a translator through `translator`. `settings` is NULL for the defaults, and is not
// needed afterwards. `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_translator_create(const struct TranspicaSettings *settings,
                                            struct TranspicaTranslator **translator,
                                            struct TranspicaResult **errors);

// Frees a translator; its results stay. NULL is permitted.
void transpica_translator_free(struct TranspicaTranslator *translator);

// Translates a built-in program and discards it. A host calls this while it loads: the first
// program of a process takes several times as long as a later one. It helps no other program: what
// makes those slow is that the host displaced the library from the processor's caches. Results are
// the same without it.
TranspicaStatus transpica_translator_warm_up(struct TranspicaTranslator *translator);

// Translates a program. `program` is a chain of one of TranspicaRawProgram, TranspicaExecutable,
// TranspicaRegisterProgram and TranspicaRegisterWrites, of TranspicaRequest for targets other than
// SPIR-V, of TranspicaJob for an entry point other than the vertex stage, of TranspicaVertexInput
// for a draw, of TranspicaHooks, and of TranspicaDebugSource; it is not needed afterwards.
// `result` receives a result, whatever the status is.
TranspicaStatus transpica_translate(struct TranspicaTranslator *translator,
                                    const struct TranspicaHead *program,
                                    struct TranspicaResult **result);

// Analyzes a program like transpica_translate, but provides only reflection: structures and JSON.
TranspicaStatus transpica_scan(struct TranspicaTranslator *translator,
                               const struct TranspicaHead *program,
                               struct TranspicaResult **result);

// Computes the key of a program under the options and the profile of a translator, without
// translating it, through `key`. `program` is a chain as for transpica_translate, and may have a
// TranspicaSalt; targets do not count. `errors` is NULL or receives a result if the call fails,
// else NULL.
//
// Keys change with what the entry point reaches of code and descriptors, with outputs and their
// map, with formats of attributes that are read, and with hooks and salt: ask again when one of
// those was written. Uniforms are not part of it, except for baked ones of the settings. A key
// identifies a batch for the same settings, too. For pipelines see transpica_pipeline_key.
//
// The status is that of transpica_translate, so a caller knows immediately which programs it must
// run in another way. Only these errors are left to transpica_translate: one of `limits`, which no
// program exceeds with the defaults; what a text target lacks; for
// TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE a dependence on earlier invocations, and the number of
// triangles.
TranspicaStatus transpica_key(struct TranspicaTranslator *translator,
                              const struct TranspicaHead *program,
                              struct TranspicaKey *key,
                              struct TranspicaResult **errors);

// Major version * 65,536 + minor version * 256 + patch level of the library that is linked.
uint32_t transpica_version(void);

// The version as text, such as `0.1.0`; ends with a zero.
const char *transpica_version_text(void);

// Returns 1 if the linked library supports a TranspicaTarget, else 0.
uint32_t transpica_has_target(uint32_t target);

// Creates a batch through `batch`. `settings` is as for transpica_translator_create: precision,
// exponentials, uninitialized registers, undefined opcodes and loop guard count. `program` is a
// chain as for transpica_translate; targets do not count. Both are not needed afterwards.
// `budget` is the number of instructions after which a vertex is an error. Uniforms are 0.
// `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_batch_create(const struct TranspicaSettings *settings,
                                       const struct TranspicaHead *program,
                                       uint64_t budget,
                                       struct TranspicaBatch **batch,
                                       struct TranspicaResult **errors);

// Copies a batch with its uniforms through `copy`, for another thread. Both share the decoded
// program. `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_batch_copy(const struct TranspicaBatch *batch,
                                     struct TranspicaBatch **copy,
                                     struct TranspicaResult **errors);

// Frees a batch. NULL is permitted.
void transpica_batch_free(struct TranspicaBatch *batch);

// Sets all uniforms; those that the file of the program sets stay.
TranspicaStatus transpica_batch_set_uniforms(struct TranspicaBatch *batch,
                                             const struct TranspicaUniforms *uniforms);

// Sets `register_count` float uniforms from c`first` on; those that the file of the program sets
// stay. This is faster than setting all of them.
TranspicaStatus transpica_batch_write_floats(struct TranspicaBatch *batch,
                                             uint32_t first,
                                             const float (*vectors)[4],
                                             size_t register_count);

// Sets all uniforms to those of the vertex unit of a register state.
TranspicaStatus transpica_batch_use_registers(struct TranspicaBatch *batch,
                                              const struct TranspicaRegisters *registers);

// Returns component 0 to 3 of v0 to v15 of TRANSPICA_BATCH_LANES vertices, to be written before a
// run. NULL if the program does not read it. The memory stays in place until the batch is freed or
// runs.
float *transpica_batch_input(struct TranspicaBatch *batch, uint32_t register_index, uint32_t component);

// Runs the program for the first `count` vertices, at most TRANSPICA_BATCH_LANES. `errors` is NULL
// or receives a result if a vertex fails, else NULL; all others have run to their end.
TranspicaStatus transpica_batch_run(struct TranspicaBatch *batch,
                                    size_t count,
                                    struct TranspicaResult **errors);

// Returns component 0 to 3 of o0 to o15 of TRANSPICA_BATCH_LANES vertices after a run. NULL if
// there is no such register or component. The memory stays in place until the batch is freed or
// runs.
const float *transpica_batch_output(const struct TranspicaBatch *batch,
                                    uint32_t register_index,
                                    uint32_t component);

// Runs the program for any number of vertices: `inputs` are v0 to v15 of each, 64 floats, and
// `outputs` receive o0 to o15 of each. All registers move: transpica_batch_draw moves only what
// the program reads and the rasterizer takes, and is several times faster. `errors` is NULL or
// receives a result if a vertex fails, else NULL; all others have run to their end.
TranspicaStatus transpica_batch_run_vertices(struct TranspicaBatch *batch,
                                             const float *inputs,
                                             float *outputs,
                                             size_t count,
                                             struct TranspicaResult **errors);

// Returns the number of floats of a record of transpica_batch_draw, for `registers` and `outputs`
// as in TranspicaDraw; 0 for NULL. A record with registers has the outputs of a vertex program
// that is translated with the same settings and registers, in the order of
// transpica_result_output, one after the other.
size_t transpica_batch_record_floats(const struct TranspicaBatch *batch,
                                     const struct TranspicaRegisters *registers,
                                     uint32_t outputs);

// Runs the program for vertices of buffers, and writes a record for each, one after the other.
// `float_count` is the number of floats at `records`. A vertex that indices name more than once
// runs once. Nothing is written if a vertex lies beyond its buffer, or a record beyond `records`.
// `errors` is NULL or receives a result if a vertex fails, else NULL; the records of all others
// are written.
TranspicaStatus transpica_batch_draw(struct TranspicaBatch *batch,
                                     const struct TranspicaDraw *draw,
                                     float *records,
                                     size_t float_count,
                                     struct TranspicaResult **errors);

// Creates a pipeline through `pipeline`, with the programs, the uniforms and the configuration of
// registers. `settings` is as for transpica_translator_create. Both are not needed afterwards.
// `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_pipeline_create(const struct TranspicaSettings *settings,
                                          const struct TranspicaRegisters *registers,
                                          struct TranspicaPipeline **pipeline,
                                          struct TranspicaResult **errors);

// Copies a pipeline with its uniforms and the state of its geometry program through `copy`.
// `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_pipeline_copy(const struct TranspicaPipeline *pipeline,
                                        struct TranspicaPipeline **copy,
                                        struct TranspicaResult **errors);

// Frees a pipeline. NULL is permitted.
void transpica_pipeline_free(struct TranspicaPipeline *pipeline);

// Sets the uniforms of both units, b15 included, and the order of attributes to those of
// registers. Everything else stays: when transpica_pipeline_key changes, another pipeline is
// needed.
TranspicaStatus transpica_pipeline_use_registers(struct TranspicaPipeline *pipeline,
                                                 const struct TranspicaRegisters *registers);

// Writes the identifier of the pipeline that transpica_pipeline_create makes of registers, for
// the same settings: equal keys mean equal pipelines but for uniforms and the order of
// attributes, which transpica_pipeline_use_registers sets. It covers the words that both programs
// reach, the output map and mask, the topology, and for geometry programs their mode and the
// permutation of their inputs. Formats of attributes belong to the draw. Unlike transpica_key, no
// program is refused. `errors` is NULL or receives a result if the registers describe no draw,
// else NULL.
TranspicaStatus transpica_pipeline_key(const struct TranspicaRegisters *registers,
                                       struct TranspicaKey *key,
                                       struct TranspicaResult **errors);

// Returns the number of vertices, or indices, of which parts of a draw must be multiples so that
// copies of a pipeline can draw one each, on threads of their own, with the same triangles: a part
// has its own `first` or `indices`, `count` and records. 0 if one part depends on another: where
// invocations depend on earlier ones, in variable mode, for strips and fans, and for NULL.
uint32_t transpica_pipeline_part(const struct TranspicaPipeline *pipeline);

// Hands over what the last draw left in the geometry unit, which all programs of a console share.
// In `registers` it sets the uniforms of the unit, among them those that vertices were delivered
// to, and b15, which is true once an invocation has run: transpica_pipeline_use_registers takes
// them from there. `next` takes registers, vertex slots and the setting of SETEMIT; programs whose
// invocations are independent are not traced, so what they leave there stays unknown. Both may be
// NULL.
TranspicaStatus transpica_pipeline_hand_over(const struct TranspicaPipeline *pipeline,
                                             struct TranspicaRegisters *registers,
                                             struct TranspicaPipeline *next);

// Sets the limits of the draws to come.
TranspicaStatus transpica_pipeline_set_limits(struct TranspicaPipeline *pipeline,
                                              const struct TranspicaDrawLimits *limits);

// Draws vertices of buffers, and writes a record for each vertex of the triangles to `records`, of
// `float_count` floats, as they are made. `vertex_count` receives the number of vertices of all
// triangles, three for each. Triangles for which there is no room are kept until the next draw:
// see transpica_pipeline_read. The layout of records is that of transpica_batch_draw; `registers`,
// `outputs` and parameters of `draw` do not count. `errors` is NULL or receives a result if the
// draw fails, else NULL; the records are not defined then.
TranspicaStatus transpica_pipeline_draw(struct TranspicaPipeline *pipeline,
                                        const struct TranspicaDraw *draw,
                                        float *records,
                                        size_t float_count,
                                        size_t *vertex_count,
                                        struct TranspicaResult **errors);

// Returns the number of floats of a packed record; 0 for NULL. A record has the outputs of a
// vertex program that is translated with the same settings and registers, in that order.
size_t transpica_pipeline_record_floats(const struct TranspicaPipeline *pipeline);

// Writes the records of the last draw for which it had no room: all of them if it had none. Their
// layout is that of the draw. Nothing is written if a record lies beyond the `float_count` floats
// at `records`.
TranspicaStatus transpica_pipeline_read(const struct TranspicaPipeline *pipeline,
                                        float *records,
                                        size_t float_count);

// Returns 1 if a geometry program takes part in a draw with these registers, else 0.
uint32_t transpica_registers_have_geometry(const struct TranspicaRegisters *registers);

// Creates the setup of a draw from registers, through `setup`. `errors` is NULL or receives a
// result if the call fails, else NULL.
TranspicaStatus transpica_setup_from_registers(const struct TranspicaRegisters *registers,
                                               struct TranspicaSetup **setup,
                                               struct TranspicaResult **errors);

// Creates the setup that the system library programs for two executables of a .shbin file, through
// `setup`. `stride` is the application's parameter for the geometry program: vectors of an
// invocation in point mode, uniforms of a vertex in fixed mode; 0 for the number of the vertex
// program's outputs. `errors` is NULL or receives a result if the call fails, else NULL.
TranspicaStatus transpica_setup_from_file(const uint8_t *bytes,
                                          size_t byte_count,
                                          uint32_t vertex,
                                          uint32_t geometry,
                                          uint32_t stride,
                                          struct TranspicaSetup **setup,
                                          struct TranspicaResult **errors);

// Frees a setup. NULL is permitted. Results of translations do not need it.
void transpica_setup_free(struct TranspicaSetup *setup);

// Returns the mask of the output registers that the vertex program forwards; 0 for NULL.
uint32_t transpica_setup_vertex_outputs(const struct TranspicaSetup *setup);

// Returns the TranspicaTopology of a setup; TRANSPICA_TOPOLOGY_LIST for NULL.
uint32_t transpica_setup_topology(const struct TranspicaSetup *setup);

// Returns the number of vertices that a point has before TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE: 1,
// or all vertices of an invocation where no primitive has as many. The host then draws points
// whose attributes lie as far apart as those of that many vertices. 1 for NULL.
uint32_t transpica_setup_point_vertices(const struct TranspicaSetup *setup);

// Fills `kernel` from the result of TRANSPICA_ENTRY_POINT_GEOMETRY.
TranspicaStatus transpica_result_kernel(const struct TranspicaResult *result, struct TranspicaKernel *kernel);

// Copies the words of state as they are before the first draw to `words`, TranspicaKernel's
// `state_count` of them, which `word_count` must be.
TranspicaStatus transpica_result_state(const struct TranspicaResult *result,
                                       uint32_t *words,
                                       size_t word_count);

// Plans a draw through `plan`. `request` is not needed afterwards. `errors` is NULL or receives a
// result if the call fails, else NULL.
TranspicaStatus transpica_plan_create(const struct TranspicaPlanRequest *request,
                                      struct TranspicaPlan **plan,
                                      struct TranspicaResult **errors);

// Frees a plan. NULL is permitted.
void transpica_plan_free(struct TranspicaPlan *plan);

// Fills `figures`.
TranspicaStatus transpica_plan_figures(const struct TranspicaPlan *plan,
                                       struct TranspicaPlanFigures *figures);

// Copies the uniform block of a dispatch of the geometry program, eight words, to `block`.
// `dispatch` counts from 0.
TranspicaStatus transpica_plan_draw_block(const struct TranspicaPlan *plan,
                                          uint32_t dispatch,
                                          uint32_t *block);

// Copies the content of the buffer of primitives to `bytes`: TranspicaPlanFigures'
// `primitive_bytes`, which `byte_count` must be.
TranspicaStatus transpica_plan_primitives(const struct TranspicaPlan *plan,
                                          uint8_t *bytes,
                                          size_t byte_count);

// Copies the SPIR-V module of a TranspicaPass to `words`, if they are not NULL. `word_count` is
// the number of words there is room for, and receives the number of the module's.
TranspicaStatus transpica_pass_words(uint32_t pass, uint32_t *words, size_t *word_count);

// Copies the kinds of bindings 0, 1, … of a TranspicaPass in set 0, each a TranspicaBindingUse, to
// `uses`, which has room for six. `count` receives their number.
TranspicaStatus transpica_pass_bindings(uint32_t pass, uint32_t *uses, uint32_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRANSPICA_H */
