/* panels_avx2.c - matmul with panels (panels.h), 256-bit registers. */
#include "panels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET        __attribute__((target("avx2,f16c,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET

/* A tile has 12 registers of sums, 2 of a panel and one of x. */
#define SHORT_PANELS 1
#define FEW_ROWS     1
#define FEW_PANELS   4

typedef struct {
    __m256 low, high;
} Sixteen;

PANELS_INLINE Sixteen sixteen_set(float value)
{
    __m256 v = _mm256_set1_ps(value);

    return (Sixteen){ v, v };
}

PANELS_INLINE __m256 load_eight(DType type, const char *at)
{
    if (type == DTYPE_F32) return _mm256_loadu_ps((const void *)at);
    if (type == DTYPE_F16) return _mm256_cvtph_ps(_mm_loadu_si128((const void *)at));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)at)), 16));
}

PANELS_INLINE Sixteen sixteen_load(DType type, const void *at)
{
    return (Sixteen){ load_eight(type, at), load_eight(type, (const char *)at + 8 * dtype_bytes(type)) };
}

PANELS_INLINE Sixteen sixteen_fma(Sixteen a, Sixteen b, Sixteen c)
{
    return (Sixteen){ _mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high) };
}

PANELS_INLINE Sixteen sixteen_add(Sixteen a, Sixteen b)
{
    return (Sixteen){ _mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high) };
}

PANELS_INLINE void sixteen_fill(Sixteen *v, const float *in, size_t count)
{
    memcpy(v, in, count * sizeof *in);
}

PANELS_INLINE void sixteen_store(float *out, size_t count, Sixteen v)
{
    if (count == PANEL) {
        _mm256_storeu_ps(out, v.low);
        _mm256_storeu_ps(out + 8, v.high);
    } else {
        memcpy(out, &v, count * sizeof *out);
    }
}

#define PANELS_MULTIPLY panels_multiply_avx2
#include "panels_tile.h"
#endif
