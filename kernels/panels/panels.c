/* panels.c - chooses a level and fills panels; see panels.h. */
#include "panels.h"

#include <string.h>

#include "cpu.h"

PanelsMultiply *panels_get(void)
{
    if (!cpu_has_fma()) return NULL;
#if defined(__x86_64__)
    if (cpu_level() >= CPU_AVX512) return panels_multiply_avx512;
    if (cpu_level() >= CPU_AVX2) return panels_multiply_avx2;
#elif defined(__aarch64__)
    if (cpu_level() >= CPU_NEON) return panels_multiply_neon;
#endif
    return panels_multiply_scalar;
}

void panels_fill(DType type, void *panel, const void *rows, size_t count, size_t k)
{
    const uint32_t *from32 = rows;
    const uint16_t *from16 = rows;
    uint32_t *to32 = panel;
    uint16_t *to16 = panel;

    if (count < PANEL) memset(panel, 0, PANEL * k * dtype_bytes(type));
    if (type == DTYPE_F32 && count == PANEL)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to32[i * PANEL + j] = from32[j * k + i];
    else if (type == DTYPE_F32)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < count; j++) to32[i * PANEL + j] = from32[j * k + i];
    else if (count == PANEL)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to16[i * PANEL + j] = from16[j * k + i];
    else
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < count; j++) to16[i * PANEL + j] = from16[j * k + i];
}
