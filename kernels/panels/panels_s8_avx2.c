/* panels_s8_avx2.c - int8 matmul with panels (panels_s8.h), AVX2.
 * Method   bytes are widened to 16 bits and multiplied with vpmaddwd, which adds two products
 *          exactly. vpmaddubsw would need no widening, but its 16-bit sums saturate. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_256.h"

/* Each sum covers two of k for 4 outputs: a tile has 8 registers of sums, 4 of weights and one of x. */
#define PARTS       4
#define TALL_ROWS   2
#define TALL_PANELS 1
#define FEW_PANELS  1
#define FEW_STEPS   2

PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(panel + 16 * part)));
}

PANELS_INLINE Values values_set(const uint8_t *x)
{
    int32_t four;

    memcpy(&four, x, sizeof four);
    return _mm256_unpacklo_epi8(_mm256_set1_epi32(four), _mm256_setzero_si256());
}

PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
    __asm__ volatile("" : "+x"(sums));
    return sums;
}

/* vphaddd works on 128-bit halves: (0 1 4 5 | 2 3 6 7) becomes (0 1 2 3 | 4 5 6 7). */
PANELS_INLINE __m256i add_pairs(__m256i a, __m256i b)
{
    return _mm256_permute4x64_epi64(_mm256_hadd_epi32(a, b), 0xd8);
}

PANELS_INLINE Sixteen sixteen_sums(const Ints *parts)
{
    return (Sixteen){ add_pairs(parts[0], parts[1]), add_pairs(parts[2], parts[3]) };
}

#include "panels_s8_tile.h"

TARGET void panels_s8_multiply_avx2(const PanelsS8Matmul *matmul)
{
    panels_s8_multiply(matmul);
}
#endif
