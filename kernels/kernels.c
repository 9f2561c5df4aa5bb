/* kernels.c - selects the kernels for this CPU. */
#include "kernels.h"

#include "cpu.h"

/* The tables of the CPU levels, lowest level first. */
static const struct {
    const Kernels *plain, *emulation;
} tables[] = {
    { &rows_generic, &rows_generic_emulation },
#if defined(__x86_64__)
    { &rows_avx2, &rows_avx2_emulation },
    { &rows_avx512, &rows_avx512_emulation },
#endif
};

size_t kernels_count(void)
{
    if (!cpu_has(CPU_AVX2)) return 1;
    return cpu_has(CPU_AVX512) ? 3 : 2;
}

const Kernels *kernels_at(size_t index)
{
    return tables[index].plain;
}

const Kernels *kernels_emulation_at(size_t index)
{
    return tables[index].emulation;
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
