// Recordings of draws: `.pclist` files, as `emulator_host --record` writes them and `transpica replay` reads them.
// A file is a list of events: command lists, draws from its buffers, ends of frames.

#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Buffer {
    const uint8_t *bytes;
    size_t size;
} Buffer;

// An attribute in a buffer.
typedef struct Attribute {
    uint32_t v;          // its register, 0 to 15
    uint32_t number;     // a TranspicaNumber
    uint32_t components; // 1 to 4
    size_t buffer;
    size_t offset; // the byte of vertex 0
    size_t stride; // bytes from vertex to vertex; 0: all vertices have one value
} Attribute;

typedef enum Topology { LIST, STRIP, FAN, BY_GEOMETRY } Topology;

typedef struct Draw {
    Topology topology;
    bool indexed;
    uint32_t count;          // vertices, or indices
    uint32_t vertex_count;   // vertices that are named: the largest index and one
    const uint32_t *indices; // in the order of drawing, also if the draw has none; until the next event
    size_t attribute_count;
    Attribute attributes[16];
} Draw;

typedef enum Kind { COMMANDS, DRAW, FRAME, END, DAMAGED } Kind;

typedef struct Event {
    size_t at; // the byte of the file where its chunk begins
    Kind kind;
    const uint32_t *words; // of COMMANDS
    size_t word_count;
    Draw draw;
    const char *problem; // of DAMAGED
} Event;

typedef struct Recording {
    uint8_t *bytes;
    size_t size;
    Buffer *buffers;
    size_t buffer_count;
    uint32_t *indices; // of the last draw
    size_t at;         // the next chunk
} Recording;

// Reads a file and finds its buffers. Returns a problem, or NULL.
const char *recording_open(Recording *recording, const char *path);
void recording_close(Recording *recording);
// Begins again.
void recording_rewind(Recording *recording);
Event recording_next(Recording *recording);
// The value of an attribute of a vertex.
void recording_fetch(const Recording *recording, const Attribute *attribute, uint32_t vertex, float value[4]);

#endif
