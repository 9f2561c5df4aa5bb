/* panels_s8_neon.c - int8 matmul with panels (panels_s8.h) on any 64-bit Arm. */
#include "panels_s8.h"

#if defined(__aarch64__)
#define TARGET
#define PANELS_INLINE static inline __attribute__((always_inline))
#include "panels_s8_128.h"

/* The sum of two 8-bit products (at most 127 * 128 each) fits 16 bits. */
PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    int16x8_t low = vmull_s8(vget_low_s8(values), vget_low_s8(weights)), high = vmull_high_s8(values, weights);

    return vpadalq_s16(sums, vpaddq_s16(low, high));
}

#define PANELS_S8_MULTIPLY panels_s8_multiply_neon
#include "panels_s8_tile.h"
#endif
