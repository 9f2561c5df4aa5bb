/* listed_s8_avxvnni.c - int8 matmul with listed rows (listed_s8.h), AVX-VNNI. */
#include "listed_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma,avxvnni")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "listed_s8_256.h"

#define STEP ((size_t)32)

PANELS_INLINE Values values_load(const uint8_t *x)
{
    return _mm256_loadu_si256((const void *)x);
}

PANELS_INLINE Ints ints_dot(Ints sums, Values values, const int8_t *row)
{
    return _mm256_dpbusd_avx_epi32(sums, values, _mm256_loadu_si256((const void *)row));
}

#include "listed_s8_tile.h"

TARGET void listed_s8_multiply_avxvnni(const PanelsS8Matmul *matmul)
{
    listed_s8_multiply(matmul);
}
#endif
