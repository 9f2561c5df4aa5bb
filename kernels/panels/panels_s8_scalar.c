/* panels_s8_scalar.c - int8 matmul with panels (panels_s8.h) in plain C: the reference for the other levels. */
#include "panels_s8.h"

/* Computes the sums of one row with one panel. A file may contain -128, which no quantization
 * produces; sums then wrap around, as at the other levels. */
static void add_up(const int8_t *panel, size_t width, const uint8_t *x, uint32_t sums[PANEL])
{
    for (size_t j = 0; j < PANEL; j++) sums[j] = 0;
    for (size_t i = 0; i < width; i += PANELS_S8_FOUR, panel += PANEL * PANELS_S8_FOUR, x += PANELS_S8_FOUR)
        for (size_t j = 0; j < PANEL; j++) {
            const int8_t *w = panel + j * PANELS_S8_FOUR;
            sums[j] += (uint32_t)(x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3]);
        }
}

void panels_s8_multiply_scalar(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);

    for (size_t at = 0; at < m->n; at += PANEL)
        for (size_t r = 0; r < m->rows; r++) {
            uint32_t sums[PANEL];
            add_up(m->panels + at * width, width, m->x + r * m->ldx, sums);
            for (size_t j = 0; j < PANEL && at + j < m->n; j++) panels_s8_store(m, r, at + j, sums[j]);
        }
}
