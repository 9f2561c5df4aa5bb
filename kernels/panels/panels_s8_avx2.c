/* panels_s8_avx2.c - int8 matmul with panels (panels_s8.h), AVX2.
 * Computes the sums of panels_s8.h. Several rows use vpmaddwd, which adds two products of 16-bit values
 *          exactly, on x as panels_s8_widen_avx2() stores it, from 0 to 255.
 * Layout   even and odd k are multiplied separately: each 16-bit lane of a panel holds two k. Two shifts widen the even
 *          one, one shift the odd one. The sums are then in the order of the outputs.
 * Method   up to 5 rows are one tile, which widens a panel in registers: 10 registers of sums, 4 of weights, one of x.
 *          More rows share a widened panel: CHUNK of k of it are stored on the stack, and tiles of 6 rows, with 12
 *          registers of sums, load them. The sums of BLOCK_ROWS rows wait in memory until the next CHUNK is widened.
 *          While a part of a panel is multiplied, the next one is prefetched.
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

#define FEW_ROWS   ((size_t)5)  /* the most rows of a tile that widens a panel itself */
#define TILE_ROWS  ((size_t)6)  /* the most rows of a tile with a widened panel */
#define BLOCK_ROWS ((size_t)66) /* the most rows that share a widened panel */
#define CHUNK      ((size_t)256)
#define WIDENED    ((size_t)32) /* values of x that are widened at once */
#define FOURS      ((size_t)8)  /* fours of k per step of a loop */
/* The tiles of a CHUNK of a panel share the work of prefetching the next CHUNK, which has SECTIONS sections: each step
 * of the loop of a tile prefetches a cache line of its sections. */
#define SECTIONS  ((size_t)8)
#define SECTION   (CHUNK * PANEL / SECTIONS)
#define ROW_STEPS ((size_t)4) /* how many groups of four k have separate sums, for one row */

/* Four of k of a panel, widened: each register has two k of 8 outputs. */
typedef struct {
    Weights even[2], odd[2];
} WideFour;

TARGET void panels_s8_widen_avx2(const uint8_t *x, size_t width, uint16_t *out)
{
    const __m256i low = _mm256_set1_epi16(255);

    for (size_t i = 0; i < width; i += WIDENED) {
        const __m256i values = _mm256_loadu_si256((const void *)(x + i));
        const __m256i even = _mm256_and_si256(values, low), odd = _mm256_srli_epi16(values, 8);
        const __m256i first = _mm256_unpacklo_epi32(even, odd), second = _mm256_unpackhi_epi32(even, odd);
        _mm256_storeu_si256((void *)(out + i), _mm256_permute2x128_si256(first, second, 0x20));
        _mm256_storeu_si256((void *)(out + i + WIDENED / 2), _mm256_permute2x128_si256(first, second, 0x31));
    }
}

PANELS_INLINE WideFour widen_four(const int8_t *panel)
{
    const Weights a = _mm256_loadu_si256((const void *)panel), b = _mm256_loadu_si256((const void *)(panel + 32));

    return (WideFour){ { _mm256_srai_epi16(_mm256_slli_epi16(a, 8), 8), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8) },
                       { _mm256_srai_epi16(a, 8), _mm256_srai_epi16(b, 8) } };
}

/* Two values of x, broadcast. */
PANELS_INLINE Values values_set(const uint16_t *x)
{
    int32_t two;

    memcpy(&two, x, sizeof two);
    return _mm256_set1_epi32(two);
}

/* In assembler, because gcc moves sums between registers and spills them. */
PANELS_INLINE Ints ints_dot(Ints sums, Values values, Weights weights)
{
    Ints products;

    __asm__("vpmaddwd %2, %3, %1\n\tvpaddd %1, %0, %0" : "+x"(sums), "=&x"(products) : "x"(weights), "x"(values));
    return sums;
}

