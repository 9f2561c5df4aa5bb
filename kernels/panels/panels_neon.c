/* panels_neon.c - matmul with panels (panels.h), the 128-bit registers of 64-bit Arm. */
#include "panels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#define TARGET
#define PANELS_INLINE static inline __attribute__((always_inline))

/* A tile has 24 registers of sums, 4 of a panel and one of x. */
#define SHORT_PANELS 1
#define FEW_ROWS     1
#define FEW_PANELS   4

#define PARTS 4

typedef struct {
    float32x4_t part[PARTS];
} Sixteen;

PANELS_INLINE Sixteen sixteen_set(float value)
{
    float32x4_t v = vdupq_n_f32(value);

    return (Sixteen){ { v, v, v, v } };
}

PANELS_INLINE float32x4_t load_four(DType type, const char *at)
{
    if (type == DTYPE_F32) return vld1q_f32((const void *)at);
    if (type == DTYPE_F16) return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const void *)at)));
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16((const void *)at), 16));
}

PANELS_INLINE Sixteen sixteen_load(DType type, const void *at)
{
    const size_t step = 4 * dtype_bytes(type);
    const char *p = at;

    return (Sixteen){ { load_four(type, p), load_four(type, p + step), load_four(type, p + 2 * step),
                        load_four(type, p + 3 * step) } };
}

PANELS_INLINE Sixteen sixteen_fma(Sixteen a, Sixteen b, Sixteen c)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < PARTS; i++) c.part[i] = vfmaq_f32(c.part[i], a.part[i], b.part[i]);
    return c;
}

PANELS_INLINE Sixteen sixteen_add(Sixteen a, Sixteen b)
{
    for (size_t i = 0; i < PARTS; i++) a.part[i] = vaddq_f32(a.part[i], b.part[i]);
    return a;
}

PANELS_INLINE void sixteen_fill(Sixteen *v, const float *in, size_t count)
{
    memcpy(v, in, count * sizeof *in);
}

PANELS_INLINE void sixteen_store(float *out, size_t count, Sixteen v)
{
    if (count == PANEL) {
        for (size_t i = 0; i < PARTS; i++) vst1q_f32(out + 4 * i, v.part[i]);
    } else {
        memcpy(out, &v, count * sizeof *out);
    }
}

#define PANELS_MULTIPLY panels_multiply_neon
#include "panels_tile.h"
#endif
