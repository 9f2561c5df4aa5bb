/* panels_s8_avx2.c - int8 matmul with panels (panels_s8.h), AVX2.
 * Computes the sums of panels_s8.h. Several rows use vpmaddwd, which adds two products of 16-bit values
 *          exactly, on x as it is stored, from 0 to 255.
 * Layout   even and odd k are multiplied separately: each 16-bit lane of a panel holds two k. Two shifts widen the even
 *          one, one shift the odd one. The sums are then in the order of the outputs.
 * Method   a tile of 5 rows and one panel has 10 registers of sums, 4 of weights and 2 of x. The rows of a tile are
 *          widened once for GROUP panels, so the loop over k only broadcasts them from memory. It takes CHUNK of k
 *          at a time, so that widened rows, a panel and the next one fit into the first-level cache; the sums of a
 *          group wait in memory in between.
 *          While a panel is multiplied, the next one is prefetched.
 *          One row is multiplied with vpmaddubsw of |x| and of weights with the sign of x: weights are
 *          from -127 to 127 and |x| <= 128, so a pair sums to at most 32512 and never saturates. This
 *          needs no widening. But 6 of its 8 instructions for 64 products share two ports on most CPUs
 *          (with vpmaddwd, 4 of about 10), so it is about 0.8 times as fast for 3 rows and more.
 * Checked  tests/unit/test_panels_s8.c, equal to panels_s8.c bit for bit. */
#include "panels_s8.h"

#if defined(__x86_64__)
#define TARGET        __attribute__((target("avx2,fma")))
#define PANELS_INLINE static inline __attribute__((always_inline)) TARGET
#include "panels_s8_256.h"

#define TILE_ROWS 5
#define GROUP     ((size_t)8)
#define CHUNK     ((size_t)512)
#define WIDENED   ((size_t)32) /* values of x that are widened at once */
#define ROW_STEPS ((size_t)4)  /* how many groups of four k have separate sums, for one row */

/* The work of one tile with a group of panels. */
typedef struct {
    const PanelsS8Matmul *matmul;
    size_t width;
    size_t row, panel, panels;         /* the first row and panel; the number of panels */
    size_t after;                      /* the panel that is multiplied after these */
    size_t from, count;                /* the k of this step */
    uint16_t x[TILE_ROWS][CHUNK + 32]; /* widened, see tile_widen(); with 32 more, rows are in different cache sets */
    Ints sums[GROUP][TILE_ROWS][2];
} Tile;

/* The index of group number `four`, of four k each, in 64 widened bytes. vpunpck reorders the groups in each half. */
#define FOUR_AT(four) (((four)&1) + ((four) >> 1 & 1) * 4 + ((four) >> 2) * 2)

/* Stores each group of four k as k0 k2 k1 k3; the groups are in the order of FOUR_AT(). */
PANELS_INLINE void tile_widen(Tile *t, size_t rows)
{
    const __m256i low = _mm256_set1_epi16(255);

    for (size_t r = 0; r < rows; r++) {
        const uint8_t *x = t->matmul->x + (t->row + r) * t->matmul->ldx + t->from;
        for (size_t i = 0; i < t->count; i += WIDENED) {
            const __m256i values = _mm256_loadu_si256((const void *)(x + i));
            const __m256i even = _mm256_and_si256(values, low), odd = _mm256_srli_epi16(values, 8);
            _mm256_storeu_si256((void *)(t->x[r] + i), _mm256_unpacklo_epi32(even, odd));
            _mm256_storeu_si256((void *)(t->x[r] + i + WIDENED / 2), _mm256_unpackhi_epi32(even, odd));
        }
    }
}

/* Two values of x, broadcast. */
PANELS_INLINE Values values_set(const uint16_t *x)
{
    int32_t two;

    memcpy(&two, x, sizeof two);
    return _mm256_set1_epi32(two);
}

/* The asm keeps the sum in its register: otherwise gcc moves sums between registers and spills them. */
PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
    __asm__ volatile("" : "+x"(sums));
    return sums;
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

