/* matrix.h - a weight matrix, prepared once for products with any number of
 * rows. Its layout is chosen from the CPU alone: panels where there are
 * kernels of ours (panels.h), plain rows for OpenBLAS elsewhere. Numbers may
 * stay in 16 bits: they are widened inside the product. Those of 8 bits lie in
 * panels on every CPU (panels_s8.h); rows of x are rounded to 8 bits, too. A
 * product runs in the calling thread, or in a team's (team.h), each member
 * taking some outputs: the same bits. */
#ifndef DRAGOMAN_MATRIX_H
#define DRAGOMAN_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "logits_sink.h"
#include "dtype.h"
#include "team.h"

typedef struct Matrix Matrix; /* [n, k], as PyTorch's Linear stores it; fields: matrix.c */

/* An unset [n, k] matrix. OK: the caller owns *out. */
MUST_USE Status matrix_new(Matrix **out, size_t n, size_t k, DType type, Err *err);

/* The same with its numbers in `arena`, which outlives it. */
MUST_USE Status matrix_new_in(Arena *arena, Matrix **out, size_t n, size_t k, DType type, Err *err);
void matrix_free(Matrix *matrix); /* NULL is allowed */

/* Copies rows [first, first + count) from numbers[count, k] of the matrix's
 * type, of f32 for an 8-bit one, which rounds them; fastest for MATRIX_ROWS_TOGETHER rows from a multiple of it on. All
 * rows must be set before the first product. */
#define MATRIX_ROWS_TOGETHER ((size_t)16)
void matrix_set_rows(Matrix *matrix, size_t first, size_t count, const void *numbers);

/* The same of a DTYPE_S8 matrix for numbers[count, k] that are 8-bit already and
 * stand for themselves times `unit`. */
void matrix_set_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *numbers, float unit);
/* The same with a scale for each row. */
void matrix_set_scaled_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *numbers, const float *scales);

/* Matrices one below the other are multiplied as one, each a part of n / parts rows. */
#define MATRIX_MAX_PARTS ((size_t)3)

/* The type of what matrix_set_rows() takes for a matrix of `type`. */
DType matrix_source_type(DType type);

/* Copies the values of one row, for a matrix that is an embedding table too. */
void matrix_get_row(const Matrix *matrix, size_t row, float *out);

/* *out, NULL at first or what this gave before, becomes the rows
 * from[rows[0 .. count)] in that order, count > 0: products with it give the bits that those
 * with `from` give. Its memory is used again as long as it suffices. */
MUST_USE Status matrix_gather(Matrix **out, const Matrix *from, const int32_t *rows, size_t count, Err *err);

size_t matrix_n(const Matrix *matrix);
size_t matrix_k(const Matrix *matrix);
size_t matrix_bytes(const Matrix *matrix);
DType matrix_type(const Matrix *matrix);

/* What products write to on their way: half a megabyte at most, for one product at a time. */
typedef struct MatrixScratch MatrixScratch; /* fields: matrix_s8.h */

MUST_USE Status matrix_scratch_new(MatrixScratch **out, Err *err);
void matrix_scratch_free(MatrixScratch *scratch); /* NULL is allowed */

/* out[rows, n] = x[rows, k] * matrix^T + bias[n]; bias may be NULL. The team shares the
 * product if it is large enough to gain by it; NULL: the calling thread computes it alone,
 * as it does OpenBLAS's products. */
void matrix_multiply_by(Team *team, MatrixScratch *scratch, const Matrix *matrix, size_t rows, const float *x,
                        const float *bias, float *out);

/* Whether products of this many rows can be computed in blocks. */
bool matrix_has_blocks(const Matrix *matrix, size_t rows);

/* As matrix_multiply_by(), block->stride outputs at a time: the same bits. `block` says which rows they are
 * and where they lie, until the sink has taken them; its stride is a multiple of 128. The matrix has blocks. */
void matrix_multiply_in_blocks(Team *team, MatrixScratch *scratch, const Matrix *matrix, const float *x,
                               const float *bias, const LogitsBlock *block, const LogitsSink *sink);

/* The same of a matrix_shares_x_multiplier(), with this one (matrix_emulation.h). */
void matrix_multiply_scaled(Team *team, MatrixScratch *scratch, const Matrix *matrix, float x_multiplier, size_t rows,
                            const float *x, const float *bias, float *out);

/* What a matrix consists of, for a file of prepared ones. `numbers` is NULL
 * where they do not lie in panels (a CPU without fused multiply-adds). */
typedef struct {
    const void *numbers; /* panels of panels.h or panels_s8.h */
    size_t bytes;
    const float *scales;        /* [n]; NULL but for DTYPE_S8 */
    const int32_t *corrections; /* [n rounded up to 16], of panels_s8.h; NULL but for DTYPE_S8 */
} MatrixParts;

void matrix_parts(const Matrix *matrix, MatrixParts *out);

/* A matrix over memory that outlives it: parts as matrix_parts() gave them,
 * `numbers` aligned to 64 bytes. corrections may be NULL: they are computed. A
 * CPU that has no kernels for panels gets a copy in plain rows. ERR_FORMAT: bytes
 * are not those of the shape. */
MUST_USE Status matrix_borrow(Matrix **out, size_t n, size_t k, DType type, const MatrixParts *parts, Err *err);

/* What computes products with matrices of a type on this CPU, for `dragoman
 * info`; and whether a row's bits are independent of the rows beside it and of
 * the CPU, where attention is computed, too. */
const char *matrix_product_name(DType type);
bool matrix_is_exact(void);

#endif
