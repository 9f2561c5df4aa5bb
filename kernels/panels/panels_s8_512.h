/* panels_s8_512.h - sums of int8 products and their conversion to outputs with 512-bit registers, for
 * panels_s8_avx512.c, panels_s8_avx512vnni.c and panels_s8_amx.c. */
#ifndef DRAGOMAN_PANELS_S8_512_H
#define DRAGOMAN_PANELS_S8_512_H

#include <immintrin.h>

#include "panels_s8.h"

typedef __m512i Ints, Weights, Values;

PANELS_INLINE Ints ints_add(Ints a, Ints b)
{
    return _mm512_add_epi32(a, b);
}

typedef __m512i Sixteen;

/* Corrections, scales and biases of one panel; zeros past the end of the matrix. */
typedef struct {
    __m512i correction;
    __m512 scale, bias;
    bool fused;
} Outputs;

PANELS_INLINE Outputs outputs_load(const PanelsS8Matmul *m, size_t at, size_t count)
{
    const __mmask16 mask = (__mmask16)((1u << count) - 1);

    return (Outputs){ _mm512_loadu_si512(m->corrections + at), _mm512_maskz_loadu_ps(mask, m->scales + at),
                      m->bias ? _mm512_maskz_loadu_ps(mask, m->bias + at) : _mm512_setzero_ps(), m->fused };
}

PANELS_INLINE void outputs_store(const Outputs *o, Sixteen sums, float x_scale, float *out, size_t count)
{
    __m512 value = _mm512_cvtepi32_ps(_mm512_add_epi32(sums, o->correction));
    __m512 scale = _mm512_mul_ps(_mm512_set1_ps(x_scale), o->scale);

    value = o->fused ? _mm512_fmadd_ps(value, scale, o->bias) : _mm512_add_ps(_mm512_mul_ps(value, scale), o->bias);
    _mm512_mask_storeu_ps(out, (__mmask16)((1u << count) - 1), value);
}

#endif
