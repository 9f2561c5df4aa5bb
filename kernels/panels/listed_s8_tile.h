/* listed_s8_tile.h - the matmul with listed rows of panels_s8.h, written once for all levels. Before including it, a
 * panels_s8_LEVEL.c includes panels_s8_256.h or panels_s8_512.h, which need PANELS_INLINE, and defines:
 *     LISTED_S8_MULTIPLY             the name of the level's function
 *     LISTED_STEP                    values of k in a register of values
 *     listed_values(x)               LISTED_STEP values of x
 *     listed_add(sums, values, row)  adds the products of values of x and of a row of the matrix
 *     listed_load                    outputs_load(), or a function that corrects the sums in another way
 *     sixteen_totals(sums)           adds up each of 16 registers of sums, in order
 * Method   Each of 16 rows of the matrix has a register of sums. The rows are scattered in memory and too short
 *          for the hardware prefetcher, so the rows of the next 16 outputs are prefetched. */
#ifndef DRAGOMAN_LISTED_S8_TILE_H
#define DRAGOMAN_LISTED_S8_TILE_H

#include "panels_s8.h"

#define CACHE_LINE ((size_t)64)
#define TOGETHER   ((size_t)4) /* rows that share the loads of x */

/* Finds the matrix rows of outputs [at, at + PANEL). Past the end, rows[] repeats the last row. */
PANELS_INLINE void listed_rows(const PanelsS8Matmul *m, size_t at, size_t width, const int8_t *rows[PANEL])
{
    for (size_t j = 0; j < PANEL; j++) rows[j] = m->panels + (size_t)m->ids[at + j < m->n ? at + j : m->n - 1] * width;
}

PANELS_INLINE void listed_prefetch(const int8_t *const rows[PANEL], size_t width)
{
    for (size_t j = 0; j < PANEL; j++)
        for (size_t i = 0; i < width; i += CACHE_LINE) __builtin_prefetch(rows[j] + i);
}

PANELS_INLINE Sixteen listed_dot(const int8_t *const rows[PANEL], const uint8_t *x, size_t width)
{
    Ints sums[PANEL];

#pragma GCC unroll 4
    for (size_t j = 0; j < PANEL; j += TOGETHER) {
        for (size_t s = 0; s < TOGETHER; s++) sums[j + s] = (Ints){ 0 };
        for (size_t i = 0; i < width; i += LISTED_STEP) {
            const Values values = listed_values(x + i);
#pragma GCC unroll 4
            for (size_t s = 0; s < TOGETHER; s++) sums[j + s] = listed_add(sums[j + s], values, rows[j + s] + i);
        }
    }
    return sixteen_totals(sums);
}

/* Computes `count` outputs from `at` on for all rows of x. */
PANELS_INLINE void listed_outputs(const PanelsS8Matmul *m, size_t at, const size_t count,
                                  const int8_t *const rows[PANEL], size_t width)
{
    const Outputs outputs = listed_load(m, at, count);

    for (size_t r = 0; r < m->rows; r++)
        outputs_store(&outputs, listed_dot(rows, m->x + r * m->ldx, width), m->x_scales[r], m->out + r * m->ldo + at,
                      count);
}

TARGET void LISTED_S8_MULTIPLY(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);
    const int8_t *rows[PANEL], *next[PANEL];
    size_t at = 0;

    listed_rows(m, 0, width, next);
    for (; at + PANEL <= m->n; at += PANEL) {
        memcpy(rows, next, sizeof rows);
        listed_rows(m, at + PANEL, width, next);
        listed_prefetch(next, width);
        listed_outputs(m, at, PANEL, rows, width);
    }
    if (at < m->n) listed_outputs(m, at, m->n - at, next, width);
}

#endif