/* Adds the products of one group of four k. `rows` and `x_at` are compile-time constants. */
PANELS_INLINE void tile_four(const Tile *t, const int8_t *panel, size_t x_at, Ints sums[][2], const size_t rows)
{
    const Weights first = _mm256_loadu_si256((const void *)panel);
    const Weights second = _mm256_loadu_si256((const void *)(panel + 32));
    Weights even0 = _mm256_srai_epi16(_mm256_slli_epi16(first, 8), 8), odd0 = _mm256_srai_epi16(first, 8);
    Weights even1 = _mm256_srai_epi16(_mm256_slli_epi16(second, 8), 8), odd1 = _mm256_srai_epi16(second, 8);

    __asm__("" : "+x"(even0), "+x"(odd0), "+x"(even1), "+x"(odd1));
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
        const Values even = values_set(t->x[r] + x_at), odd = values_set(t->x[r] + x_at + 2);
        sums[r][0] = ints_dot(sums[r][0], even, even0);
        sums[r][1] = ints_dot(sums[r][1], even, even1);
        sums[r][0] = ints_dot(sums[r][0], odd, odd0);
        sums[r][1] = ints_dot(sums[r][1], odd, odd1);
    }
}

/* Adds one step of k of a panel of the group to its sums. `rows` is a compile-time constant. */
PANELS_INLINE void tile_multiply(Tile *t, size_t p, const size_t rows)
{
    const int8_t *panel = panel_at(t, t->panel + p, t->from), *after = panel_after(t, p);
    Ints sums[TILE_ROWS][2];

#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
        for (size_t half = 0; half < 2; half++) sums[r][half] = t->from ? t->sums[p][r][half] : (Ints){ 0 };
    for (size_t i = 0; i < t->count; i += WIDENED, panel += WIDENED * PANEL, after += WIDENED * PANEL) {
#pragma GCC unroll 8
        for (size_t four = 0; four < WIDENED / PANELS_S8_FOUR; four++) {
            __builtin_prefetch(after + four * PANELS_S8_FOUR * PANEL);
            tile_four(t, panel + four * PANELS_S8_FOUR * PANEL, i + FOUR_AT(four) * PANELS_S8_FOUR, sums, rows);
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
        for (size_t half = 0; half < 2; half++) t->sums[p][r][half] = sums[r][half];
}

PANELS_INLINE void tile_store(const Tile *t, size_t p, size_t rows)
{
    const PanelsS8Matmul *m = t->matmul;
    const size_t at = (t->panel + p) * PANEL, left = m->n - at < PANEL ? m->n - at : PANEL;
    const Outputs outputs = outputs_load(m, at, left);

    for (size_t r = 0; r < rows; r++)
        outputs_store(&outputs, (Sixteen){ t->sums[p][r][0], t->sums[p][r][1] }, m->x_scales[t->row + r],
                      m->out + (t->row + r) * m->ldo + at, left);
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

/* Like outputs_load(), for sums of signed values of x, to which 128 is not added. */
PANELS_INLINE Outputs signed_outputs(const PanelsS8Matmul *m, size_t at, size_t count)
{
    Outputs outputs = outputs_load(m, at, count);

    outputs.correction[0] = outputs.correction[1] = (Ints){ 0 };
    if (m->signed_corrections) memcpy(outputs.correction, m->signed_corrections + at, sizeof outputs.correction);
    return outputs;
}

/* Computes one row with one panel, 16 of k at a time, with signed values of x. */
PANELS_INLINE void row_panel(const PanelsS8Matmul *m, const int8_t *panel, size_t width, size_t at)
{
    const size_t left = m->n - at < PANEL ? m->n - at : PANEL;
    const Outputs outputs = signed_outputs(m, at, left);
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

/* Listed rows are multiplied in the same way as one row: widening both operands takes more instructions. */
#define LISTED_STEP ((size_t)32)

PANELS_INLINE Values listed_values(const uint8_t *x)
{
    return _mm256_xor_si256(_mm256_loadu_si256((const void *)x), _mm256_set1_epi8((char)PANELS_S8_ZERO));
}

PANELS_INLINE Ints listed_add(Ints sums, Values values, const int8_t *row)
{
    return signed_dot(sums, values, row);
}

#define listed_load        signed_outputs
#define LISTED_S8_MULTIPLY listed_s8_multiply_avx2
#include "listed_s8_tile.h"
#endif
