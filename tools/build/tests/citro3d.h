// The signatures of citro3d and libctru that bindings call, as their public headers have them. Calls are printed.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum { GPU_VERTEX_SHADER, GPU_GEOMETRY_SHADER } GPU_SHADER_TYPE;
typedef enum { GPU_BYTE, GPU_UNSIGNED_BYTE, GPU_SHORT, GPU_FLOAT } GPU_FORMATS;
typedef struct {
    float m[16];
} C3D_Mtx;
typedef struct {
    int count;
} C3D_AttrInfo;
typedef struct {
    int count;
} C3D_BufInfo;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t u8;
typedef int32_t Result;
typedef struct {
    int number;
} DVLE_s;
typedef struct {
    u32 numDVLE;
    DVLE_s *DVLE;
} DVLB_s;
typedef struct {
    DVLE_s *vertex, *geometry;
    u8 stride;
} shaderProgram_s;

static inline DVLB_s *DVLB_ParseFile(u32 *shbinData, u32 shbinSize) {
    static DVLE_s all[] = {{0}, {1}, {2}, {3}};
    static DVLB_s file;
    printf("file %.4s, %d bytes\n", (const char *)shbinData, (int)shbinSize);
    file.DVLE = all;
    return shbinSize > 4 ? &file : NULL;
}
static inline void DVLB_Free(DVLB_s *dvlb) { printf("free %d\n", (int)dvlb->numDVLE); }
static inline Result shaderProgramInit(shaderProgram_s *sp) {
    sp->geometry = NULL;
    return 0;
}
static inline Result shaderProgramFree(shaderProgram_s *sp) { return sp->geometry == NULL; }
static inline Result shaderProgramSetVsh(shaderProgram_s *sp, DVLE_s *dvle) {
    sp->vertex = dvle;
    return 0;
}
static inline Result shaderProgramSetGsh(shaderProgram_s *sp, DVLE_s *dvle, u8 stride) {
    sp->geometry = dvle;
    sp->stride = stride;
    return 0;
}

static inline void AttrInfo_Init(C3D_AttrInfo *info) { info->count = 0; }
static inline int AttrInfo_AddLoader(C3D_AttrInfo *info, int regId, GPU_FORMATS format, int count) {
    printf("loader %d: v%d, format %d, %d\n", info->count, regId, (int)format, count);
    return info->count++;
}
static inline void BufInfo_Init(C3D_BufInfo *info) { info->count = 0; }
static inline int BufInfo_Add(C3D_BufInfo *info, const void *data, ptrdiff_t stride, int attribCount, u64 permutation) {
    printf("buffer %s, stride %d, %d, 0x%x\n", data ? "of vertices" : "of nothing", (int)stride, attribCount, (unsigned)permutation);
    return info->count++;
}
static inline void C3D_FVUnifMtx3x4(GPU_SHADER_TYPE type, int id, const C3D_Mtx *mtx) {
    printf("rows %d %d %g\n", (int)type, id, (double)mtx->m[0]);
}
static inline void C3D_FVUnifMtx4x4(GPU_SHADER_TYPE type, int id, const C3D_Mtx *mtx) {
    printf("matrix %d %d %g\n", (int)type, id, (double)mtx->m[0]);
}
static inline void C3D_FVUnifSet(GPU_SHADER_TYPE type, int id, float x, float y, float z, float w) {
    printf("float %d %d %g %g %g %g\n", (int)type, id, (double)x, (double)y, (double)z, (double)w);
}
static inline void C3D_IVUnifSet(GPU_SHADER_TYPE type, int id, int x, int y, int z, int w) {
    printf("int %d 0x%x %d %d %d %d\n", (int)type, (unsigned)id, x, y, z, w);
}
static inline void C3D_BoolUnifSet(GPU_SHADER_TYPE type, int id, bool value) {
    printf("bool %d 0x%x %d\n", (int)type, (unsigned)id, value);
}
