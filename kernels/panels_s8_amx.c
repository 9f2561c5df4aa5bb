/* panels_s8_amx.c - products with 8-bit panels (panels_s8.h), AMX int8.
 * Method   a tile of 16 rows by 64 of k of x meets one of 64 of k by 16
 *          outputs, which is 1 kB of a panel as it lies in memory. Two tiles of
 *          rows by two panels are four tiles of sums, two of x, two of weights.
 *          All tiles of rows are equally high; the last one begins early enough
 *          to be full, and what it computes twice has the same bits. Few rows
 *          leave the tiles empty: vpdpbusd is faster there.
 * State    the tile registers are set up at the beginning of each product and
 *          given back at its end: nothing of a thread outlives the call. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_512.h"

#define TILE_ROWS ((size_t)16)
#ifndef FEW_ROWS
#define FEW_ROWS ((size_t)6)
#endif

/* Tiles by number (macros: the compiler's paste them into names); sums of row
 * tile i and panel j are 2 i + j. */
#define X0 4
#define X1 5
#define W0 6
#define W1 7

/* What ldtilecfg reads: bytes of a row and rows of each tile. */
typedef struct {
    uint8_t palette, start_row, zeros[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} TileShapes;

_Static_assert(sizeof(TileShapes) == 64, "as the CPU reads it");

PANELS_INLINE void tiles_begin(size_t height)
{
    TileShapes shapes = { .palette = 1 };

    for (int i = 0; i < 8; i++) {
        shapes.row_bytes[i] = 64;
        shapes.rows[i] = (uint8_t)(i < W0 ? height : TILE_ROWS);
    }
    __asm__ volatile("" : : "r"(&shapes) : "memory"); /* all of it is read, whatever the compiler's header says */
    _tile_loadconfig(&shapes);
}

typedef struct {
    const PanelsS8Product *product;
    size_t width, height;
} Product;

typedef int32_t Sums[TILE_ROWS][PANEL];

PANELS_INLINE void store_sums(const Product *p, const Sums sums, size_t row, size_t panel)
{
    const PanelsS8Product *m = p->product;
    const size_t at = panel * PANEL, left = m->n - at < PANEL ? m->n - at : PANEL;
    const Outputs outputs = outputs_load(m, at, left);

    for (size_t r = 0; r < p->height; r++)
        outputs_store(&outputs, _mm512_load_si512(sums[r]), m->x_scales[row + r], m->out + (row + r) * m->ldo + at,
                      left);
}

/* Two tiles of rows, from `rows[0]` and `rows[1]` on, by two panels. */
PANELS_INLINE void multiply_2x2(const Product *p, const size_t rows[2], size_t panel)
{
    const int8_t *w0 = p->product->panels + panel * PANEL * p->width, *w1 = w0 + PANEL * p->width;
    const uint8_t *x0 = p->product->x + rows[0] * p->product->ldx, *x1 = p->product->x + rows[1] * p->product->ldx;
    _Alignas(64) Sums sums[4];

    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t i = 0; i < p->width; i += PANELS_S8_K) {
        _tile_loadd(W0, w0 + i * PANEL, 64);
        _tile_loadd(X0, x0 + i, p->product->ldx);
        _tile_loadd(W1, w1 + i * PANEL, 64);
        _tile_dpbusd(0, X0, W0);
        _tile_loadd(X1, x1 + i, p->product->ldx);
        _tile_dpbusd(1, X0, W1);
        _tile_dpbusd(2, X1, W0);
        _tile_dpbusd(3, X1, W1);
    }
    _tile_stored(0, sums[0], 64);
    _tile_stored(1, sums[1], 64);
    _tile_stored(2, sums[2], 64);
    _tile_stored(3, sums[3], 64);
    for (size_t i = 0; i < 4; i++) store_sums(p, sums[i], rows[i / 2], panel + i % 2);
}

/* One tile of rows by two panels. */
PANELS_INLINE void multiply_1x2(const Product *p, size_t row, size_t panel)
{
    const int8_t *w0 = p->product->panels + panel * PANEL * p->width, *w1 = w0 + PANEL * p->width;
    const uint8_t *x = p->product->x + row * p->product->ldx;
    _Alignas(64) Sums sums[2];

    _tile_zero(0);
    _tile_zero(1);
    for (size_t i = 0; i < p->width; i += PANELS_S8_K) {
        _tile_loadd(W0, w0 + i * PANEL, 64);
        _tile_loadd(X0, x + i, p->product->ldx);
        _tile_loadd(W1, w1 + i * PANEL, 64);
        _tile_dpbusd(0, X0, W0);
        _tile_dpbusd(1, X0, W1);
    }
    _tile_stored(0, sums[0], 64);
    _tile_stored(1, sums[1], 64);
    for (size_t i = 0; i < 2; i++) store_sums(p, sums[i], row, panel + i);
}

/* One tile of rows by one panel, the last one. */
PANELS_INLINE void multiply_1x1(const Product *p, size_t row, size_t panel)
{
    const int8_t *w = p->product->panels + panel * PANEL * p->width;
    const uint8_t *x = p->product->x + row * p->product->ldx;
    _Alignas(64) Sums sums;

    _tile_zero(0);
    for (size_t i = 0; i < p->width; i += PANELS_S8_K) {
        _tile_loadd(W0, w + i * PANEL, 64);
        _tile_loadd(X0, x + i, p->product->ldx);
        _tile_dpbusd(0, X0, W0);
    }
    _tile_stored(0, sums, 64);
    store_sums(p, sums, row, panel);
}

TARGET void panels_s8_multiply_amx(const PanelsS8Product *m)
{
    const size_t panels = (m->n + PANEL - 1) / PANEL, tiles = (m->rows + TILE_ROWS - 1) / TILE_ROWS;
    Product p = { m, panels_s8_width(m->k), tiles ? (m->rows + tiles - 1) / tiles : 0 };

    if (m->rows <= FEW_ROWS) {
        panels_s8_multiply_avx512vnni(m);
        return;
    }
    tiles_begin(p.height);
    for (size_t panel = 0; panel < panels; panel += 2)
        for (size_t tile = 0; tile < tiles; tile += 2) {
            size_t last = m->rows - p.height;
            size_t rows[2] = { tile + 1 < tiles ? tile * p.height : last,
                               tile + 2 < tiles ? (tile + 1) * p.height : last };
            bool two_tiles = tile + 1 < tiles, two_panels = panel + 1 < panels;
            if (two_tiles && two_panels)
                multiply_2x2(&p, rows, panel);
            else if (two_panels)
                multiply_1x2(&p, rows[0], panel);
            else
                for (size_t i = 0; i < (two_tiles ? 2u : 1u); i++) multiply_1x1(&p, rows[i], panel);
        }
    _tile_release();
}
#endif
