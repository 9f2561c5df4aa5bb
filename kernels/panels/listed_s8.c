/* listed_s8.c - selects the kernel of listed_s8.h, and has the one in plain C. */
#include "listed_s8.h"

/* The sum may wrap around; see panels_s8_store(). */
static uint32_t dot(const uint8_t *x, const int8_t *row, size_t width)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < width; i++) sum += (uint32_t)(x[i] * row[i]);
    return sum;
}

void listed_s8_multiply_scalar(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);

    for (size_t j = 0; j < m->n; j++) {
        const int8_t *row = m->panels + (size_t)m->ids[j] * width;
        for (size_t r = 0; r < m->rows; r++) panels_s8_store(m, r, j, dot(m->x + r * m->ldx, row, width));
    }
}

PanelsS8Multiply *listed_s8_at_level(CpuLevel level)
{
#if defined(__x86_64__)
    static PanelsS8Multiply *const levels[CPU_LEVELS] = {
        [CPU_SCALAR] = listed_s8_multiply_scalar,         [CPU_AVX2] = listed_s8_multiply_avx2,
        [CPU_AVXVNNI] = listed_s8_multiply_avxvnni,       [CPU_AVX512] = listed_s8_multiply_avx2,
        [CPU_AVX512VNNI] = listed_s8_multiply_avx512vnni, [CPU_AMX] = listed_s8_multiply_avx512vnni,
    };
    return levels[level];
#else
    (void)level;
    return listed_s8_multiply_scalar;
#endif
}

PanelsS8Multiply *listed_s8_get(void)
{
    return listed_s8_at_level(cpu_level());
}
