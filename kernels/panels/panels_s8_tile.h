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
 *     SHORT_PANELS             the tile for up to 6 rows
 *     TALL_PANELS              the tile for 7 to 12 rows; not defined: the level has none
 *     FEW_PANELS, FEW_STEPS    the tile for one row; FEW_STEPS fours of k
 * Method   the sums of a tile, rows x panels, stay in registers in the loop over k. Four values of x are broadcast;
 *          registers of panels are loaded once for all rows of the tile. A tile with more rows and fewer panels is
 *          better than the opposite: its panels stay in the first-level cache until all rows have used them.
 *          The speed for one row is that of memory: panels are read in long runs, and several steps of k at a time
 *          give enough independent sums (sums are exact in any order). The tiles of several rows share the work of
 *          prefetching the next panels evenly. Where one tile prefetched more than memory delivers, its requests would
 *          occupy the buffers that loads from the second-level cache need, too. */
#ifndef DRAGOMAN_PANELS_S8_TILE_H
#define DRAGOMAN_PANELS_S8_TILE_H

#include "panels_s8.h"

#define SHORT_ROWS ((size_t)6)
#if defined(TALL_PANELS)
#define TALL_ROWS ((size_t)12)
#else
#define TALL_ROWS   SHORT_ROWS
#define TALL_PANELS SHORT_PANELS
#endif
#define TALL_FOURS  4 /* fours of k per step of the loop of tall tiles */
#define MOST_SUMS   (TALL_ROWS > FEW_STEPS ? TALL_ROWS : FEW_STEPS)
#define TILE_PANELS (FEW_PANELS > SHORT_PANELS ? FEW_PANELS : SHORT_PANELS)
_Static_assert(TALL_PANELS <= TILE_PANELS, "the arrays of sums have TILE_PANELS");
_Static_assert(FEW_PANELS == 1, "a single row prefetches one panel");

/* The work of one tile. */
typedef struct {
    const PanelsS8Matmul *matmul;
    size_t row, panel; /* the first row and panel */
    size_t width;
    size_t ahead, aheads; /* the first section to prefetch, how many to prefetch; see tile_multiply() */
} Tile;

PANELS_INLINE void tile_store(const Tile *t, const size_t rows, const size_t count, Ints sums[][TILE_PANELS][PARTS])
{
    const PanelsS8Matmul *m = t->matmul;

    for (size_t p = 0; p < count; p++) {
        size_t at = (t->panel + p) * PANEL, left = m->n - at < PANEL ? m->n - at : PANEL;
        Outputs outputs = outputs_load(m, at, left);
#pragma GCC unroll 16
        for (size_t r = 0; r < rows; r++)
            outputs_store(&outputs, sixteen_sums(sums[r][p]), m->x_scales[t->row + r],
                          m->out + (t->row + r) * m->ldo + at, left);
    }
}

/* Rows of x, in groups of three: addresses of the form base + offset and base + 2 * offset need few registers. */
typedef struct {
    const uint8_t *first[(TALL_ROWS + 2) / 3];
} Rows;

PANELS_INLINE Rows rows_begin(const Tile *t, const size_t rows)
{
    Rows x = { 0 };

#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r += 3) {
        x.first[r / 3] = t->matmul->x + (t->row + r) * t->matmul->ldx;
        __asm__("" : "+r"(x.first[r / 3])); /* otherwise gcc computes an address for each row */
    }
    return x;
}

/* Multiplies one four of k: `panels` is where it begins in the first panel, `at` the index in the rows of x. */
PANELS_INLINE void tile_four(const Rows *x, size_t ldx, size_t at, const int8_t *panels, size_t panel_bytes,
                             Ints sums[][TILE_PANELS][PARTS], const size_t rows, const size_t count)
{
    Weights w[TILE_PANELS][PARTS];

#pragma GCC unroll 8
    for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
        for (size_t part = 0; part < PARTS; part++) w[p][part] = weights_load(panels + p * panel_bytes, part);
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++) {
        const Values a = values_set(x->first[r / 3] + r % 3 * ldx + at);
#pragma GCC unroll 8
        for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
            for (size_t part = 0; part < PARTS; part++) sums[r][p][part] = ints_dot(sums[r][p][part], a, w[p][part]);
    }
}

/* `rows`, `count`, `fours` and `steps` are compile-time constants, so that the sums stay in registers. A step of the
 * loop multiplies `fours` fours of k; `steps` of them, 1 or all, have separate sums. It prefetches a cache line of each
 * section ahead; a section is a panel divided by `fours`. */
