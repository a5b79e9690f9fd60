#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of a recording are little-endian, and are used in place"
#endif

enum { START = 8, MOST_VERTICES = 1 << 20 };
static const size_t SIZES[4] = {1, 1, 2, 4};

// A chunk: four letters, a size, the content.
typedef struct Chunk {
    const uint8_t *letters;
    const uint8_t *content;
    size_t size;
} Chunk;

// Takes the chunk at a place and moves the place after it; false if it is cut off.
static bool take(const Recording *recording, size_t *at, Chunk *chunk) {
    if (recording->size - *at < 8) {
        return false;
    }
    uint32_t size;
    chunk->letters = recording->bytes + *at;
    memcpy(&size, chunk->letters + 4, 4);
    chunk->content = chunk->letters + 8;
    chunk->size = size;
    const size_t padded = ((size_t)size + 3) / 4 * 4;
    if (recording->size - *at - 8 < padded) {
        return false;
    }
    *at += 8 + padded;
    return true;
}

static bool is(const Chunk *chunk, const char *letters) { return memcmp(chunk->letters, letters, 4) == 0; }

static const char *read_file(Recording *recording, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return "the file cannot be opened";
    }
    size_t room = 1 << 16;
    recording->bytes = malloc(room);
    while (recording->bytes != NULL) {
        recording->size += fread(recording->bytes + recording->size, 1, room - recording->size, file);
        if (recording->size < room) {
            break;
        }
        room *= 2;
        uint8_t *const more = realloc(recording->bytes, room);
        if (more == NULL) {
            free(recording->bytes);
        }
        recording->bytes = more;
    }
    fclose(file);
    return recording->bytes == NULL ? "there is no memory for the file" : NULL;
}

const char *recording_open(Recording *recording, const char *path) {
    memset(recording, 0, sizeof *recording);
    const char *problem = read_file(recording, path);
    if (problem != NULL) {
        return problem;
    }
    if (recording->size < START || memcmp(recording->bytes, "PCLIST\1\0", START) != 0) {
        return "the file does not begin with PCLIST and version 1";
    }
    // Each buffer has eight bytes at least.
    recording->buffers = malloc((recording->size / 8 + 1) * sizeof(Buffer));
    recording->indices = malloc(MOST_VERTICES * sizeof(uint32_t));
    if (recording->buffers == NULL || recording->indices == NULL) {
        return "there is no memory for the buffers";
    }
    Chunk chunk;
    for (size_t at = START; take(recording, &at, &chunk);) {
        if (is(&chunk, "BUFR")) {
            recording->buffers[recording->buffer_count++] = (Buffer){chunk.content, chunk.size};
        }
    }
    recording_rewind(recording);
    return NULL;
}

void recording_close(Recording *recording) {
    free(recording->bytes);
    free(recording->buffers);
    free(recording->indices);
}

void recording_rewind(Recording *recording) { recording->at = START; }

void recording_fetch(const Recording *recording, const Attribute *attribute, uint32_t vertex, float value[4]) {
    const uint8_t *const bytes = recording->buffers[attribute->buffer].bytes + attribute->offset +
                                 (size_t)vertex * attribute->stride;
    const float missing[4] = {0, 0, 0, 1};
    memcpy(value, missing, sizeof missing);
    for (size_t n = 0; n < attribute->components; n++) {
        int16_t half;
        switch (attribute->number) {
        case 0: value[n] = (float)(int8_t)bytes[n]; break;
        case 1: value[n] = (float)bytes[n]; break;
        case 2:
            memcpy(&half, bytes + 2 * n, 2);
            value[n] = (float)half;
            break;
        default: memcpy(&value[n], bytes + 4 * n, 4);
        }
    }
}

