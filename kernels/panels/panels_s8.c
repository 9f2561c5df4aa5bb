/* panels_s8.c - the kernels of panels_s8.h in plain C, the reference for the other levels, and the choice of a
 * level. */
#include "panels_s8.h"

#include <math.h>

/* Stores output j of row r. The sum may have wrapped around, because a file may contain -128, which quantization never
 * produces. Adding the correction wraps it back. For such a file, levels that multiply signed bytes (AVX2 for one row
 * or listed rows, Arm) may return other numbers. */
static void store(const PanelsS8Matmul *m, size_t r, size_t j, uint32_t sum)
{
    const float value = (float)(int32_t)(sum + (uint32_t)m->corrections[j]);
    const float scale = m->x_scales[r] * m->scales[j], bias = m->bias ? m->bias[j] : 0.0f;

    m->out[r * m->ldo + j] = m->fused ? fmaf(value, scale, bias) : value * scale + bias;
}

void panels_s8_multiply_scalar(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);

    for (size_t at = 0; at < m->n; at += PANEL)
        for (size_t r = 0; r < m->rows; r++) {
            const int8_t *panel = m->panels + at * width;
            const uint8_t *x = m->x + r * m->ldx, *end = x + width;
            uint32_t sums[PANEL] = { 0 };
            for (; x < end; panel += PANEL * PANELS_S8_FOUR, x += PANELS_S8_FOUR)
                for (size_t j = 0; j < PANEL; j++) {
                    const int8_t *w = panel + j * PANELS_S8_FOUR;
                    sums[j] += (uint32_t)(x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3]);
                }
            for (size_t j = 0; j < PANEL && at + j < m->n; j++) store(m, r, at + j, sums[j]);
        }
}

void listed_s8_multiply_scalar(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);

    for (size_t j = 0; j < m->n; j++) {
        const int8_t *row = m->panels + (size_t)m->ids[j] * width;
        for (size_t r = 0; r < m->rows; r++) {
            const uint8_t *x = m->x + r * m->ldx;
            uint32_t sum = 0;
            for (size_t i = 0; i < width; i++) sum += (uint32_t)(x[i] * row[i]);
            store(m, r, j, sum);
        }
    }
}

#if defined(__x86_64__)
static const struct {
    PanelsS8Multiply *panels, *listed;
} levels[CPU_LEVELS] = {
    [CPU_SCALAR] = { panels_s8_multiply_scalar, listed_s8_multiply_scalar },
    [CPU_AVX2] = { panels_s8_multiply_avx2, listed_s8_multiply_avx2 },
    [CPU_AVXVNNI] = { panels_s8_multiply_avxvnni, listed_s8_multiply_avxvnni },
    [CPU_AVX512] = { panels_s8_multiply_avx512, listed_s8_multiply_avx2 },
    [CPU_AVX512VNNI] = { panels_s8_multiply_avx512vnni, listed_s8_multiply_avx512vnni },
    [CPU_AMX] = { panels_s8_multiply_amx, listed_s8_multiply_avx512vnni },
};
#endif

PanelsS8Multiply *panels_s8_at_level(CpuLevel level)
{
#if defined(__x86_64__)
    return levels[level].panels;
#elif defined(__aarch64__)
    return level == CPU_DOTPROD ? panels_s8_multiply_dotprod
           : level == CPU_NEON  ? panels_s8_multiply_neon
                                : panels_s8_multiply_scalar;
#else
    (void)level;
    return panels_s8_multiply_scalar;
#endif
}

PanelsS8Widen *panels_s8_widen_for(PanelsS8Multiply *multiply)
{
#if defined(__x86_64__)
    return multiply == panels_s8_multiply_avx2 ? panels_s8_widen_avx2 : NULL;
#else
    (void)multiply;
    return NULL;
#endif
}

PanelsS8Multiply *listed_s8_at_level(CpuLevel level)
{
#if defined(__x86_64__)
    return levels[level].listed;
#else
    (void)level;
    return listed_s8_multiply_scalar;
#endif
}
