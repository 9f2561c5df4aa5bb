/* panels_s8.h - products of rows with a matrix of 8-bit numbers in panels.
 * A panel is 16 outputs wide and k goes in fours: [n, k] is stored as
 *     [n / 16, rounded up][k4 / 4][16][4]     k4 = k rounded up to 64
 * filled up with zeros. That is the order of vpdpbusd's register, and 64 of k
 * are a tile of AMX.
 *
 * Numbers of a row of x are from -127 to 127 and stored with 128 added, as
 * vpdpbusd and AMX take them; -128 times the sum of a row of the matrix, which
 * is added to every sum, undoes that exactly.
 *     out[r][j] = (float)(sum over k of x[r] * panels[j]) * (x_scales[r] * scales[j]) + bias[j]
 * where `fused` is set, the last product and the sum are rounded once.
 * Sums are exact for k <= PANELS_S8_MAX_K, each step behind them is one f32
 * operation in this order: the bits depend neither on the CPU level nor on
 * the rows beside a row.
 * Checked  tests/unit/test_panels_s8.c, every level equal to
 *          panels_s8_scalar.c bit for bit. */
#ifndef DRAGOMAN_PANELS_S8_H
#define DRAGOMAN_PANELS_S8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu.h"
#include "panels.h"

#define PANELS_S8_MAX_K ((size_t)131071) /* 127 * 127 * k < 2^31 */
#define PANELS_S8_FOUR  ((size_t)4)
#define PANELS_S8_K     ((size_t)64) /* k is filled up to a multiple */
#define PANELS_S8_ZERO  128          /* how a zero of x is stored */

/* The length of a row, zeros at its end included. */
static inline size_t panels_s8_width(size_t k)
{
    return (k + PANELS_S8_K - 1) / PANELS_S8_K * PANELS_S8_K;
}

/* The distance between rows of x that is best: an odd number of cache lines, so
 * that the rows of a tile do not meet in the same ways of the cache. */
static inline size_t panels_s8_stride(size_t k)
{
    return panels_s8_width(k) | PANELS_S8_K;
}

/* The numbers of [n, k] in panels, those that fill up included. */
static inline size_t panels_s8_count(size_t n, size_t k)
{
    return panels_count(n, panels_s8_width(k));
}

/* Where element (row, i) lies. */
static inline size_t panels_s8_at(size_t row, size_t i, size_t k)
{
    return row / PANEL * PANEL * panels_s8_width(k) + i / PANELS_S8_FOUR * PANEL * PANELS_S8_FOUR +
           row % PANEL * PANELS_S8_FOUR + i % PANELS_S8_FOUR;
}

/* A product's operands. */
typedef struct {
    const int8_t *panels;       /* [n, k] in panels */
    const float *scales;        /* [n] */
    const int32_t *corrections; /* [n rounded up to 16]: -128 times the sum of each row */
    size_t n, k;
    size_t rows;
    const uint8_t *x; /* [rows, panels_s8_width(k)], rows `ldx` apart */
    size_t ldx;
    const float *x_scales; /* [rows] */
    const float *bias;     /* [n]; NULL: zeros */
    float *out;            /* [rows, n], rows `ldo` apart */
    size_t ldo;
    bool fused;
} PanelsS8Product;

typedef void PanelsS8Multiply(const PanelsS8Product *product);

/* That of a level, or of the nearest one below; of cpu_level(). */
PanelsS8Multiply *panels_s8_at_level(CpuLevel level);
PanelsS8Multiply *panels_s8_get(void);

PanelsS8Multiply panels_s8_multiply_scalar, panels_s8_multiply_avx2, panels_s8_multiply_avxvnni,
    panels_s8_multiply_avx512, panels_s8_multiply_avx512vnni, panels_s8_multiply_amx, panels_s8_multiply_neon,
    panels_s8_multiply_dotprod;

#endif
