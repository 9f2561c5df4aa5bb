/* matrix_fields.h - what a Matrix consists of, for matrix.c, matrix_product.c and matrix_emulation.c. */
#ifndef DRAGOMAN_MATRIX_FIELDS_H
#define DRAGOMAN_MATRIX_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "matrix_s8.h"
#include "dtype.h"
#include "panels.h"
#include "panels_s8.h"
#include "team.h"

/* What reproduces another program's rounding; fields: matrix_emulation.c. */
typedef struct MatrixEmulation MatrixEmulation;

typedef struct Matrix Matrix; /* its functions: matrix.h */
struct Matrix {
    size_t n, k;
    size_t room; /* of a gathered one: rows that its memory is for */
    DType type;
    PanelsMultiply *multiply; /* NULL: 8-bit panels, or plain rows multiplied by OpenBLAS */
    PanelsS8Multiply *multiply_s8;
    const Kernels *kernels;
    size_t bytes;                 /* of the numbers */
    const unsigned char *numbers; /* aligned to 64 bytes */
    const float *scales;          /* [n]; 8 bits */
    const int32_t *corrections;   /* [n rounded up to PANEL]; 8 bits */
    MatrixEmulation *emulation;   /* owned; NULL: none */
    /* The same, as far as they are not borrowed. */
    unsigned char *own_numbers;
    bool in_arena;
    float *own_scales;
    int32_t *own_corrections;
    uint8_t *row_scratch; /* [panels_s8_width(k)], for rows that are set; 8 bits */
};

/* Whether rows of x are rounded before all else; how. */
bool matrix_emulation_rounds(const Matrix *matrix);
void matrix_emulation_round(const Matrix *matrix, const float *x, size_t count, float *out);

/* The hook of matrix_product.c, for matrices with an emulation: all of a product but its scales, bias and x is set.
 * x_multiplier: 0, or that of matrix_multiply_scaled(). blocks may be NULL. */
void matrix_emulation_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                               const PanelsS8Product *product, float x_multiplier, const float *x,
                               const MatrixBlocks *blocks);
bool matrix_emulation_has_blocks(const Matrix *matrix);

/* `to`, with room for its rows, follows `from`, if that has an emulation; then row `to_row` gets the fields of a row. */
MUST_USE bool matrix_emulation_reserve(Matrix *to, const Matrix *from);
void matrix_emulation_copy_row(Matrix *to, size_t to_row, const Matrix *from, size_t row);
void matrix_emulation_free(Matrix *matrix);

#endif
