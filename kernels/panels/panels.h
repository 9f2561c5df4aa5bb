/* panels.h - products of rows with a matrix that lies in panels.
 * A panel is 16 outputs wide: a matrix [n, k] is stored as
 *     [n / 16, rounded up][k][16]
 * of f32, f16 or bf16 numbers, filled up with zeros, so that a register of 16
 * neighbours is one load.
 *
 * Every output is one sum over k, in order, in one accumulator with fused
 * multiply-adds, and the bias is added last: the bits depend neither on the
 * CPU level nor on the rows beside it.
 * Checked  tests/unit/test_panels.c, every level equal to the definition bit
 *          for bit. */
#ifndef DRAGOMAN_PANELS_H
#define DRAGOMAN_PANELS_H

#include <stddef.h>

#include "dtype.h"

#define PANEL ((size_t)16)

/* The numbers of [n, k] in panels, those that fill up included. */
static inline size_t panels_count(size_t n, size_t k)
{
    return (n + PANEL - 1) / PANEL * PANEL * k;
}

/* Where element (row, 0) lies; its neighbours along k follow 16 apart. */
static inline size_t panels_at(size_t row, size_t k)
{
    return row / PANEL * PANEL * k + row % PANEL;
}

/* A panel from `count` <= PANEL rows[count, k] of the type, zeros for those that
 * are missing. */
void panels_fill(DType type, void *panel, const void *rows, size_t count, size_t k);

/* A product's operands. */
typedef struct {
    DType type;
    const void *panels; /* [n, k] in panels */
    size_t n, k;
    size_t rows;
    const float *x; /* [rows, k], rows `ldx` apart */
    size_t ldx;
    const float *bias; /* [n] or NULL */
    float *out;        /* [rows, n], rows `ldo` apart: x matrix^T + bias */
    size_t ldo;
} PanelsProduct;

typedef void PanelsMultiply(const PanelsProduct *product);

/* That of the CPU level that kernels_get() says; NULL for a CPU without fused
 * multiply-adds. */
PanelsMultiply *panels_get(void);

/* The levels; "scalar" is plain C and needs fused multiply-adds, too. */
PanelsMultiply panels_multiply_scalar, panels_multiply_avx2, panels_multiply_avx512, panels_multiply_neon;

#endif
