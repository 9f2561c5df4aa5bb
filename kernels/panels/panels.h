/* panels.h - matmul with a matrix that is stored in panels. A panel is 16 outputs wide: a matrix [n, k] is stored as
 *     [n / 16, rounded up][k][16]
 * of f32, f16 or bf16, padded with zeros, so that one load reads 16 neighbouring outputs.
 *
 * Every output is one sum over k, in order, in one accumulator with fused multiply-adds; the bias is added last. So the
 * bits depend neither on the CPU level nor on the other rows.
 * Checked  tests/unit/test_panels.c, every level equal to the definition bit for bit. */
#ifndef DRAGOMAN_PANELS_H
#define DRAGOMAN_PANELS_H

#include <stddef.h>

#include "dtype.h"

#define PANEL ((size_t)16)

/* Returns the number of elements of [n, k] in panels, padding included. */
static inline size_t panels_count(size_t n, size_t k)
{
    return (n + PANEL - 1) / PANEL * PANEL * k;
}

/* Returns the index of element (row, 0). The next element along k follows 16 elements later. */
static inline size_t panels_at(size_t row, size_t k)
{
    return row / PANEL * PANEL * k + row % PANEL;
}

/* Returns how many of `rows` rows the first of `tiles` tiles takes. Rows are spread evenly: 7 rows are 4 + 3, not
 * 6 + 1. */
static inline size_t panels_tile_rows(size_t rows, size_t tiles)
{
    return (rows + tiles - 1) / tiles;
}

/* The cases of a switch over the rows of a tile; ROWS(r) is the case of r rows. */
#define PANELS_TILE_CASES(ROWS)                                                                                        \
    ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12)

/* Makes a panel from `count` <= PANEL rows[count, k] of the type; missing rows are zero. */
void panels_fill(DType type, void *panel, const void *rows, size_t count, size_t k);

/* The operands of a matmul. */
typedef struct {
    DType type;
    const void *panels; /* [n, k] in panels */
    size_t n, k;
    size_t rows;
    const float *x; /* [rows, k], rows `ldx` apart */
    size_t ldx;
    const float *bias; /* [n] or NULL */
    float *out;        /* [rows, n] = x matrix^T + bias, rows `ldo` apart */
    size_t ldo;
} PanelsMatmul;

typedef void PanelsMultiply(const PanelsMatmul *matmul);

/* Returns the function for the CPU level that kernels_get() uses; NULL for a CPU without fused multiply-adds. */
PanelsMultiply *panels_get(void);

/* One function per level. Even "scalar", which is plain C, requires fused multiply-adds. */
PanelsMultiply panels_multiply_scalar, panels_multiply_avx2, panels_multiply_avx512, panels_multiply_neon;

#endif
