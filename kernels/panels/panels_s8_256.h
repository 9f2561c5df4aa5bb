/* panels_s8_256.h - sums of int8 products and their conversion to outputs with 256-bit registers, for
 * panels_s8_avx2.c and panels_s8_avxvnni.c. */
#ifndef DRAGOMAN_PANELS_S8_256_H
#define DRAGOMAN_PANELS_S8_256_H

#include <immintrin.h>

#include "panels_s8.h"

typedef __m256i Ints, Weights, Values;

PANELS_INLINE Ints ints_add(Ints a, Ints b)
{
    return _mm256_add_epi32(a, b);
}

typedef struct {
    __m256i low, high;
} Sixteen;

/* Corrections, scales and biases of one panel; zeros past the end of the matrix. */
typedef struct {
    __m256i correction[2];
    __m256 scale[2], bias[2];
    bool fused;
} Outputs;

PANELS_INLINE Outputs outputs_load(const PanelsS8Matmul *m, size_t at, size_t count)
{
    Outputs out = { .fused = m->fused };

    memcpy(out.correction, m->corrections + at, PANEL * sizeof *m->corrections);
    if (count == PANEL) { /* the usual case, and without calls of memcpy() */
        memcpy(out.scale, m->scales + at, sizeof out.scale);
        if (m->bias) memcpy(out.bias, m->bias + at, sizeof out.bias);
    } else {
        memcpy(out.scale, m->scales + at, count * sizeof *m->scales);
        if (m->bias) memcpy(out.bias, m->bias + at, count * sizeof *m->bias);
    }
    return out;
}

PANELS_INLINE __m256 outputs_half(const Outputs *o, size_t half, __m256i sums, float x_scale)
{
    __m256 value = _mm256_cvtepi32_ps(_mm256_add_epi32(sums, o->correction[half]));
    __m256 scale = _mm256_mul_ps(_mm256_set1_ps(x_scale), o->scale[half]);

    if (o->fused) return _mm256_fmadd_ps(value, scale, o->bias[half]);
    return _mm256_add_ps(_mm256_mul_ps(value, scale), o->bias[half]);
}

PANELS_INLINE void outputs_store(const Outputs *o, Sixteen sums, float x_scale, float *out, size_t count)
{
    __m256 values[2] = { outputs_half(o, 0, sums.low, x_scale), outputs_half(o, 1, sums.high, x_scale) };

    if (count == PANEL) {
        _mm256_storeu_ps(out, values[0]);
        _mm256_storeu_ps(out + 8, values[1]);
    } else {
        memcpy(out, values, count * sizeof *out);
    }
}

/* Adds within each 128-bit half, as vphaddd does: the result has four sums in each half, one per register. */
PANELS_INLINE Ints four_sums(const Ints *s)
{
    return _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
}

PANELS_INLINE Ints eight_totals(const Ints *s)
{
    const Ints a = four_sums(s), b = four_sums(s + 4);

    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

PANELS_INLINE Sixteen sixteen_totals(const Ints *s)
{
    return (Sixteen){ eight_totals(s), eight_totals(s + 8) };
}

#endif
