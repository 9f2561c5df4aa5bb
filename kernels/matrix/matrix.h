/* matrix.h - a weight matrix, prepared once for matmul with any number of rows. The CPU alone determines the layout:
 * panels where dragoman has kernels (panels.h), plain rows for OpenBLAS elsewhere. 16-bit elements stay in 16 bits; the
 * matmul widens them. 8-bit elements are in panels on every CPU (panels_s8.h), and the rows of x are quantized to 8
 * bits as well. A matmul runs in the calling thread or in a team (team.h), whose threads compute disjoint outputs; the
 * result is the same bit for bit. */
#ifndef DRAGOMAN_MATRIX_H
#define DRAGOMAN_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "dtype.h"
#include "err.h"
#include "kernels.h"
#include "team.h"

typedef struct Matrix Matrix; /* [n, k], as in PyTorch's Linear; fields: matrix_fields.h */

/* Creates an uninitialized [n, k] matrix. OK: the caller owns *out. */
MUST_USE Status matrix_new(Matrix **out, size_t n, size_t k, DType type, Err *err);

/* Like matrix_new(), but allocates the elements in `arena`, which must outlive the matrix. */
MUST_USE Status matrix_new_in(Arena *arena, Matrix **out, size_t n, size_t k, DType type, Err *err);
void matrix_free(Matrix *matrix); /* NULL is allowed */

/* Sets rows [first, first + count) from values[count, k] of matrix_source_type(). An 8-bit matrix
 * quantizes them. Groups of MATRIX_ROWS_TOGETHER rows that begin at a multiple of it are fastest. All
 * rows must be set before the first matmul. */
#define MATRIX_ROWS_TOGETHER ((size_t)16)
void matrix_set_rows(Matrix *matrix, size_t first, size_t count, const void *values);

/* Sets rows of a DTYPE_S8 matrix from int8 values[count, k]; each element is value * unit. */
void matrix_set_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *values, float unit);
/* Like matrix_set_rows_s8(), with one scale per row. */
void matrix_set_scaled_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *values, const float *scales);

/* The largest number of parts of a matrix: matrices of n / parts rows each that are stacked and multiplied as one. */
#define MATRIX_MAX_PARTS ((size_t)3)

/* Returns the type that matrix_set_rows() takes for a matrix of `type`. */
DType matrix_source_type(DType type);

/* Copies one row as f32, for a matrix that also serves as the embedding matrix. */
void matrix_get_row(const Matrix *matrix, size_t row, float *out);

/* Memory that all matrices gathered from one matrix share. Each row of an 8-bit matrix is copied once, when it is first
 * gathered, in the layout for listed_s8_at_level(). `from` must outlive *out. OK: the caller owns *out. */
typedef struct MatrixRows MatrixRows; /* fields: matrix.c */
MUST_USE Status matrix_rows_new(MatrixRows **out, const Matrix *from, Err *err);
void matrix_rows_free(MatrixRows *rows); /* NULL is allowed */

/* Makes *out the matrix of the rows ids[0 .. count) of rows->from, in that order, count > 0. A matmul with
 * *out gives the same bits as one with rows->from. *out is NULL or a result of an earlier call, whose memory
 * is reused if it is large enough; `rows` must outlive it. Threads must not share `rows`. */
MUST_USE Status matrix_gather(Matrix **out, MatrixRows *rows, const int32_t *ids, size_t count, Err *err);

size_t matrix_n(const Matrix *matrix);
size_t matrix_k(const Matrix *matrix);
size_t matrix_bytes(const Matrix *matrix);
DType matrix_type(const Matrix *matrix);

/* Scratch memory for one matmul at a time: at most a megabyte. */
typedef struct MatrixScratch MatrixScratch; /* fields: matrix_s8.h */

MUST_USE Status matrix_scratch_new(MatrixScratch **out, Err *err);
void matrix_scratch_free(MatrixScratch *scratch); /* NULL is allowed */

/* out[rows, n] = x[rows, k] * matrix^T + bias[n]; bias may be NULL. The team shares a large matmul.
 * If the team is NULL, or OpenBLAS is used, the calling thread works alone. */
void matrix_multiply(Team *team, MatrixScratch *scratch, const Matrix *matrix, size_t rows, const float *x,
                     const float *bias, float *out);

/* Returns the largest number of rows for matrix_multiply_in_blocks(); 0: the matrix does not support it. */
size_t matrix_block_rows(const Matrix *matrix);

/* Like matrix_multiply(), but computes block->stride outputs at a time and passes them to the sink;
 * the bits are the same. `block` says which rows are computed and where each block is stored; its
 * stride is a multiple of 128. At most matrix_block_rows() rows. */
void matrix_multiply_in_blocks(Team *team, MatrixScratch *scratch, const Matrix *matrix, const float *x,
                               const float *bias, const LogitsBlock *block, const LogitsSink *sink);

/* One product of matrix_multiply_gathered(). */
typedef struct {
    const Matrix *matrix; /* [n, k], a result of matrix_gather() */
    const float *bias;    /* [n] or NULL */
    size_t rows;
    float *out; /* [rows, n] */
} GatheredMatmul;

/* The most products of one matrix_multiply_gathered(). */
#define MATRIX_MOST_GATHERED ((size_t)64)

/* Returns the most rows of one matrix_multiply_gathered(), of all products together. 0: it cannot multiply the
 * matrix. */
size_t matrix_gathered_rows(const Matrix *matrix);

/* Computes `count` > 0 products with matrices that were gathered from the same MatrixRows by ascending ids, at least
 * one id each. x[all rows, k] has the rows of the first product, then those of the second, and so on. The bits are
 * those of matrix_multiply(). */
void matrix_multiply_gathered(MatrixScratch *scratch, const GatheredMatmul *products, size_t count, const float *x);

/* Like matrix_multiply(), with the given multiplier of x, for a matrix with matrix_shares_x_multiplier()
 * (matrix_emulation.h). */
void matrix_multiply_scaled(Team *team, MatrixScratch *scratch, const Matrix *matrix, float x_multiplier, size_t rows,
                            const float *x, const float *bias, float *out);

/* The data of a prepared matrix, for packed files. `values` is NULL if they are not in panels (on a
 * CPU without fused multiply-adds). */
typedef struct {
    const void *values; /* panels as in panels.h or panels_s8.h */
    size_t bytes;
    const float *scales;        /* [n]; NULL unless DTYPE_S8 */
    const int32_t *corrections; /* [n rounded up to 16], see panels_s8.h; NULL unless DTYPE_S8 */
} MatrixParts;

void matrix_parts(const Matrix *matrix, MatrixParts *out);

/* Creates a matrix that uses existing memory, which must outlive it. `parts` are as matrix_parts() returned them, with
 * `values` aligned to 64 bytes. If corrections is NULL, they are computed. A CPU without kernels for panels gets a copy
 * in plain rows. ERR_FORMAT: the number of bytes does not match the shape. */
MUST_USE Status matrix_borrow(Matrix **out, size_t n, size_t k, DType type, const MatrixParts *parts, Err *err);

/* Returns the level of the matmul kernels for a type on this CPU, or the name of OpenBLAS if it multiplies. */
const char *matrix_kernel_level(DType type);
bool matrix_is_exact(void); /* dragoman has kernels for this CPU */

#endif