/* Adds the products of two of k: x points to them in the first row. `rows` is a compile-time constant. */
PANELS_INLINE void multiply_two(const uint16_t *x, size_t ldx, const Weights weights[2], Ints sums[][2],
                                const size_t rows)
{
    Weights low = weights[0], high = weights[1];

    __asm__("" : "+x"(low), "+x"(high));
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
        const Values values = values_set(x + r * ldx);
        sums[r][0] = ints_dot(sums[r][0], values, low);
        sums[r][1] = ints_dot(sums[r][1], values, high);
    }
}

PANELS_INLINE void store_sums(const PanelsS8Matmul *m, const Outputs *outputs, size_t row, size_t at, Ints sums[][2],
                              const size_t rows)
{
    const size_t left = m->n - at < PANEL ? m->n - at : PANEL;

    for (size_t r = row; r < row + rows; r++, sums++)
        outputs_store(outputs, (Sixteen){ sums[0][0], sums[0][1] }, m->x_scales[r], m->out + r * m->ldo + at, left);
}

/* --- Few rows. --- */

/* Computes one panel, whose first output is `at`, for the rows from `row` on. `rows` is a compile-time constant, so
 * that the sums stay in registers. */
PANELS_INLINE void few_multiply(const PanelsS8Matmul *m, size_t at, size_t row, const size_t rows)
{
    const size_t width = panels_s8_width(m->k), ldx = m->ldx;
    const int8_t *panel = m->panels + at * width;
    const uint16_t *x = m->wide_x + row * ldx;
    const Outputs outputs = outputs_load(m, at, m->n - at < PANEL ? m->n - at : PANEL);
    Ints sums[FEW_ROWS][2];

#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) sums[r][0] = sums[r][1] = (Ints){ 0 };
    for (size_t i = 0; i < width; i += FOURS * PANELS_S8_FOUR)
#pragma GCC unroll 8
        for (size_t k = i; k < i + FOURS * PANELS_S8_FOUR; k += PANELS_S8_FOUR) {
            const WideFour w = widen_four(panel + k * PANEL);
            if (!row) __builtin_prefetch(panel + (width + k) * PANEL);
            multiply_two(x + k, ldx, w.even, sums, rows);
            multiply_two(x + k + 2, ldx, w.odd, sums, rows);
        }
    store_sums(m, &outputs, row, at, sums, rows);
}

/* Computes a tile of 2 to FEW_ROWS rows. */
TARGET __attribute__((noinline)) static void few_rows(const PanelsS8Matmul *m, size_t at, size_t row, size_t rows)
{
    switch (rows) {
    case 2:
        few_multiply(m, at, row, 2);
        break;
    case 3:
        few_multiply(m, at, row, 3);
        break;
    case 4:
        few_multiply(m, at, row, 4);
        break;
    default:
        few_multiply(m, at, row, FEW_ROWS);
        break;
    }
}

TARGET static void multiply_few(const PanelsS8Matmul *m)
{
    const size_t tiles = (m->rows + FEW_ROWS - 1) / FEW_ROWS;

    for (size_t at = 0; at < m->n; at += PANEL)
        for (size_t i = 0, row = 0, rows; i < tiles; i++, row += rows) {
            rows = panels_tile_rows(m->rows - row, tiles - i);
            few_rows(m, at, row, rows);
        }
}

/* --- More rows. --- */

/* The work of a block of rows with one panel. */
typedef struct {
    const PanelsS8Matmul *matmul;
    size_t row;          /* the first row of the block */
    size_t from, count;  /* the k of this step */
    const int8_t *ahead; /* what a tile prefetches: `aheads` sections */
    size_t aheads;
    WideFour panel[CHUNK / PANELS_S8_FOUR];
    Ints sums[BLOCK_ROWS][2];
} Block;

