/* panels_avx512.c - matmul with panels (panels.h), 512-bit registers. */
#include "panels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET        __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,f16c,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET

/* A tile has 24 registers of sums, 4 or 2 of panels and one of x. */
#define SHORT_PANELS 4
#define TALL_PANELS  2
#define FEW_ROWS     2
#define FEW_PANELS   8

typedef __m512 Sixteen;

PANELS_INLINE Sixteen sixteen_set(float value)
{
    return _mm512_set1_ps(value);
}

PANELS_INLINE Sixteen sixteen_load(DType type, const void *at)
{
    if (type == DTYPE_F32) return _mm512_loadu_ps(at);
    if (type == DTYPE_F16) return _mm512_cvtph_ps(_mm256_loadu_si256(at));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(at)), 16));
}

PANELS_INLINE Sixteen sixteen_fma(Sixteen a, Sixteen b, Sixteen c)
{
    return _mm512_fmadd_ps(a, b, c);
}

PANELS_INLINE Sixteen sixteen_add(Sixteen a, Sixteen b)
{
    return _mm512_add_ps(a, b);
}

PANELS_INLINE void sixteen_fill(Sixteen *v, const float *in, size_t count)
{
    *v = _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), in);
}

PANELS_INLINE void sixteen_store(float *out, size_t count, Sixteen v)
{
    _mm512_mask_storeu_ps(out, (__mmask16)((1u << count) - 1), v);
}

#define PANELS_MULTIPLY panels_multiply_avx512
#include "panels_tile.h"
#endif
