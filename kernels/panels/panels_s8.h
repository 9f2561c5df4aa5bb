/* panels_s8.h - int8 matmul with a matrix that is stored in panels. A panel is 16 outputs wide, and k is grouped by
 * four: [n, k] is stored as
 *     [n / 16, rounded up][k4 / 4][16][4]     k4 = k rounded up to 64
 * padded with zeros. This is the order that vpdpbusd expects, and 64 of k are one AMX tile.
 *
 * Quantized values of x range from -127 to 127 and are stored with 128 added, as vpdpbusd and AMX require. Each row of
 * the matrix has a correction, -128 times its sum. It is added to the sums of products, which undoes that exactly.
 *     out[r][j] = (float)(sum over k of x[r] * panels[j]) * (x_scales[r] * scales[j]) + bias[j]
 * If `fused` is set, the last multiplication and the addition are rounded once. Sums are exact for k <=
 * PANELS_S8_MAX_K, and each later step is one f32 operation in this order. So the bits depend neither on the CPU level
 * nor on the other rows.
 * Checked  tests/unit/test_panels_s8.c, every level equal to the plain C of panels_s8.c bit for bit. */
#ifndef DRAGOMAN_PANELS_S8_H
#define DRAGOMAN_PANELS_S8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu.h"
#include "panels.h"

#define PANELS_S8_MAX_K ((size_t)131071) /* 127 * 127 * k < 2^31 */
#define PANELS_S8_FOUR  ((size_t)4)
#define PANELS_S8_K     ((size_t)64) /* k is padded to a multiple of this */
#define PANELS_S8_ZERO  128          /* the stored form of zero in x */
#define CACHE_LINE      ((size_t)64)
#define PANELS_S8_AHEAD 2048 /* how many bytes ahead a single row prefetches panels; the hardware stops at a page */

/* Returns the length of a row, padding included. */
static inline size_t panels_s8_width(size_t k)
{
    return (k + PANELS_S8_K - 1) / PANELS_S8_K * PANELS_S8_K;
}

/* Returns the best distance between rows of x: an odd number of cache lines, so that the rows of a
 * tile do not compete for the same cache sets. */
static inline size_t panels_s8_stride(size_t k)
{
    return panels_s8_width(k) | PANELS_S8_K;
}

/* Returns the number of elements of [n, k] in panels, padding included. */
static inline size_t panels_s8_count(size_t n, size_t k)
{
    return panels_count(n, panels_s8_width(k));
}

/* Returns the index of element (row, i). */
static inline size_t panels_s8_at(size_t row, size_t i, size_t k)
{
    return row / PANEL * PANEL * panels_s8_width(k) + i / PANELS_S8_FOUR * PANEL * PANELS_S8_FOUR +
           row % PANEL * PANELS_S8_FOUR + i % PANELS_S8_FOUR;
}

/* The operands of an int8 matmul. */
typedef struct {
    const int8_t *panels;       /* [n, k] in panels; with `ids`, plain rows */
    const float *scales;        /* [n] */
    const int32_t *corrections; /* [n rounded up to 16]: -128 times the sum of each row */
    size_t n, k;
    size_t rows;
    const uint8_t *x; /* [rows, panels_s8_width(k)], rows `ldx` apart */
    size_t ldx;
    const uint16_t *wide_x; /* x in 16 bits, rows `ldx` apart too; NULL unless panels_s8_widen_for() has a function */
    const float *x_scales;  /* [rows] */
    const float *bias;      /* [n]; NULL: zeros */
    float *out;             /* [rows, n], rows `ldo` apart */
    size_t ldo;
    bool fused;
    const int32_t *ids; /* [n], the rows to multiply (listed_s8_at_level()); NULL: the matrix is in panels */
    /* [n rounded up to 16]; NULL: zeros. Levels that multiply x without the added 128 use these instead of
     * `corrections`: 127 times the sum of a row for which 127 is added to x (matrix_shift_x()), otherwise 0. */
    const int32_t *signed_corrections;
} PanelsS8Matmul;

/* Returns the part of a matmul that computes at most `count` outputs from `first` on, the first output of a panel. The
 * caller moves `out` if needed. */
static inline PanelsS8Matmul panels_s8_outputs(const PanelsS8Matmul *matmul, size_t first, size_t count)
{
    PanelsS8Matmul p = *matmul;

    if (p.ids)
        p.ids += first;
    else
        p.panels += panels_s8_at(first, 0, p.k);
    p.scales += first;
    p.corrections += first;
    if (p.signed_corrections) p.signed_corrections += first;
    if (p.bias) p.bias += first;
    p.n = p.n - first < count ? p.n - first : count;
    return p;
}

/* Returns four values of x. */
static inline int32_t panels_s8_four(const uint8_t *x)
{
    int32_t four;

    memcpy(&four, x, sizeof four);
    return four;
}

typedef void PanelsS8Multiply(const PanelsS8Matmul *matmul);

/* Stores a row x[width] with 16 bits per value, each four of k as k0 k2 k1 k3. The rows of x are widened once for all
 * panels, and for all threads that share the matmul. */
typedef void PanelsS8Widen(const uint8_t *x, size_t width, uint16_t *out);

/* Returns the function that fills wide_x for a matmul function; NULL if that reads only x. With one row, none reads
 * wide_x. */
PanelsS8Widen *panels_s8_widen_for(PanelsS8Multiply *multiply);

/* Returns the matmul function of a level. If it has none, returns that of the nearest lower level. */
PanelsS8Multiply *panels_s8_at_level(CpuLevel level);

/* Returns a function that multiplies only the listed rows of a matrix. A shortlist selects different rows for each
 * sentence, and a sentence has only a few rows of x. Copying the selected rows into panels for each sentence would take
 * as long as several matmuls, so these kernels read plain rows in place, and all sentences share them.
 *     out[r][j] = (float)(sum over k of x[r] * matrix[ids[j]]) * (x_scales[r] * scales[j]) + bias[j]
 * The operands and the bits of the outputs are the same, except that `panels` has plain rows of panels_s8_width(k)
 * values, aligned to 64 bytes, and that `ids` selects n of them. */
PanelsS8Multiply *listed_s8_at_level(CpuLevel level);

PanelsS8Multiply panels_s8_multiply_scalar, panels_s8_multiply_avx2, panels_s8_multiply_avxvnni,
    panels_s8_multiply_avx512, panels_s8_multiply_avx512vnni, panels_s8_multiply_amx, panels_s8_multiply_neon,
    panels_s8_multiply_dotprod, listed_s8_multiply_scalar, listed_s8_multiply_avx2, listed_s8_multiply_avxvnni,
    listed_s8_multiply_avx512vnni;
PanelsS8Widen panels_s8_widen_avx2;

#endif