/* Adds one step of k to the sums of the rows from `row` of the block on. `rows` is a compile-time constant. */
PANELS_INLINE void tile_multiply(Block *b, size_t row, const size_t rows)
{
    const size_t ldx = b->matmul->ldx;
    const uint16_t *x = b->matmul->wide_x + (b->row + row) * ldx + b->from;
    const WideFour *end = b->panel + b->count / PANELS_S8_FOUR;
    const int8_t *ahead = b->ahead;
    Ints sums[TILE_ROWS][2];

#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
        for (size_t half = 0; half < 2; half++) sums[r][half] = b->from ? b->sums[row + r][half] : (Ints){ 0 };
    for (const WideFour *w = b->panel; w < end; w += FOURS, x += FOURS * PANELS_S8_FOUR, ahead += CACHE_LINE) {
        for (size_t i = 0; i < b->aheads; i++) __builtin_prefetch(ahead + i * SECTION);
#pragma GCC unroll 8
        for (size_t i = 0; i < FOURS; i++) {
            multiply_two(x + i * PANELS_S8_FOUR, ldx, w[i].even, sums, rows);
            multiply_two(x + i * PANELS_S8_FOUR + 2, ldx, w[i].odd, sums, rows);
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++)
        for (size_t half = 0; half < 2; half++) b->sums[row + r][half] = sums[r][half];
}

/* Computes a tile of 3 to TILE_ROWS rows. */
TARGET __attribute__((noinline)) static void tile_rows(Block *b, size_t row, size_t rows)
{
    switch (rows) {
    case 3:
        tile_multiply(b, row, 3);
        break;
    case 4:
        tile_multiply(b, row, 4);
        break;
    case 5:
        tile_multiply(b, row, 5);
        break;
    default:
        tile_multiply(b, row, TILE_ROWS);
        break;
    }
}

/* Computes one panel, whose first output is `at`, for `rows` rows. */
TARGET static void block_panel(Block *b, size_t rows, size_t at)
{
    const PanelsS8Matmul *m = b->matmul;
    const size_t width = panels_s8_width(m->k), tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    const Outputs outputs = outputs_load(m, at, m->n - at < PANEL ? m->n - at : PANEL);

    for (b->from = 0; b->from < width; b->from += b->count) {
        const int8_t *panel = m->panels + (at * width + b->from * PANEL);
        size_t row = 0;
        b->count = width - b->from < CHUNK ? width - b->from : CHUNK;
        for (size_t i = 0; i < b->count / PANELS_S8_FOUR; i++)
            b->panel[i] = widen_four(panel + i * PANELS_S8_FOUR * PANEL);
        for (size_t i = 0; i < tiles; i++) {
            const size_t some = panels_tile_rows(rows - row, tiles - i);
            b->ahead = panel + b->count * PANEL + SECTIONS * i / tiles * SECTION;
            b->aheads = SECTIONS * (i + 1) / tiles - SECTIONS * i / tiles;
            tile_rows(b, row, some);
            for (size_t end = row + some; row < end; row++)
                __builtin_prefetch(m->out + (b->row + row) * m->ldo + at, 1, 2);
        }
    }
    store_sums(m, &outputs, b->row, at, b->sums, rows);
}

TARGET static void multiply_many(const PanelsS8Matmul *m)
{
    const size_t blocks = (m->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    Block b;

    b.matmul = m;
    b.row = 0;
    for (size_t i = 0; i < blocks; i++) {
        const size_t rows = panels_tile_rows(m->rows - b.row, blocks - i);
        for (size_t at = 0; at < m->n; at += PANEL) block_panel(&b, rows, at);
        b.row += rows;
    }
}

/* --- One row. --- */

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

TARGET void panels_s8_multiply_avx2(const PanelsS8Matmul *matmul)
{
    if (matmul->rows == 1)
        multiply_row(matmul);
    else if (matmul->rows > 2 * FEW_ROWS)
        multiply_many(matmul);
    else if (matmul->rows > 1)
        multiply_few(matmul);
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