PANELS_INLINE void tile_multiply(const Tile *t, const size_t rows, const size_t count, const size_t fours,
                                 const size_t steps)
{
    const size_t panel_bytes = PANEL * t->width, section = panel_bytes / fours, ldx = t->matmul->ldx;
    const int8_t *panels = t->matmul->panels + t->panel * panel_bytes;
    const int8_t *ahead = t->matmul->panels + t->ahead * section;
    const Rows x = rows_begin(t, rows);
    Ints sums[MOST_SUMS][TILE_PANELS][PARTS]; /* of each row, or of each step of one row */

#pragma GCC unroll 16
    for (size_t r = 0; r < steps * rows; r++)
#pragma GCC unroll 8
        for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
            for (size_t part = 0; part < PARTS; part++) sums[r][p][part] = (Ints){ 0 };
    for (size_t i = 0; i < t->width; i += fours * PANELS_S8_FOUR) {
        for (size_t p = 0; p < t->aheads; p++) __builtin_prefetch(ahead + p * section + i * PANEL / fours, 0, 2);
#pragma GCC unroll 8
        for (size_t s = 0; s < fours; s++) {
            const size_t at = i + s * PANELS_S8_FOUR;
            if (rows == 1) __builtin_prefetch(panels + at * PANEL + PANELS_S8_AHEAD);
            tile_four(&x, ldx, at, panels + at * PANEL, panel_bytes, sums + s % steps * rows, rows, count);
        }
    }
#pragma GCC unroll 8
    for (size_t s = 1; s < steps; s++)
#pragma GCC unroll 8
        for (size_t p = 0; p < count; p++)
#pragma GCC unroll 8
            for (size_t part = 0; part < PARTS; part++) sums[0][p][part] = ints_add(sums[0][p][part], sums[s][p][part]);
    tile_store(t, rows, count, sums);
}

/* Computes a tile of `least` to `most` rows. */
PANELS_INLINE void tile_rows(const Tile *t, size_t rows, const size_t count, const size_t fours, const size_t least,
                             const size_t most)
{
#define ROWS(r)                                                                                                        \
    case r:                                                                                                            \
        if ((r) >= least && (r) <= most) tile_multiply(t, r, count, fours, 1);                                         \
        break;
    switch (rows) {
        PANELS_TILE_CASES(ROWS)
    default:
        break;
    }
#undef ROWS
}

typedef void TileMultiply(const Tile *tile, size_t rows);

/* Each tile is a separate function, because gcc keeps sums in memory when it inlines all tiles into one function. */
TARGET static void tile_one(const Tile *tile, size_t rows)
{
    tile_rows(tile, rows, 1, 1, 1, TALL_ROWS);
}

TARGET static void tile_short(const Tile *tile, size_t rows)
{
    tile_rows(tile, rows, SHORT_PANELS, 1, 1, SHORT_ROWS);
}

/* At least half of the rows: 13 rows are 7 + 6. */
TARGET static void tile_tall(const Tile *tile, size_t rows)
{
    tile_rows(tile, rows, TALL_PANELS, TALL_FOURS, TALL_ROWS / 2, TALL_ROWS);
}

TARGET static void tile_few(const Tile *tile, size_t rows)
{
    (void)rows;
    tile_multiply(tile, 1, FEW_PANELS, FEW_STEPS, FEW_STEPS);
}

/* Multiplies all rows with `count` panels from `panel` on. A panel has `sections` sections to prefetch. A single row
 * prefetches what it reads next. */
static void panels_rows(TileMultiply *multiply, const PanelsS8Matmul *m, size_t panel, size_t count, size_t sections)
{
    const size_t left = (m->n + PANEL - 1) / PANEL - panel - count, tiles = (m->rows + TALL_ROWS - 1) / TALL_ROWS;
    const size_t next = m->rows == 1 ? 0 : sections * (left < count ? left : count);
    Tile t = { .matmul = m, .panel = panel, .width = panels_s8_width(m->k), .ahead = sections * (panel + count) };

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
        for (; all - panel >= FEW_PANELS; panel += FEW_PANELS) panels_rows(tile_few, m, panel, FEW_PANELS, 1);
    if (m->rows > SHORT_ROWS)
        for (; all - panel >= TALL_PANELS; panel += TALL_PANELS)
            panels_rows(tile_tall, m, panel, TALL_PANELS, TALL_FOURS);
    else
        for (; all - panel >= SHORT_PANELS; panel += SHORT_PANELS) panels_rows(tile_short, m, panel, SHORT_PANELS, 1);
    for (; panel < all; panel++) panels_rows(tile_one, m, panel, 1, 1);
}

#endif
