/* kernels.c - picks the kernels for this CPU. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "panels.h"
#include "rows_tables.h"

/* The compiler's CPU detection looks at XCR0 too: a level counts only if the
 * system saves its registers. */
size_t kernels_count(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return 1;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return 2;
    return 3;
#else
    return 1;
#endif
}

const Kernels *kernels_at(size_t index)
{
#if defined(__x86_64__)
    if (index == 2) return &rows_avx512;
    if (index == 1) return &rows_avx2;
#endif
    (void)index;
    return &rows_generic;
}

const Kernels *kernels_get(void)
{
    const char *wanted = getenv("DRAGOMAN_CPU");
    size_t best = kernels_count() - 1;

    for (size_t i = 0; wanted && i < best; i++)
        if (strcmp(kernels_at(i)->level, wanted) == 0) return kernels_at(i);
    return kernels_at(best);
}

PanelsMultiply *panels_get(void)
{
    const char *level = kernels_get()->level;

#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) return NULL;
    if (strcmp(level, "avx512") == 0) return panels_multiply_avx512;
    if (strcmp(level, "avx2") == 0) return panels_multiply_avx2;
    return panels_multiply_scalar;
#elif defined(FP_FAST_FMAF)
    (void)level;
    return panels_multiply_scalar;
#else
    (void)level;
    return NULL;
#endif
}
