/* panels_tile.h - the matmul of panels.h, written once over a type Sixteen. Before including it, each
 * panels_LEVEL.c defines:
 *     Sixteen             16 floats, in as many registers as that takes
 *     sixteen_zero(), sixteen_set(value), sixteen_load(type, at),
 *     sixteen_fma(a, b, c) = a * b + c, sixteen_add(a, b),
 *     sixteen_fill(v, in, count), sixteen_store(out, count, v), which copy
 *     the first `count` <= 16 floats
 *     PANELS_INLINE       attributes of these functions
 *     TALL_ROWS, TALL_PANELS      the tile for many rows
 *     FEW_ROWS, FEW_PANELS        the tile for at most FEW_ROWS (1 or 2) rows
 * Method   the sums of a tile, rows x panels, stay in registers in the loop over k. One value of x
 *          is broadcast; a register of a panel is loaded (and widened) once for all rows of the
 *          tile. Few rows use more panels at a time: there must be enough sums to hide the latency. */
#ifndef DRAGOMAN_PANELS_TILE_H
#define DRAGOMAN_PANELS_TILE_H

#include "panels.h"

/* The work of one tile. */
typedef struct {
    const char *panels; /* the first one */
    size_t panel_bytes;
    size_t k;
    const float *x;
    size_t ldx;
    const float *bias; /* of the first output, or NULL */
    float *out;
    size_t ldo;
    size_t columns; /* outputs from the first one on; fewer than the panels have if the last one is padded */
} Tile;

PANELS_INLINE void tile_store(const Tile *t, const size_t rows, const size_t count, Sixteen sums[][FEW_PANELS])
{
    for (size_t p = 0; p < count; p++) {
        size_t at = p * PANEL, left = t->columns - at < PANEL ? t->columns - at : PANEL;
        for (size_t r = 0; r < rows; r++) {
            Sixteen sum = sums[r][p];
            if (t->bias) {
                Sixteen bias = sixteen_zero();
                sixteen_fill(&bias, t->bias + at, left);
                sum = sixteen_add(sum, bias);
            }
            sixteen_store(t->out + r * t->ldo + at, left, sum);
        }
    }
}

/* `rows` and `count` are constants, so that the sums stay in registers. */
PANELS_INLINE void tile_multiply(DType type, const Tile *t, const size_t rows, const size_t count)
{
    const size_t step = PANEL * dtype_bytes(type);
    Sixteen sums[TALL_ROWS][FEW_PANELS];

#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (size_t p = 0; p < count; p++) sums[r][p] = sixteen_zero();
    for (size_t i = 0; i < t->k; i++) {
        Sixteen b[FEW_PANELS];
#pragma GCC unroll 16
        for (size_t p = 0; p < count; p++) b[p] = sixteen_load(type, t->panels + p * t->panel_bytes + i * step);
#pragma GCC unroll 16
        for (size_t r = 0; r < rows; r++) {
            Sixteen a = sixteen_set(t->x[r * t->ldx + i]);
#pragma GCC unroll 16
            for (size_t p = 0; p < count; p++) sums[r][p] = sixteen_fma(a, b[p], sums[r][p]);
        }
    }
    tile_store(t, rows, count, sums);
}

PANELS_INLINE void tile_rows(DType type, const Tile *t, size_t rows, const size_t count)
{
    switch (rows) {
    case 1:
        tile_multiply(type, t, 1, count);
        break;
    case 2:
        tile_multiply(type, t, 2, count);
        break;
    case 3:
        tile_multiply(type, t, 3, count);
        break;
    case 4:
        tile_multiply(type, t, 4, count);
        break;
    case 5:
        tile_multiply(type, t, 5, count);
        break;
    default:
        tile_multiply(type, t, 6, count);
        break;
    }
}

_Static_assert(TALL_ROWS == 6 && FEW_ROWS <= 2 && FEW_PANELS >= TALL_PANELS, "tile_rows() has these cases");

PANELS_INLINE void tile_panels(DType type, const Tile *t, size_t rows, size_t count)
{
    if (count == FEW_PANELS && rows == 1)
        tile_multiply(type, t, 1, FEW_PANELS);
    else if (count == FEW_PANELS && rows == FEW_ROWS)
        tile_multiply(type, t, FEW_ROWS, FEW_PANELS);
    else if (count == TALL_PANELS)
        tile_rows(type, t, rows, TALL_PANELS);
    else
        tile_rows(type, t, rows, 1);
}

/* Rows are spread evenly over the tiles: 7 rows are 4 + 3, not 6 + 1. */
PANELS_INLINE void panels_multiply(DType type, const PanelsMatmul *m)
{
    const size_t bytes = m->k * PANEL * dtype_bytes(type), all = (m->n + PANEL - 1) / PANEL;
    const size_t tiles = (m->rows + TALL_ROWS - 1) / TALL_ROWS;
    size_t count;

    for (size_t p = 0; p < all; p += count) {
        size_t row = 0;
        count = m->rows <= FEW_ROWS && all - p >= FEW_PANELS ? FEW_PANELS : all - p >= TALL_PANELS ? TALL_PANELS : 1;
        for (size_t i = 0; i < tiles; i++) {
            size_t rows = (m->rows - row + tiles - i - 1) / (tiles - i);
            Tile t = { .panels = (const char *)m->panels + p * bytes,
                       .panel_bytes = bytes,
                       .k = m->k,
                       .x = m->x + row * m->ldx,
                       .ldx = m->ldx,
                       .bias = m->bias ? m->bias + p * PANEL : NULL,
                       .out = m->out + row * m->ldo + p * PANEL,
                       .ldo = m->ldo,
                       .columns = m->n - p * PANEL };
            tile_panels(type, &t, rows, count);
            row += rows;
        }
    }
}

/* Defines the function of one level, with a copy of the loops for each DType. */
#define PANELS_MULTIPLY(name, attribute)                                                                               \
    attribute void name(const PanelsMatmul *matmul)                                                                    \
    {                                                                                                                  \
        if (matmul->type == DTYPE_F32)                                                                                 \
            panels_multiply(DTYPE_F32, matmul);                                                                        \
        else if (matmul->type == DTYPE_F16)                                                                            \
            panels_multiply(DTYPE_F16, matmul);                                                                        \
        else                                                                                                           \
            panels_multiply(DTYPE_BF16, matmul);                                                                       \
    }                                                                                                                  \
    typedef int name##_needs_a_semicolon

#endif
