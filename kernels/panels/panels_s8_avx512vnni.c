/* panels_s8_avx512vnni.c - int8 matmul with panels (panels_s8.h), AVX-512 VNNI: vpdpbusd on 512-bit registers. */
#include "panels_s8.h"

#if defined(__x86_64__)
#include <string.h>

#define TARGET        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_512.h"

/* 24 sums, 4 registers of panels and one of x. */
#define PARTS       1
#define TALL_ROWS   6
#define TALL_PANELS 4
#define FEW_PANELS  1
#define FEW_STEPS   8

/* The weights are kept in a register: folding the load into every vpdpbusd would halve the speed. */
PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    Weights w = _mm512_loadu_si512(panel + 64 * part);

    __asm__("" : "+v"(w));
    return w;
}

PANELS_INLINE Values values_set(const uint8_t *x)
{
    int32_t four;

    memcpy(&four, x, sizeof four);
    return _mm512_set1_epi32(four);
}

/* The sum stays in its register: otherwise gcc moves sums between registers and spills them. */
PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm512_dpbusd_epi32(sums, values, weights);
    __asm__ volatile("" : "+v"(sums));
    return sums;
}

PANELS_INLINE Sixteen sixteen_sums(const Ints *parts)
{
    return parts[0];
}

#include "panels_s8_tile.h"

TARGET void panels_s8_multiply_avx512vnni(const PanelsS8Matmul *matmul)
{
    panels_s8_multiply(matmul);
}
#endif
