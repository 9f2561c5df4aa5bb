/* panels_s8_128.h - int8 matmul with the 128-bit registers of 64-bit Arm, for panels_s8_neon.c and
 * panels_s8_dotprod.c, which define PANELS_INLINE before they include it, and ints_dot() before they
 * include panels_s8_tile.h. Values of x are multiplied as signed bytes, from -127 to 127. */
#ifndef DRAGOMAN_PANELS_S8_128_H
#define DRAGOMAN_PANELS_S8_128_H

#include <arm_neon.h>

#include "panels_s8.h"

/* A tile has 24 registers of sums, one of a panel and 6 of x. */
#define PARTS        4
#define SHORT_PANELS 1
#define FEW_PANELS   1
#define FEW_STEPS    4

typedef int32x4_t Ints;
typedef int8x16_t Weights, Values;

typedef struct {
    int32x4_t part[PARTS];
} Sixteen;

/* Corrections, scales and biases of one panel; zeros past the end of the matrix. */
typedef struct {
    int32x4_t correction[PARTS];
    float32x4_t scale[PARTS], bias[PARTS];
    bool fused;
} Outputs;

PANELS_INLINE Ints ints_add(Ints a, Ints b)
{
    return vaddq_s32(a, b);
}

PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    return vld1q_s8(panel + 16 * part);
}

/* Flipping the highest bit of each byte subtracts the 128 that was added. */
PANELS_INLINE Values values_set(const uint8_t *x)
{
    return vreinterpretq_s8_u32(vdupq_n_u32((uint32_t)panels_s8_four(x) ^ 0x80808080));
}

PANELS_INLINE Sixteen sixteen_sums(const Ints *parts)
{
    return (Sixteen){ { parts[0], parts[1], parts[2], parts[3] } };
}

PANELS_INLINE Outputs outputs_load(const PanelsS8Matmul *m, size_t at, size_t count)
{
    Outputs out = { .fused = m->fused };

    if (m->signed_corrections) memcpy(out.correction, m->signed_corrections + at, sizeof out.correction);
    memcpy(out.scale, m->scales + at, count * sizeof *m->scales);
    if (m->bias) memcpy(out.bias, m->bias + at, count * sizeof *m->bias);
    return out;
}

PANELS_INLINE void outputs_store(const Outputs *o, Sixteen sums, float x_scale, float *out, size_t count)
{
    float32x4_t values[PARTS];

    for (size_t i = 0; i < PARTS; i++) {
        const float32x4_t sum = vcvtq_f32_s32(vaddq_s32(sums.part[i], o->correction[i]));
        const float32x4_t scale = vmulq_n_f32(o->scale[i], x_scale);
        values[i] = o->fused ? vfmaq_f32(o->bias[i], sum, scale) : vaddq_f32(vmulq_f32(sum, scale), o->bias[i]);
    }
    memcpy(out, values, count * sizeof *out);
}

#endif