// Reads an attribute of four words, whose vertices must be in their buffer.
static const char *read_attribute(const Recording *recording, const uint32_t words[4], uint32_t vertices, Attribute *to) {
    *to = (Attribute){words[0] & 0xFF, words[0] >> 8 & 0xFF, words[0] >> 16 & 0xFF, words[1], words[2], words[3]};
    if (to->v > 15 || to->number > 3 || to->components < 1 || to->components > 4) {
        return "an attribute has a register, number format or count of components too large";
    }
    if (to->buffer >= recording->buffer_count) {
        return "an attribute has a buffer that is not there";
    }
    const size_t size = recording->buffers[to->buffer].size, own = to->components * SIZES[to->number];
    const uint64_t last = vertices == 0 ? 0 : (uint64_t)(vertices - 1) * to->stride;
    if (vertices != 0 && (size < own || to->offset > size - own || last > size - own - to->offset)) {
        return "a vertex of a draw is beyond its buffer";
    }
    return NULL;
}

// Reads the indices of a draw, or counts.
static const char *read_indices(const Recording *recording, const uint32_t words[5], Draw *draw) {
    const size_t size = words[4], from = words[3];
    if (draw->count > MOST_VERTICES) {
        return "a draw has too many vertices";
    }
    draw->indexed = words[2] != UINT32_MAX;
    if (draw->indexed) {
        if (size != 1 && size != 2 && size != 4) {
            return "an index has 1, 2 or 4 bytes";
        }
        if (words[2] >= recording->buffer_count || from > recording->buffers[words[2]].size ||
            size * draw->count > recording->buffers[words[2]].size - from) {
            return "the indices of a draw are beyond their buffer";
        }
    }
    for (uint32_t n = 0; n < draw->count; n++) {
        uint32_t index = draw->indexed ? 0 : n;
        if (draw->indexed) {
            memcpy(&index, recording->buffers[words[2]].bytes + from + size * n, size);
        }
        recording->indices[n] = index;
        if (index >= MOST_VERTICES) {
            return "an index is too large";
        }
        draw->vertex_count = index >= draw->vertex_count ? index + 1 : draw->vertex_count;
    }
    draw->indices = recording->indices;
    return NULL;
}

static const char *read_draw(const Recording *recording, const Chunk *chunk, Draw *draw) {
    if (chunk->size < 20 || (chunk->size - 20) % 16 != 0 || chunk->size > 20 + 16 * 16) {
        return "a draw has five words and four for each of at most sixteen attributes";
    }
    uint32_t words[5 + 4 * 16];
    memcpy(words, chunk->content, chunk->size);
    if (words[0] > BY_GEOMETRY) {
        return "no topology has this number";
    }
    draw->topology = (Topology)words[0];
    draw->count = words[1];
    const char *problem = read_indices(recording, words, draw);
    draw->attribute_count = (chunk->size - 20) / 16;
    for (size_t n = 0; n < draw->attribute_count && problem == NULL; n++) {
        // Geometry programs run on the CPU, where the library looks.
        const uint32_t vertices = draw->topology == BY_GEOMETRY ? 0 : draw->vertex_count;
        problem = read_attribute(recording, words + 5 + 4 * n, vertices, &draw->attributes[n]);
    }
    return problem;
}

Event recording_next(Recording *recording) {
    Event event = {.kind = END};
    Chunk chunk;
    while (recording->at < recording->size) {
        event.at = recording->at;
        if (!take(recording, &recording->at, &chunk)) {
            event.problem = "a chunk is cut off";
        } else if (is(&chunk, "BUFR")) {
            continue;
        } else if (is(&chunk, "CMDS")) {
            event.kind = COMMANDS;
            // Chunks begin at multiples of four.
            event.words = (const uint32_t *)(const void *)chunk.content;
            event.word_count = chunk.size / 4;
        } else if (is(&chunk, "DRAW")) {
            event.kind = DRAW;
            event.problem = read_draw(recording, &chunk, &event.draw);
        } else if (is(&chunk, "FRAM")) {
            event.kind = FRAME;
        } else {
            event.problem = "no chunk has these four letters";
        }
        event.kind = event.problem != NULL ? DAMAGED : event.kind;
        break;
    }
    return event;
}
