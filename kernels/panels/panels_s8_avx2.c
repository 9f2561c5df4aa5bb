/* panels_s8_avx2.c - int8 matmul with panels (panels_s8.h), AVX2.
 * Computes the sums of panels_s8.h. Several rows use vpmaddwd, which adds two products of 16-bit values
 *          exactly, on x as it is stored, from 0 to 255.
 * Method   a tile of 6 rows and half a panel has 12 registers of sums, 2 of weights and one of x. vpmovsxbw loads and
 *          widens the weights of four outputs; on Intel's CPUs it uses the port that vpmaddwd leaves free, unlike
 *          shifts. Four widened values of x are broadcast from memory, so that each output has two sums, which are
 *          added at the end. The rows of a tile are widened once for GROUP panels, which stay in the second-level cache
 *          for all rows. The loop over k takes CHUNK of k at a time, which limits the memory for widened rows.
 *          What is multiplied next is prefetched into the first-level cache.
 *          One row is multiplied with vpmaddubsw of |x| and of weights with the sign of x: weights are
 *          from -127 to 127 and |x| <= 128, so a pair sums to at most 32512 and never saturates. This
 *          needs no widening. But 6 of its 8 instructions for 64 products share two ports on most CPUs,
 *          so it is about 0.8 times as fast for 3 rows and more.
 * Checked  tests/unit/test_panels_s8.c, equal to panels_s8.c bit for bit. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_256.h"

#define TILE_ROWS ((size_t)6)
#define GROUP     ((size_t)8)
#define CHUNK     ((size_t)512)
#define STEP      ((size_t)16) /* values of k per step of the loop */
#define ROW_STEPS ((size_t)4)  /* how many groups of four k have separate sums, for one row */

/* The work of one tile with a group of panels. */
typedef struct {
    const PanelsS8Matmul *matmul;
    size_t width;
    size_t row, panel, panels;         /* the first row and panel; the number of panels */
    size_t after;                      /* the panel that is multiplied after these */
    size_t from, count;                /* the k of this step */
    uint16_t x[TILE_ROWS][CHUNK + 32]; /* widened; a cache line apart, so that rows do not compete for the same sets */
    Sixteen sums[GROUP][TILE_ROWS];
} Tile;

PANELS_INLINE void tile_widen(Tile *t, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *x = t->matmul->x + (t->row + r) * t->matmul->ldx + t->from;
        for (size_t i = 0; i < t->count; i += STEP)
            _mm256_storeu_si256((void *)(t->x[r] + i), _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)(x + i))));
    }
}

/* Four values of x, broadcast. */
PANELS_INLINE Values values_set(const uint16_t *x)
{
    long long four;

    memcpy(&four, x, sizeof four);
    return _mm256_set1_epi64x(four);
}

/* Four k of four outputs, widened. The asm keeps them in a register: otherwise gcc widens them for each row. */
PANELS_INLINE Weights weights_load(const int8_t *panel)
{
    Weights w = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)panel));

    __asm__("" : "+x"(w));
    return w;
}

/* The asm keeps the sum in its register: otherwise gcc moves sums between registers and spills them. */
PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
    __asm__ volatile("" : "+x"(sums));
    return sums;
}

/* Adds the two sums of each of eight outputs. */
PANELS_INLINE Ints eight_sums(const Ints sums[2])
{
    return _mm256_permute4x64_epi64(_mm256_hadd_epi32(sums[0], sums[1]), 0xd8);
}

/* Returns where group of four k number `from / 4` of a panel begins. */
PANELS_INLINE const int8_t *panel_at(const Tile *t, size_t panel, size_t from)
{
    return t->matmul->panels + (panel * t->width + from) * PANEL;
}

/* Returns what is multiplied after this step of k of panel `p` of the group. */
PANELS_INLINE const int8_t *panel_after(const Tile *t, size_t p)
{
    if (p + 1 < t->panels) return panel_at(t, t->panel + p + 1, t->from);
    if (t->from + t->count < t->width) return panel_at(t, t->panel, t->from + t->count);
    return panel_at(t, t->after, 0);
}

/* Adds the products of CHUNK of k and of one half of a panel to sums[rows]. Prefetches `after`, two of four cache lines
 * that are multiplied. `rows` is a compile-time constant. */
PANELS_INLINE void tile_half(const Tile *t, const int8_t *panel, const int8_t *after, Ints sums[][2], const size_t rows)
{
    for (size_t i = 0; i < t->count; i += STEP, panel += STEP * PANEL, after += STEP * PANEL / 2) {
#pragma GCC unroll 4
        for (size_t k = 0; k < STEP; k += PANELS_S8_FOUR) {
            const Weights w0 = weights_load(panel + k * PANEL), w1 = weights_load(panel + k * PANEL + 16);
            if (k % 8 == 0) __builtin_prefetch(after + k / 2 * PANEL);
#pragma GCC unroll 8
            for (size_t r = 0; r < rows; r++) {
                const Values x = values_set(t->x[r] + i + k);
                sums[r][0] = ints_dot(sums[r][0], x, w0);
                sums[r][1] = ints_dot(sums[r][1], x, w1);
            }
        }
    }
}

/* Adds one step of k of a panel of the group to its sums. `rows` is a compile-time constant. */
PANELS_INLINE void tile_multiply(Tile *t, size_t p, const size_t rows)
{
    const int8_t *panel = panel_at(t, t->panel + p, t->from), *after = panel_after(t, p);

    for (size_t half = 0; half < 2; half++) {
        Ints sums[TILE_ROWS][2];
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++) sums[r][0] = sums[r][1] = (Ints){ 0 };
        tile_half(t, panel + half * 32, after + half * t->count * PANEL / 2, sums, rows);
#pragma GCC unroll 8
        for (size_t r = 0; r < rows; r++) {
            Ints *to = half ? &t->sums[p][r].high : &t->sums[p][r].low;
            *to = t->from ? ints_add(*to, eight_sums(sums[r])) : eight_sums(sums[r]);
        }
    }
}

