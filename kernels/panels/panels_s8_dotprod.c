/* panels_s8_dotprod.c - int8 matmul with panels (panels_s8.h), Arm's dot products of four bytes. */
#include "panels_s8.h"

#if defined(__aarch64__)
#if defined(__ARM_FEATURE_DOTPROD)
#define TARGET
#else
#define TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#endif
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_128.h"

PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    return vdotq_s32(sums, values, weights);
}

#define PANELS_S8_MULTIPLY panels_s8_multiply_dotprod
#include "panels_s8_tile.h"
#endif
