/* panels_s8_amx.c - int8 matmul with panels (panels_s8.h), AMX int8.
 * Method   a tile of 16 rows by 64 of k of x is multiplied by a tile of 64 of k by 16 outputs, which
 *          is 1 kB of a panel as stored. Two row tiles by two panels use four tiles of sums, two of
 *          x and two of weights. While tiles are multiplied, the vector units convert the sums of
 *          the previous block to f32, and the next panels are prefetched.
 *          All row tiles have the same height; the last one begins early enough to be full, and the
 *          rows that are computed twice get the same bits. With few rows, tiles are mostly empty
 *          and vpdpbusd is faster.
 * State    each matmul configures the tile registers when it begins and releases them when it ends. */
#include "panels_s8.h"

#include <assert.h>

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-int8")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_512.h"

#define TILE_ROWS ((size_t)16)
#ifndef FEW_ROWS
#define FEW_ROWS ((size_t)6)
#endif

/* Numbers of tile registers. They are macros, because the compiler's macros paste them into names. The sums of row tile
 * i and panel j are in tile 2 i + j. */
#define X0 4
#define X1 5
#define W0 6
#define W1 7

/* The operand of ldtilecfg: the bytes per row and the number of rows of each tile. */
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
    __asm__ volatile(""
                     :
                     : "r"(&shapes)
                     : "memory"); /* ldtilecfg reads all of `shapes`; the compiler's header does not say so */
    _tile_loadconfig(&shapes);
}

typedef struct {
    const PanelsS8Matmul *matmul;
    size_t width, height;
    size_t step;  /* how many rows of the previous block are written per 64 of k */
    size_t ahead; /* how many cache lines of the next panels are prefetched per 64 of k */
} Matmul;

/* Up to two tiles of rows by up to two panels. One block is being computed while the sums of another
 * are converted to outputs. */
typedef struct {
    _Alignas(64) int32_t sums[2][2][TILE_ROWS][PANEL];
    size_t row[2], panel;
    size_t rows, panels; /* number of row tiles and of panels, 1 or 2 */
    size_t turn;         /* the index of the block among the blocks of its panels */
    size_t stored;       /* how many rows of outputs are written, out of rows * TILE_ROWS */
    Outputs outputs[2];
    size_t left[2]; /* outputs in each panel */
} Block;

PANELS_INLINE void block_begin(Block *b, const Matmul *p)
{
    for (size_t j = 0; j < b->panels; j++) {
        const size_t at = (b->panel + j) * PANEL;
        b->left[j] = p->matmul->n - at < PANEL ? p->matmul->n - at : PANEL;
        b->outputs[j] = outputs_load(p->matmul, at, b->left[j]);
    }
    b->stored = 0;
}

/* Converts rows [r, end) of a tile of sums to outputs. `panels` is a compile-time constant. The fields that all rows
 * use are copied, so that they stay in registers. */
PANELS_INLINE void block_store_rows(const Block *b, const Matmul *p, size_t tile, size_t r, size_t end,
                                    const size_t panels)
{
    const PanelsS8Matmul *m = p->matmul;
    const Outputs outputs[2] = { b->outputs[0], b->outputs[panels - 1] };
    const size_t left[2] = { b->left[0], b->left[panels - 1] }, ldo = m->ldo;
    const int32_t *sums = b->sums[tile][0][r];
    const float *x_scale = m->x_scales + b->row[tile] + r;
    float *out = m->out + (b->row[tile] + r) * ldo + b->panel * PANEL;

    for (; r < end; r++, sums += PANEL, x_scale++, out += ldo)
        for (size_t j = 0; j < panels; j++)
            outputs_store(&outputs[j], _mm512_load_si512(sums + j * TILE_ROWS * PANEL), *x_scale, out + j * PANEL,
                          left[j]);
}

/* Writes the outputs of the next `count` rows; `count` divides TILE_ROWS. */
PANELS_INLINE void block_store(Block *b, const Matmul *p, size_t count)
{
    const size_t tile = b->stored / TILE_ROWS, r = b->stored % TILE_ROWS;
    const size_t end = r + count < p->height ? r + count : p->height;

    if (tile >= b->rows) return;
    b->stored += count;
    if (b->panels == 2)
        block_store_rows(b, p, tile, r, end, 2);
    else
        block_store_rows(b, p, tile, r, end, 1);
}

