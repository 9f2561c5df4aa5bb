/* panels_tile.h - the matmul of panels.h, written once with a type Sixteen. Before including it, each
 * panels_LEVEL.c defines:
 *     Sixteen             16 floats, in as many registers as that takes
 *     sixteen_set(value), sixteen_load(type, at),
 *     sixteen_fma(a, b, c) = a * b + c, sixteen_add(a, b),
 *     sixteen_fill(v, in, count), sixteen_store(out, count, v), which copy
 *     the first `count` <= 16 floats
 *     PANELS_MULTIPLY             the name of the level's function
 *     TARGET, PANELS_INLINE       attributes of functions, and of those to inline
 *     SHORT_PANELS                the tile for up to 6 rows
 *     TALL_PANELS                 the tile for 7 to 12 rows; not defined: the level has none
 *     FEW_ROWS, FEW_PANELS        the tile for at most FEW_ROWS (1 or 2) rows
 * Method   the sums of a tile, rows x panels, stay in registers in the loop over k. One value of x
 *          is broadcast; a register of a panel is loaded (and widened) once for all rows of the
 *          tile. Few rows use more panels at a time: there must be enough sums to hide the latency.
 *          Many rows use few panels, because a panel is then loaded for more rows at a time.
 *          Each tile prefetches its share of the next panels while it multiplies, because a matrix is
 *          seldom in a cache, and the hardware prefetches only within a page. */
#ifndef DRAGOMAN_PANELS_TILE_H
#define DRAGOMAN_PANELS_TILE_H

#include "panels.h"

#define SHORT_ROWS ((size_t)6)
#if defined(TALL_PANELS)
#define TALL_ROWS ((size_t)12)
#else
#define TALL_ROWS   SHORT_ROWS
#define TALL_PANELS SHORT_PANELS
#endif

#define TALL_STEP ((size_t)4) /* values of k per step of the loop of tall tiles */

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
    size_t columns;    /* number of outputs; fewer than the panels hold if the last panel is padded */
    const char *ahead; /* the first section to prefetch; see tile_multiply() */
    size_t aheads;     /* the number of sections to prefetch */
} Tile;

PANELS_INLINE void tile_store(const Tile *t, const size_t rows, const size_t count, Sixteen sums[][FEW_PANELS])
{
    for (size_t p = 0; p < count; p++) {
        size_t at = p * PANEL, left = t->columns - at < PANEL ? t->columns - at : PANEL;
        for (size_t r = 0; r < rows; r++) {
            Sixteen sum = sums[r][p];
            if (t->bias) {
                Sixteen bias = sixteen_set(0.0f);
                sixteen_fill(&bias, t->bias + at, left);
                sum = sixteen_add(sum, bias);
            }
            sixteen_store(t->out + r * t->ldo + at, left, sum);
        }
    }
}

/* Rows of x, in groups of three: addresses of the form base + offset and base + 2 * offset need few registers. */
typedef struct {
    const float *first[(TALL_ROWS + 2) / 3];
} Rows;

PANELS_INLINE Rows rows_begin(const Tile *t, const size_t rows)
{
    Rows x = { 0 };

#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r += 3) {
        x.first[r / 3] = t->x + r * t->ldx;
        __asm__("" : "+r"(x.first[r / 3])); /* otherwise gcc computes an address for each row */
    }
    return x;
}

/* Multiplies values `i` of x. `panels` is where their factors begin in the first panel. */
PANELS_INLINE void tile_one_k(DType type, const Tile *t, const Rows *x, size_t i, const char *panels,
                              Sixteen sums[][FEW_PANELS], const size_t rows, const size_t count)
{
    const size_t ldx = t->ldx;
    Sixteen b[FEW_PANELS];

#pragma GCC unroll 16
    for (size_t p = 0; p < count; p++) b[p] = sixteen_load(type, panels + p * t->panel_bytes);
#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++) {
        const Sixteen a = sixteen_set(x->first[r / 3][r % 3 * ldx + i]);
#pragma GCC unroll 16
        for (size_t p = 0; p < count; p++) sums[r][p] = sixteen_fma(a, b[p], sums[r][p]);
    }
}

/* `rows`, `count` and `step` are compile-time constants, so that the sums stay in registers. The loop takes `step`
 * values of k at a time, and prefetches a piece of each section ahead; a section is a panel divided by `step`. */
PANELS_INLINE void tile_multiply(DType type, const Tile *t, const size_t rows, const size_t count, const size_t step)
{
    const size_t each = PANEL * dtype_bytes(type), section = t->panel_bytes / step;
    const Rows x = rows_begin(t, rows);
    const char *panels = t->panels, *ahead = t->ahead;
    Sixteen sums[TALL_ROWS][FEW_PANELS];
    size_t i = 0;

#pragma GCC unroll 16
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (size_t p = 0; p < count; p++) sums[r][p] = sixteen_set(0.0f);
    for (; i + step <= t->k; i += step, panels += step * each, ahead += each) {
        for (size_t p = 0; p < t->aheads; p++) __builtin_prefetch(ahead + p * section, 0, 2);
#pragma GCC unroll 4
        for (size_t s = 0; s < step; s++) tile_one_k(type, t, &x, i + s, panels + s * each, sums, rows, count);
    }
    for (; step > 1 && i < t->k; i++, panels += each) tile_one_k(type, t, &x, i, panels, sums, rows, count);
    tile_store(t, rows, count, sums);
}

