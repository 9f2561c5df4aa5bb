/* listed_s8_avx2.c - int8 matmul with listed rows (listed_s8.h), AVX2. Bytes are widened to 16 bits: vpmaddubsw would
 * saturate, as x is stored from 0 to 255. */
#include "listed_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "listed_s8_256.h"

#define STEP ((size_t)16)

PANELS_INLINE Values values_load(const uint8_t *x)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)x));
}

PANELS_INLINE Ints ints_dot(Ints sums, Values values, const int8_t *row)
{
    const Weights weights = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)row));

    return _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
}

#include "listed_s8_tile.h"

TARGET void listed_s8_multiply_avx2(const PanelsS8Matmul *matmul)
{
    listed_s8_multiply(matmul);
}
#endif
