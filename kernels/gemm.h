/* gemm.h - f32 matrix products for weights.
 * A Matrix is a weight prepared once for products with any number of rows;
 * its layout is this file's own business. Large models keep 16-bit weights as
 * they are stored: blocks of them are widened to f32 just before the product.
 * All products run single-threaded in the calling thread (OpenBLAS); threads
 * live above. */
#ifndef DRAGOMAN_GEMM_H
#define DRAGOMAN_GEMM_H

#include <stddef.h>

#include "err.h"
#include "numbers.h"

typedef struct Matrix Matrix; /* [n, k], as PyTorch's Linear stores it; fields: gemm.c */

/* A k beyond which 16-bit matrices are not: rows are widened whole. */
#define MATRIX_16BIT_MAX_K ((size_t)1 << 16)

/* An uninitialized [n, k] matrix. OK: the caller owns *out. */
MUST_USE Status matrix_new(Matrix **out, size_t n, size_t k, NumberType type, Err *err);
void matrix_free(Matrix *matrix); /* NULL is allowed */

/* Row `row` to be filled in, [k] numbers of the matrix's type. All rows must
 * be set before the first product. */
void *matrix_row(Matrix *matrix, size_t row);
NumberType matrix_type(const Matrix *matrix);

/* The values of a row, for a matrix that is an embedding table too; they may
 * lie in scratch[k]. */
const float *matrix_values(const Matrix *matrix, size_t row, float *scratch);

size_t matrix_n(const Matrix *matrix);
size_t matrix_k(const Matrix *matrix);
size_t matrix_bytes(const Matrix *matrix);

/* out[rows, n] = x[rows, k] * matrix^T + bias[n]; bias may be NULL. */
void matrix_multiply(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out);

/* Plain products of activations, for attention over a whole sentence:
 * out[m, n] = scale * a[m, k] * b[n, k]^T + add * out[m, n]   (transposed; add is 0 or 1)
 * out[m, n] = a[m, k] * b[k, n]                               (plain)
 * `lda`, `ldb`, `ldo` are the distances between rows. */
void gemm_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t lda, const float *b, size_t ldb,
                     float add, float *out, size_t ldo);
void gemm_plain(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *out,
                size_t ldo);

/* Makes OpenBLAS work in the calling thread alone. Call once, before the
 * first product, from any thread. */
void gemm_init(void);

/* ERR_MEMORY if a limit on the address space (ulimit -v) leaves too little for
 * products in `threads` threads at once: OpenBLAS would wait for ever. Call
 * when the model is open and before the threads start. */
MUST_USE Status gemm_check_space(size_t threads, Err *err);

/* What computes the products, for `dragoman info`: "OpenBLAS 0.3.21 ... SkylakeX ...". */
const char *gemm_name(void);

#endif
