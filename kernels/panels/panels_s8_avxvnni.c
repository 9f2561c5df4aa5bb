/* panels_s8_avxvnni.c - int8 matmul with panels (panels_s8.h), AVX-VNNI: vpdpbusd on 256-bit registers. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma,avxvnni")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_256.h"

/* A tile has 12 registers of sums, 2 of a panel and one of x. */
#define PARTS        2
#define SHORT_PANELS 1
#define FEW_PANELS   1
#define FEW_STEPS    4

/* The weights are kept in a register: folding the load into every vpdpbusd would halve the speed. */
PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    Weights w = _mm256_loadu_si256((const void *)(panel + 32 * part));

    __asm__("" : "+x"(w));
    return w;
}

PANELS_INLINE Values values_set(const uint8_t *x)
{
    return _mm256_set1_epi32(panels_s8_four(x));
}

PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm256_dpbusd_avx_epi32(sums, values, weights);
    __asm__ volatile("" : "+x"(sums));
    return sums;
}

PANELS_INLINE Sixteen sixteen_sums(const Ints *parts)
{
    return (Sixteen){ parts[0], parts[1] };
}

#define PANELS_S8_MULTIPLY panels_s8_multiply_avxvnni
#include "panels_s8_tile.h"

/* --- Listed rows. --- */
#define LISTED_STEP ((size_t)32)

PANELS_INLINE Values listed_values(const uint8_t *x)
{
    return _mm256_loadu_si256((const void *)x);
}

PANELS_INLINE Ints listed_add(Ints sums, Values values, const int8_t *row)
{
    return _mm256_dpbusd_avx_epi32(sums, values, _mm256_loadu_si256((const void *)row));
}

#define listed_load        outputs_load
#define LISTED_S8_MULTIPLY listed_s8_multiply_avxvnni
#include "listed_s8_tile.h"
#endif