PANELS_INLINE void block_finish(Block *b, const Matmul *p)
{
    while (b->stored < b->rows * TILE_ROWS) block_store(b, p, p->step);
}

/* Prefetches a piece of the next two panels, so that memory is busy even while tiles come from the cache. */
PANELS_INLINE const int8_t *block_prefetch(const Matmul *p, const int8_t *panels)
{
    for (size_t i = 0; i < p->ahead; i++) _mm_prefetch((const char *)panels + i * PANELS_S8_K, _MM_HINT_T1);
    return panels + p->ahead * PANELS_S8_K;
}

/* Multiplies a block. `rows` and `panels` are equal to its fields, but compile-time constants. */
PANELS_INLINE void block_multiply(Block *b, const Matmul *p, const size_t rows, const size_t panels, Block *before)
{
    const PanelsS8Matmul *m = p->matmul;
    const int8_t *w = m->panels + b->panel * PANEL * p->width;
    const uint8_t *x0 = m->x + b->row[0] * m->ldx, *x1 = m->x + b->row[1] * m->ldx;
    const int8_t *ahead = w + 2 * PANEL * p->width + b->turn * p->ahead * p->width;
    const size_t panel_bytes = PANEL * p->width;

    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t i = 0; i < p->width; i += PANELS_S8_K) {
        const int8_t *w0 = w + i * PANEL, *w1 = w0 + panel_bytes;
        _tile_loadd(W0, w0, 64);
        _tile_loadd(X0, x0 + i, m->ldx);
        _tile_dpbusd(0, X0, W0);
        if (panels == 2) {
            _tile_loadd(W1, w1, 64);
            _tile_dpbusd(1, X0, W1);
        }
        if (rows == 2) {
            _tile_loadd(X1, x1 + i, m->ldx);
            _tile_dpbusd(2, X1, W0);
            if (panels == 2) _tile_dpbusd(3, X1, W1);
        }
        ahead = block_prefetch(p, ahead);
        block_store(before, p, p->step);
    }
    block_finish(before, p);
    _tile_stored(0, b->sums[0][0], 64);
    if (panels == 2) _tile_stored(1, b->sums[0][1], 64);
    if (rows == 2) _tile_stored(2, b->sums[1][0], 64);
    if (rows == 2 && panels == 2) _tile_stored(3, b->sums[1][1], 64);
    block_begin(b, p);
}

TARGET void panels_s8_multiply_amx(const PanelsS8Matmul *m)
{
    const size_t panels = (m->n + PANEL - 1) / PANEL, tiles = (m->rows + TILE_ROWS - 1) / TILE_ROWS;
    const size_t width = panels_s8_width(m->k);
    Matmul p = { .matmul = m, .width = width, .height = tiles ? (m->rows + tiles - 1) / tiles : 0, .step = 1 };
    Block blocks[2];
    size_t turn = 0;

    if (m->rows <= FEW_ROWS) {
        panels_s8_multiply_avx512vnni(m);
        return;
    }
    assert(tiles > 0);
    while (p.step < TILE_ROWS && p.step * width < 2 * TILE_ROWS * PANELS_S8_K) p.step *= 2;
    p.ahead = 2 * TILE_ROWS / ((tiles - 1) / 2 + 1);
    tiles_begin(p.height);
    blocks[1].rows = blocks[1].stored = 0;
    for (size_t panel = 0; panel < panels; panel += 2)
        for (size_t tile = 0; tile < tiles; tile += 2, turn ^= 1) {
            const size_t last = m->rows - p.height;
            Block *b = &blocks[turn], *before = &blocks[!turn];
            b->row[0] = tile + 1 < tiles ? tile * p.height : last;
            b->row[1] = tile + 2 < tiles ? (tile + 1) * p.height : last;
            b->panel = panel;
            b->turn = tile / 2;
            b->rows = tile + 1 < tiles ? 2 : 1;
            b->panels = panel + 1 < panels ? 2 : 1;
            if (b->rows == 2 && b->panels == 2)
                block_multiply(b, &p, 2, 2, before);
            else if (b->panels == 2)
                block_multiply(b, &p, 1, 2, before);
            else if (b->rows == 2)
                block_multiply(b, &p, 2, 1, before);
            else
                block_multiply(b, &p, 1, 1, before);
        }
    block_finish(&blocks[!turn], &p);
    _tile_release();
}
#endif
