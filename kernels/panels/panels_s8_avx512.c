/* panels_s8_avx512.c - int8 matmul with panels (panels_s8.h), AVX-512 without VNNI: the method of
 * panels_s8_avx2.c with registers twice as wide. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_512.h"

/* Each sum covers two of k for 8 outputs: a tile has 24 registers of sums, 4 of weights and one of x. */
#define PARTS        2
#define SHORT_PANELS 2
#define FEW_PANELS   1
#define FEW_STEPS    4

PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)(panel + 32 * part)));
}

PANELS_INLINE Values values_set(const uint8_t *x)
{
    return _mm512_unpacklo_epi8(_mm512_set1_epi32(panels_s8_four(x)), _mm512_setzero_si512());
}

PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(values, weights));
    __asm__ volatile("" : "+v"(sums));
    return sums;
}

/* Adds the sums of even k and those of odd k, in the order of the outputs. */
PANELS_INLINE Sixteen sixteen_sums(const Ints *parts)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));

    return _mm512_add_epi32(_mm512_permutex2var_epi32(parts[0], even, parts[1]),
                            _mm512_permutex2var_epi32(parts[0], odd, parts[1]));
}

#define PANELS_S8_MULTIPLY panels_s8_multiply_avx512
#include "panels_s8_tile.h"
#endif