PANELS_INLINE void tile_store(const Tile *t, size_t p, size_t rows)
{
    const PanelsS8Matmul *m = t->matmul;
    const size_t at = (t->panel + p) * PANEL, left = m->n - at < PANEL ? m->n - at : PANEL;
    const Outputs outputs = outputs_load(m, at, left);

    for (size_t r = 0; r < rows; r++)
        outputs_store(&outputs, t->sums[p][r], m->x_scales[t->row + r], m->out + (t->row + r) * m->ldo + at, left);
}

/* `rows` is a compile-time constant, so that the sums stay in registers. */
PANELS_INLINE void tile_panels(Tile *t, const size_t rows)
{
    for (t->from = 0; t->from < t->width; t->from += t->count) {
        t->count = t->width - t->from < CHUNK ? t->width - t->from : CHUNK;
        tile_widen(t, rows);
        for (size_t p = 0; p < t->panels; p++) {
            tile_multiply(t, p, rows);
            if (t->from + t->count == t->width) tile_store(t, p, rows);
        }
    }
}

/* Computes a tile of 2 to TILE_ROWS rows. */
TARGET static void tile_rows(Tile *t, size_t rows)
{
    switch (rows) {
    case 2:
        tile_panels(t, 2);
        break;
    case 3:
        tile_panels(t, 3);
        break;
    case 4:
        tile_panels(t, 4);
        break;
    case 5:
        tile_panels(t, 5);
        break;
    default:
        tile_panels(t, TILE_ROWS);
        break;
    }
}

/* Returns four signed values of x, broadcast. */
PANELS_INLINE Values signed_values(const uint8_t *x)
{
    return _mm256_xor_si256(_mm256_set1_epi32(panels_s8_four(x)), _mm256_set1_epi8((char)PANELS_S8_ZERO));
}

PANELS_INLINE Ints signed_dot(Ints sums, Values x, const int8_t *weights)
{
    const Weights w = _mm256_sign_epi8(_mm256_loadu_si256((const void *)weights), x);
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), w);

    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    __asm__ volatile("" : "+x"(sums));
    return sums;
}

/* Computes one row with one panel, 16 of k at a time, with signed values of x. */
PANELS_INLINE void row_panel(const PanelsS8Matmul *m, const int8_t *panel, size_t width, size_t at)
{
    const size_t left = m->n - at < PANEL ? m->n - at : PANEL;
    Outputs outputs = outputs_load(m, at, left);
    Ints low[ROW_STEPS], high[ROW_STEPS];

    for (size_t s = 0; s < ROW_STEPS; s++) low[s] = high[s] = (Ints){ 0 };
    for (size_t i = 0; i < width; i += ROW_STEPS * PANELS_S8_FOUR) {
#pragma GCC unroll 8
        for (size_t s = 0; s < ROW_STEPS; s++, panel += PANEL * PANELS_S8_FOUR) {
            const Values x = signed_values(m->x + i + s * PANELS_S8_FOUR);
            __builtin_prefetch(panel + PANELS_S8_AHEAD);
            low[s] = signed_dot(low[s], x, panel);
            high[s] = signed_dot(high[s], x, panel + 32);
        }
    }
    for (size_t s = 1; s < ROW_STEPS; s++) {
        low[0] = ints_add(low[0], low[s]);
        high[0] = ints_add(high[0], high[s]);
    }
    outputs.correction[0] = outputs.correction[1] = (Ints){ 0 };
    if (m->signed_corrections) memcpy(outputs.correction, m->signed_corrections + at, sizeof outputs.correction);
    outputs_store(&outputs, (Sixteen){ low[0], high[0] }, m->x_scales[0], m->out + at, left);
}

TARGET static void multiply_row(const PanelsS8Matmul *m)
{
    const size_t width = panels_s8_width(m->k);

    for (size_t at = 0; at < m->n; at += PANEL) row_panel(m, m->panels + at * width, width, at);
}

/* Multiplies two rows or more. Rows are divided so that no tile has only one. */
TARGET static void multiply_rows(const PanelsS8Matmul *m)
{
    const size_t all = (m->n + PANEL - 1) / PANEL, tiles = (m->rows + TILE_ROWS - 1) / TILE_ROWS;
    Tile t;

    t.matmul = m;
    t.width = panels_s8_width(m->k);
    for (t.panel = 0; t.panel < all; t.panel += t.panels) {
        t.panels = all - t.panel < GROUP ? all - t.panel : GROUP;
        t.row = 0;
        for (size_t i = 0; i < tiles; i++) {
            const size_t rows = panels_tile_rows(m->rows - t.row, tiles - i);
            t.after = i + 1 < tiles || t.panel + t.panels == all ? t.panel : t.panel + t.panels;
            tile_rows(&t, rows);
            t.row += rows;
        }
    }
}

TARGET void panels_s8_multiply_avx2(const PanelsS8Matmul *matmul)
{
    if (matmul->rows == 1)
        multiply_row(matmul);
    else
        multiply_rows(matmul);
}

/* For listed rows, bytes are widened to 16 bits: with values of x from 0 to 255, vpmaddubsw would saturate. */
#define LISTED_STEP ((size_t)16)

PANELS_INLINE Values listed_values(const uint8_t *x)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)x));
}

PANELS_INLINE Ints listed_add(Ints sums, Values values, const int8_t *row)
{
    const Weights weights = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)row));

    return _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
}

#define LISTED_S8_MULTIPLY listed_s8_multiply_avx2
#include "listed_s8_tile.h"
#endif