/* Computes a tile of `least` to `most` rows. */
PANELS_INLINE void tile_rows(DType type, const Tile *t, size_t rows, const size_t count, const size_t step,
                             const size_t least, const size_t most)
{
#define ROWS(r)                                                                                                        \
    case r:                                                                                                            \
        if ((r) >= least && (r) <= most) tile_multiply(type, t, r, count, step);                                       \
        break;
    switch (rows) {
        PANELS_TILE_CASES(ROWS)
    default:
        break;
    }
#undef ROWS
}

_Static_assert(FEW_ROWS <= 2, "tile_few() has these cases");
_Static_assert(FEW_PANELS >= SHORT_PANELS && FEW_PANELS >= TALL_PANELS, "the arrays of sums have FEW_PANELS");

PANELS_INLINE void tile_few(DType type, const Tile *t, size_t rows)
{
    if (rows == 1)
        tile_multiply(type, t, 1, FEW_PANELS, 1);
    else
        tile_multiply(type, t, FEW_ROWS, FEW_PANELS, 1);
}

typedef void TileMultiply(const Tile *tile, size_t rows);

/* The functions for tiles of one panel, SHORT_PANELS, TALL_PANELS and FEW_PANELS. */
typedef struct {
    TileMultiply *one, *small, *tall, *few;
} Tiles;

/* Each tile is a separate function, because gcc keeps sums in memory when it inlines all tiles into one function. */
#define TILES(type)                                                                                                    \
    TARGET static void tile_one_##type(const Tile *t, size_t rows)                                                     \
    {                                                                                                                  \
        tile_rows(DTYPE_##type, t, rows, 1, 1, 1, TALL_ROWS);                                                          \
    }                                                                                                                  \
    TARGET static void tile_short_##type(const Tile *t, size_t rows)                                                   \
    {                                                                                                                  \
        tile_rows(DTYPE_##type, t, rows, SHORT_PANELS, 1, 1, SHORT_ROWS);                                              \
    }                                                                                                                  \
    TARGET static void tile_tall_##type(const Tile *t, size_t rows)                                                    \
    {                                                                                                                  \
        tile_rows(DTYPE_##type, t, rows, TALL_PANELS, TALL_STEP, TALL_ROWS / 2, TALL_ROWS);                            \
    }                                                                                                                  \
    TARGET static void tile_few_##type(const Tile *t, size_t rows)                                                     \
    {                                                                                                                  \
        tile_few(DTYPE_##type, t, rows);                                                                               \
    }                                                                                                                  \
    static const Tiles tiles_##type = {                                                                                \
        .one = tile_one_##type, .small = tile_short_##type, .tall = tile_tall_##type, .few = tile_few_##type           \
    }

TILES(F32);
TILES(F16);
TILES(BF16);

/* Multiplies all rows with `count` panels from panel `p` on. One or two rows need no prefetching to reach memory
 * speed. A panel has `sections` sections to prefetch. */
static void panels_rows(TileMultiply *multiply, const PanelsMatmul *m, size_t p, size_t count, size_t sections)
{
    const size_t bytes = m->k * PANEL * dtype_bytes(m->type), left = (m->n + PANEL - 1) / PANEL - p - count;
    const size_t tiles = (m->rows + TALL_ROWS - 1) / TALL_ROWS;
    const size_t next = m->rows <= 2 ? 0 : sections * (left < count ? left : count);
    size_t row = 0;

    for (size_t i = 0; i < tiles; i++) {
        const size_t rows = panels_tile_rows(m->rows - row, tiles - i), ahead = next * i / tiles;
        const Tile t = { .panels = (const char *)m->panels + p * bytes,
                         .panel_bytes = bytes,
                         .k = m->k,
                         .x = m->x + row * m->ldx,
                         .ldx = m->ldx,
                         .bias = m->bias ? m->bias + p * PANEL : NULL,
                         .out = m->out + row * m->ldo + p * PANEL,
                         .ldo = m->ldo,
                         .columns = m->n - p * PANEL,
                         .ahead = (const char *)m->panels + (p + count) * bytes + ahead * (bytes / sections),
                         .aheads = next * (i + 1) / tiles - ahead };
        multiply(&t, rows);
        row += rows;
    }
}

TARGET void PANELS_MULTIPLY(const PanelsMatmul *m)
{
    const Tiles *tiles = m->type == DTYPE_F32 ? &tiles_F32 : m->type == DTYPE_F16 ? &tiles_F16 : &tiles_BF16;
    const size_t all = (m->n + PANEL - 1) / PANEL;
    size_t p = 0;

    if (m->rows <= FEW_ROWS)
        for (; all - p >= FEW_PANELS; p += FEW_PANELS) panels_rows(tiles->few, m, p, FEW_PANELS, 1);
    if (m->rows > SHORT_ROWS)
        for (; all - p >= TALL_PANELS; p += TALL_PANELS) panels_rows(tiles->tall, m, p, TALL_PANELS, TALL_STEP);
    else
        for (; all - p >= SHORT_PANELS; p += SHORT_PANELS) panels_rows(tiles->small, m, p, SHORT_PANELS, 1);
    for (; p < all; p++) panels_rows(tiles->one, m, p, 1, 1);
}

#endif
