/* matrix_fields.h - the fields of Matrix, for matrix.c, matrix_multiply.c and matrix_emulation.c. */
#ifndef DRAGOMAN_MATRIX_FIELDS_H
#define DRAGOMAN_MATRIX_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "err.h"
#include "kernels.h"
#include "matrix_s8.h"
#include "panels.h"
#include "panels_s8.h"
#include "team.h"

/* Reproduces another program's rounding; fields: matrix_emulation.c. */
typedef struct MatrixEmulation MatrixEmulation;

typedef struct Matrix Matrix; /* its functions: matrix.h */
struct Matrix {
    size_t n, k;
    size_t capacity; /* number of rows for which a gathered matrix has memory */
    DType type;
    PanelsMultiply *multiply; /* NULL if the matrix has 8-bit panels, or plain rows for OpenBLAS */
    PanelsS8Multiply *multiply_s8;
    const Kernels *kernels;
    size_t bytes;                /* size of `values` */
    const unsigned char *values; /* aligned to 64 bytes */
    const float *scales;         /* [n], DTYPE_S8 only */
    const int32_t *corrections;  /* [n rounded up to PANEL], DTYPE_S8 only */
    MatrixEmulation *emulation;  /* owned; NULL: none */
    /* What the matrix owns: the memory of the pointers above, unless it is borrowed. */
    unsigned char *own_values;
    bool in_arena;
    float *own_scales;
    int32_t *own_corrections;
    uint8_t *row_scratch; /* [panels_s8_width(k)], used to set rows; DTYPE_S8 only */
    int32_t *ids;         /* [capacity], the rows of `values` for a gathered DTYPE_S8 matrix; otherwise NULL */
};

/* Return whether the emulation rounds rows of x before the matmul, and round `count` values of x. */
bool matrix_emulation_rounds(const Matrix *matrix);
void matrix_emulation_round(const Matrix *matrix, const float *x, size_t count, float *out);

/* Replaces the int8 matmul of matrix_multiply.c for matrices with an emulation. In `matmul`, x and its scales are not
 * set. x_multiplier is 0 or the argument of matrix_multiply_scaled(). blocks may be NULL. */
void matrix_emulation_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                               const PanelsS8Matmul *matmul, float x_multiplier, const float *x,
                               const MatrixBlocks *blocks);
bool matrix_emulation_has_blocks(const Matrix *matrix);

/* Completes the operands `matmul` and returns the rounding of x. Unless matrix_emulation_has_blocks(), the caller
 * replaces the multiplier for each part, or the multiplier and the scales if matrix_shares_x_multiplier(). */
MatrixS8Rounding matrix_emulation_set(const Matrix *matrix, PanelsS8Matmul *matmul);

/* matrix_emulation_reserve() gives `to`, which has memory for its rows, the emulation of `from`, if
 * that has one; matrix_emulation_copy_row() then copies the fields of one row. */
MUST_USE bool matrix_emulation_reserve(Matrix *to, const Matrix *from);
void matrix_emulation_copy_row(Matrix *to, size_t to_row, const Matrix *from, size_t row);
void matrix_emulation_free(Matrix *matrix);

#endif
