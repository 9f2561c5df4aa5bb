/* panels_s8_avx512vnni.c - int8 matmul with panels (panels_s8.h), AVX-512 VNNI: vpdpbusd on 512-bit registers. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_512.h"

/* A tile has 24 registers of sums, 4 or 2 of panels and one of x. */
#define PARTS        1
#define SHORT_PANELS 4
#define TALL_PANELS  2
#define FEW_PANELS   1
#define FEW_STEPS    8

/* The weights are kept in a register: folding the load into every vpdpbusd would halve the speed. */
PANELS_INLINE Weights weights_load(const int8_t *panel, size_t part)
{
    Weights w = _mm512_loadu_si512(panel + 64 * part);

    __asm__("" : "+v"(w));
    return w;
}

PANELS_INLINE Values values_set(const uint8_t *x)
{
    return _mm512_set1_epi32(panels_s8_four(x));
}

/* The asm keeps the sum in its register: otherwise gcc moves sums between registers and spills them. */
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

#define PANELS_S8_MULTIPLY panels_s8_multiply_avx512vnni
#include "panels_s8_tile.h"

/* --- Listed rows. --- */
#define LISTED_STEP ((size_t)64)

PANELS_INLINE Values listed_values(const uint8_t *x)
{
    return _mm512_loadu_si512(x);
}

PANELS_INLINE Ints listed_add(Ints sums, Values values, const int8_t *row)
{
    return _mm512_dpbusd_epi32(sums, values, _mm512_loadu_si512(row));
}

/* Adds within each 128-bit lane: each lane of the result has one sum each of a, b, c and d. */
PANELS_INLINE Ints four_sums(Ints a, Ints b, Ints c, Ints d)
{
    Ints ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    Ints cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));

    return _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
}

/* Adds neighbouring 128-bit lanes. The lower half of the result has the sums of a, the upper half the sums of b. */
PANELS_INLINE Ints add_quarters(Ints a, Ints b)
{
    return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
}

PANELS_INLINE Sixteen sixteen_totals(const Ints *s)
{
    return add_quarters(add_quarters(four_sums(s[0], s[1], s[2], s[3]), four_sums(s[4], s[5], s[6], s[7])),
                        add_quarters(four_sums(s[8], s[9], s[10], s[11]), four_sums(s[12], s[13], s[14], s[15])));
}

#define listed_load        outputs_load
#define LISTED_S8_MULTIPLY listed_s8_multiply_avx512vnni
#include "listed_s8_tile.h"
#endif
