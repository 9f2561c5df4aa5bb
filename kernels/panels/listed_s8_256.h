/* listed_s8_256.h - adds up sums of int8 products in 256-bit registers, for listed_s8_avx2.c and
 * listed_s8_avxvnni.c. */
#ifndef DRAGOMAN_LISTED_S8_256_H
#define DRAGOMAN_LISTED_S8_256_H

#include "panels_s8_256.h"

/* vphaddd works on 128-bit halves: each half of the result has the sums of four registers there. */
PANELS_INLINE Ints four_sums(const Ints *s)
{
    return _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
}

PANELS_INLINE Ints eight_totals(const Ints *s)
{
    const Ints a = four_sums(s), b = four_sums(s + 4);

    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

PANELS_INLINE Sixteen sixteen_totals(const Ints *s)
{
    return (Sixteen){ eight_totals(s), eight_totals(s + 8) };
}

#endif
