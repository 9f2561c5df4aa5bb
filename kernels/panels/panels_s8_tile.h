/* panels_s8_tile.h - the matmul of panels_s8.h, written once for all levels. Before including it, each
 * panels_s8_LEVEL.c defines:
 *     PANELS_S8_MULTIPLY       the name of the level's function
 *     TARGET, PANELS_INLINE    attributes of functions, and of those to inline
 *     PARTS               registers that the sums of one row and one panel occupy
 *     Ints, Weights, Values    a register of sums, of a panel's values, of values of x
 *     weights_load(panel, part)    the values that are multiplied for one register of sums
 *     values_set(x)                four values of x, broadcast
 *     ints_add(a, b), ints_dot(sums, values, weights)
 *     Sixteen, sixteen_sums(parts)     the 16 sums in order
 *     Outputs, outputs_load(matmul, panel, count), outputs_store(outputs,
 *     sums, x_scale, out, count)   converts `count` <= 16 sums to outputs
 *     TALL_ROWS (<= 6), TALL_PANELS    the tile for many rows
 *     FEW_PANELS, FEW_STEPS            the tile for one row; FEW_STEPS fours of k
 * Method   the sums of a tile, rows x panels, stay in registers in the loop over k. Four values of x are broadcast;
 *          registers of panels are loaded once for all rows of the tile. The speed for one row is that of memory:
 *          panels are read in long runs, and several steps of k at a time give enough independent sums (sums are exact
 *          in any order). Tiles of several rows prefetch the next panels, as in panels_tile.h. */
#ifndef DRAGOMAN_PANELS_S8_TILE_H
#define DRAGOMAN_PANELS_S8_TILE_H

#include "panels_s8.h"

#define TILE_PANELS (FEW_PANELS > TALL_PANELS ? FEW_PANELS : TALL_PANELS)

/* The work of one tile. */
typedef struct {
    const PanelsS8Matmul *matmul;
    size_t row, panel; /* the first row and panel */
    size_t width;
    size_t ahead, aheads; /* the first panel to prefetch; how many to prefetch */
} Tile;

PANELS_INLINE void tile_store(const Tile *t, const size_t rows, const size_t count, Ints sums[][TILE_PANELS][PARTS])
{
    const PanelsS8Matmul *m = t->matmul;

    for (size_t p = 0; p < count; p++) {
        size_t at = (t->panel + p) * PANEL, left = m->n - at < PANEL ? m->n - at : PANEL;
        Outputs outputs = outputs_load(m, at, left);
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++)
            outputs_store(&outputs, sixteen_sums(sums[r][p]), m->x_scales[t->row + r],
                          m->out + (t->row + r) * m->ldo + at, left);
    }
}

/* `rows`, `count` and `steps` are compile-time constants, so that the sums stay in registers. */
PANELS_INLINE void tile_multiply(const Tile *t, const size_t rows, const size_t count, const size_t steps)
{
    const size_t panel_bytes = PANEL * t->width;
    const int8_t *panels = t->matmul->panels + t->panel * panel_bytes;
    const int8_t *ahead = t->matmul->panels + t->ahead * panel_bytes;
    const size_t ldx = t->matmul->ldx;
    const uint8_t *x = t->matmul->x + t->row * ldx;
    Ints sums[FEW_STEPS][TALL_ROWS][TILE_PANELS][PARTS];

#pragma GCC unroll 8
    for (size_t s = 0; s < steps; s++)
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
            for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
                for (size_t part = 0; part < PARTS; part++) sums[s][r][p][part] = (Ints){ 0 };
    for (size_t i = 0; i < t->width; i += steps * PANELS_S8_FOUR) {
#pragma GCC unroll 8
        for (size_t s = 0; s < steps; s++) {
            const size_t at = i + s * PANELS_S8_FOUR;
            Weights w[TILE_PANELS][PARTS];
            for (size_t p = 0; p < t->aheads; p++) __builtin_prefetch(ahead + p * panel_bytes + at * PANEL, 0, 2);
#pragma GCC unroll 8
            for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
                for (size_t part = 0; part < PARTS; part++)
                    w[p][part] = weights_load(panels + p * panel_bytes + at * PANEL, part);
#pragma GCC unroll 8
            for (size_t r = 0; r < rows; r++) {
                Values a = values_set(x + r * ldx + at);
#pragma GCC unroll 8
                for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
                    for (size_t part = 0; part < PARTS; part++)
                        sums[s][r][p][part] = ints_dot(sums[s][r][p][part], a, w[p][part]);
            }
        }
    }
#pragma GCC unroll 8
    for (size_t s = 1; s < steps; s++)
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 8
            for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
                for (size_t part = 0; part < PARTS; part++)
                    sums[0][r][p][part] = ints_add(sums[0][r][p][part], sums[s][r][p][part]);
    tile_store(t, rows, count, sums[0]);
}

PANELS_INLINE void tile_rows(const Tile *t, size_t rows, const size_t count)
{
    switch (rows) {
    case 1:
        tile_multiply(t, 1, count, 1);
        break;
    case 2:
        tile_multiply(t, 2, count, 1);
        break;
#if TALL_ROWS > 2
    case 3:
        tile_multiply(t, 3, count, 1);
        break;
#endif
#if TALL_ROWS > 3
    case 4:
        tile_multiply(t, 4, count, 1);
        break;
    case 5:
        tile_multiply(t, 5, count, 1);
        break;
    case 6:
        tile_multiply(t, 6, count, 1);
        break;
#endif
    default:
        break;
    }
}

typedef void TileMultiply(const Tile *tile, size_t rows);

/* Each tile is a separate function, because gcc keeps sums in memory when it inlines all tiles into one function. */
TARGET static void tile_one(const Tile *tile, size_t rows)
{
    tile_rows(tile, rows, 1);
}

TARGET static void tile_tall(const Tile *tile, size_t rows)
{
    tile_rows(tile, rows, TALL_PANELS);
}

TARGET static void tile_few(const Tile *tile, size_t rows)
{
    (void)rows;
    tile_multiply(tile, 1, FEW_PANELS, FEW_STEPS);
}

/* Multiplies all rows with `count` panels from `panel` on. A single row needs no prefetching to reach memory speed. */
static void panels_rows(TileMultiply *multiply, const PanelsS8Matmul *m, size_t panel, size_t count)
{
    const size_t left = (m->n + PANEL - 1) / PANEL - panel - count, tiles = (m->rows + TALL_ROWS - 1) / TALL_ROWS;
    const size_t next = m->rows == 1 ? 0 : left < count ? left : count;
    Tile t = { .matmul = m, .panel = panel, .width = panels_s8_width(m->k), .ahead = panel + count };

    for (size_t i = 0; i < tiles; i++) {
        const size_t rows = panels_tile_rows(m->rows - t.row, tiles - i);
        t.aheads = next * (i + 1) / tiles - next * i / tiles;
        multiply(&t, rows);
        t.row += rows;
        t.ahead += t.aheads;
    }
}

TARGET void PANELS_S8_MULTIPLY(const PanelsS8Matmul *m)
{
    const size_t all = (m->n + PANEL - 1) / PANEL;
    size_t panel = 0;

    if (m->rows == 1)
        for (; all - panel >= FEW_PANELS; panel += FEW_PANELS) panels_rows(tile_few, m, panel, FEW_PANELS);
    for (; all - panel >= TALL_PANELS; panel += TALL_PANELS) panels_rows(tile_tall, m, panel, TALL_PANELS);
    for (; panel < all; panel++) panels_rows(tile_one, m, panel, 1);
}

#endif
