/* matrix_emulation.h - matrices whose int8 matmul reproduces the rounding of Marian or CTranslate2.
 * matrix_multiply.c calls these functions instead of its own int8 matmul (matrix_fields.h). */
#ifndef DRAGOMAN_MATRIX_EMULATION_H
#define DRAGOMAN_MATRIX_EMULATION_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "matrix.h"

/* Makes a DTYPE_S8 matrix multiply as Marian does. All rows must be set before. Values of x are multiplied by
 * x_multiplier, or, if that is 0, by matrix_x_multiplier() of all rows of a call. Then they are rounded, and
 *     out = (float)sum * (1 / (x_multiplier * m)) + bias
 * with a fused multiply-add. For each part of the matrix, multipliers[parts] has m, and x_multipliers[parts] has
 * x_multiplier >= 0. Either all or none of the x_multipliers are 0; if they differ, n / parts must be a multiple of
 * MATRIX_ROWS_TOGETHER. */
MUST_USE Status matrix_emulate_marian(Matrix *matrix, const float *multipliers, const float *x_multipliers,
                                      size_t parts, Err *err);
bool matrix_emulates_marian(const Matrix *matrix);
/* Whether the matrix emulates Marian with x_multipliers of 0. */
bool matrix_shares_x_multiplier(const Matrix *matrix);
/* Returns 127 / the largest |x|; 1 if all are 0; NaN if one is NaN. */
float matrix_x_multiplier(const float *x, size_t count);

/* After this call, matmuls add 127 to the quantized values of x for the outputs from `first` on. The bias is reduced
 * accordingly, so that the results differ only by rounding. Call it after matrix_emulate_marian(). If the x_multipliers
 * of the matrix are above 0, this function changes bias[n], and all matmuls must use that bias. If they are 0, matmuls
 * may use any bias, and `bias` may be NULL. */
void matrix_shift_x(Matrix *matrix, size_t first, float *bias);

/* How CTranslate2 rounds the rows of x: to thousandths as 16-bit integers, either half to even or towards 0; or, for
 * DTYPE_S8 matrices only, down to 8 bits with one scale per row. */
typedef enum { ROWS_UNROUNDED, ROWS_TO_THOUSANDTHS, ROWS_TRUNCATED_TO_THOUSANDTHS, ROWS_DOWN } RowRounding;

/* After this call, matmuls round the rows of x as `rounding` says. Does nothing if the matrix already has an
 * emulation. */
MUST_USE Status matrix_round_x(Matrix *matrix, RowRounding rounding, Err *err);

#endif
