/* kernels.c - selects the kernels for this CPU. */
#include "kernels.h"

#include "cpu.h"

size_t kernels_count(void)
{
    if (!cpu_has(CPU_AVX2)) return 1;
    return cpu_has(CPU_AVX512) ? 3 : 2;
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

const Kernels *kernels_emulation_at(size_t index)
{
#if defined(__x86_64__)
    if (index == 2) return &rows_avx512_emulation;
    if (index == 1) return &rows_avx2_emulation;
#endif
    (void)index;
    return &rows_generic_emulation;
}

static size_t index_here(void)
{
    CpuLevel level = cpu_level();

    return level >= CPU_AVX512 ? 2 : level >= CPU_AVX2 ? 1 : 0;
}

const Kernels *kernels_get(void)
{
    return kernels_at(index_here());
}

const Kernels *kernels_emulation_get(void)
{
    return kernels_emulation_at(index_here());
}
