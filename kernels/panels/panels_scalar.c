/* panels_scalar.c - matmul with panels (panels.h) in plain C: the reference for the other levels. The fused
 * multiply-add must be an instruction, since the library function would take a hundred times as long. */
#include "panels.h"

#include <math.h>

#if defined(__x86_64__)
#define TARGET __attribute__((target("fma")))
#else
#define TARGET
#endif
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET

#define SHORT_PANELS 1
#define FEW_ROWS     1
#define FEW_PANELS   2

typedef struct {
    float v[PANEL];
} Sixteen;

PANELS_INLINE Sixteen sixteen_set(float value)
{
    Sixteen out;

    for (size_t i = 0; i < PANEL; i++) out.v[i] = value;
    return out;
}

PANELS_INLINE Sixteen sixteen_load(DType type, const void *at)
{
    Sixteen out;

    for (size_t i = 0; i < PANEL; i++) out.v[i] = element_at(type, at, i);
    return out;
}

PANELS_INLINE Sixteen sixteen_fma(Sixteen a, Sixteen b, Sixteen c)
{
    for (size_t i = 0; i < PANEL; i++) c.v[i] = fmaf(a.v[i], b.v[i], c.v[i]);
    return c;
}

PANELS_INLINE Sixteen sixteen_add(Sixteen a, Sixteen b)
{
    for (size_t i = 0; i < PANEL; i++) a.v[i] += b.v[i];
    return a;
}

PANELS_INLINE void sixteen_fill(Sixteen *v, const float *in, size_t count)
{
    memcpy(v->v, in, count * sizeof *in);
}

PANELS_INLINE void sixteen_store(float *out, size_t count, Sixteen v)
{
    memcpy(out, v.v, count * sizeof *out);
}

#define PANELS_MULTIPLY panels_multiply_scalar
#include "panels_tile.h"
