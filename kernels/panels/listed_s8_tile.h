/* listed_s8_tile.h - the matmul with listed rows of panels_s8.h, written once for all levels. Before including it, a
 * panels_s8_LEVEL.c includes panels_s8_256.h or panels_s8_512.h, which need PANELS_INLINE, and defines:
 *     LISTED_S8_MULTIPLY             the name of the level's function
 *     LISTED_STEP                    values of k in a register of values
 *     listed_values(x)               LISTED_STEP values of x
 *     listed_add(sums, values, row)  adds the products of values of x and of a row of the matrix
 *     listed_load                    outputs_load(), or a function that corrects the sums in another way
 *     sixteen_totals(sums)           adds up each of 16 registers of sums, in order
 * Method   Each of 16 rows of the matrix has a register of sums. The rows are scattered in memory and too short for
 *          the hardware prefetcher, so the rows of the next 16 outputs are prefetched. A prefetch waits for a free
 *          line fill buffer, so each one stands between products, which a CPU computes meanwhile. */
#ifndef DRAGOMAN_LISTED_S8_TILE_H
#define DRAGOMAN_LISTED_S8_TILE_H

#include "panels_s8.h"

#define TOGETHER ((size_t)4) /* rows that share the loads of x */

/* Multiplies the rows ids[0..16) of the matrix by a row of x. Prefetches the rows next[0..16) if `prefetches`, a
 * compile-time constant, is set. */
PANELS_INLINE Sixteen listed_dot(const PanelsS8Matmul *m, const int32_t *ids, const int32_t *next, const uint8_t *x,
                                 size_t width, const bool prefetches)
{
    Ints sums[PANEL];

#pragma GCC unroll 4
    for (size_t j = 0; j < PANEL; j += TOGETHER) {
        const int8_t *rows[TOGETHER], *ahead[TOGETHER];
        Ints four[TOGETHER];
#pragma GCC unroll 4
        for (size_t s = 0; s < TOGETHER; s++) {
            rows[s] = m->panels + (size_t)ids[j + s] * width;
            ahead[s] = m->panels + (size_t)next[j + s] * width;
            four[s] = (Ints){ 0 };
        }
        for (size_t line = 0; line < width; line += CACHE_LINE) {
#pragma GCC unroll 4
            for (size_t i = line; i < line + CACHE_LINE; i += LISTED_STEP) {
                const Values values = listed_values(x + i);
#pragma GCC unroll 4
                for (size_t s = 0; s < TOGETHER; s++) {
                    four[s] = listed_add(four[s], values, rows[s] + i);
                    if (prefetches && i == line) __builtin_prefetch(ahead[s] + i);
                }
            }
        }
#pragma GCC unroll 4
        for (size_t s = 0; s < TOGETHER; s++) sums[j + s] = four[s];
    }
    return sixteen_totals(sums);
}

/* Computes `count` outputs from `at` on for all rows of x. */
PANELS_INLINE void listed_outputs(const PanelsS8Matmul *m, size_t at, const size_t count, const int32_t *ids,
                                  const int32_t *next, size_t width)
{
    const Outputs outputs = listed_load(m, at, count);

    for (size_t r = 0; r < m->rows; r++) {
        const uint8_t *x = m->x + r * m->ldx;
        const Sixteen sums = r ? listed_dot(m, ids, next, x, width, false) : listed_dot(m, ids, next, x, width, true);
        outputs_store(&outputs, sums, m->x_scales[r], m->out + r * m->ldo + at, count);
    }
}

TARGET void LISTED_S8_MULTIPLY(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k), whole = m->n / PANEL * PANEL;
    int32_t rest[PANEL]; /* the ids of the last outputs, filled up with the last id */

    for (size_t j = 0; j < PANEL; j++) rest[j] = m->ids[whole + j < m->n ? whole + j : m->n - 1];
    for (size_t at = 0; at < whole; at += PANEL)
        listed_outputs(m, at, PANEL, m->ids + at, at + PANEL < whole ? m->ids + at + PANEL : rest, width);
    if (whole < m->n) listed_outputs(m, whole, m->n - whole, rest, rest, width);
}

#endif
