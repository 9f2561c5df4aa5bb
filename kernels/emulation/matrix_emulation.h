/* matrix_emulation.h - matrices whose int8 products reproduce the rounding of another program,
 * of Marian's or of CTranslate2. matrix_product.c calls what replaces its own products (matrix_fields.h). */
#ifndef DRAGOMAN_MATRIX_EMULATION_H
#define DRAGOMAN_MATRIX_EMULATION_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "matrix.h"

/* Products as Marian's programs compute them, for a DTYPE_S8 matrix whose rows are set:
 * numbers of x are multiplied with x_multiplier, > 0, or where that is 0 with
 * matrix_x_multiplier() of all rows of a call, and rounded;
 *     out = (float)sum * (1 / (x_multiplier * m)) + bias
 * with a fused multiply-add. Each part has its own of m, multipliers[parts], and of x_multipliers[parts]: either
 * all are 0 or none is, and where they differ, n / parts is a multiple of MATRIX_ROWS_TOGETHER. */
MUST_USE Status matrix_follow_marian(Matrix *matrix, const float *multipliers, const float *x_multipliers, size_t parts,
                                     Err *err);
bool matrix_follows_marian(const Matrix *matrix);
/* With x_multipliers of 0. */
bool matrix_shares_x_multiplier(const Matrix *matrix);
/* 127 / the largest |x|; 1 where all are 0. */
float matrix_x_multiplier(const float *x, size_t count);

/* The same, from now on with 127 added to the rounded numbers of x for the outputs from
 * `first` on, and the bias less what that adds: equal but for rounding. Products with
 * an x_multiplier of the matrix take bias[n], which is changed here, those with a
 * shared one any bias. */
void matrix_shift_x(Matrix *matrix, size_t first, float *bias);

/* How CTranslate2 rounds the rows of x: to 16-bit integers of thousandths, half to even or towards 0; or, of a
 * DTYPE_S8 matrix alone, to 8 bits by a scale of their own, down. */
typedef enum { ROWS_AS_THEY_ARE, ROWS_TO_THOUSANDTHS, ROWS_CUT_TO_THOUSANDTHS, ROWS_DOWN } RowRounding;

/* From now on rows of x are rounded so. A matrix has one emulation: the first. */
MUST_USE Status matrix_round_x(Matrix *matrix, RowRounding rounding, Err *err);

#endif
