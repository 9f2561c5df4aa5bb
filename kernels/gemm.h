/* gemm.h - f32 matmul with OpenBLAS, in the calling thread only, for CPUs for which dragoman has no matmul kernels
 * (panels.h). OpenBLAS is loaded only on these CPUs, because loading it takes longer than loading all other libraries
 * together. */
#ifndef DRAGOMAN_GEMM_H
#define DRAGOMAN_GEMM_H

#include <stddef.h>

#include "err.h"

/* out[rows, n] = x[rows, k] * values[n, k]^T + bias[n]. Rows of out are `ldo` floats apart. bias may be NULL. */
void gemm_multiply(size_t n, size_t k, const float *values, size_t rows, const float *x, const float *bias, float *out,
                   size_t ldo);

/* Matmuls of activations, for attention over a whole sentence:
 *     gemm_transposed()   out[m, n] = scale * a[m, k] * b[n, k]^T + add * out[m, n], where add is 0 or 1
 *     gemm_plain()        out[m, n] = a[m, k] * b[k, n]
 * `lda`, `ldb` and `ldo` are the distances between rows. */
void gemm_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t lda, const float *b, size_t ldb,
                     float add, float *out, size_t ldo);
void gemm_plain(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *out,
                size_t ldo);

/* Loads OpenBLAS and ends its threads: after that, it computes only in the calling thread. Call it before the first
 * matmul, from any thread. Further calls do nothing. ERR_UNSUPPORTED: the library cannot be loaded. */
MUST_USE Status gemm_open(Err *err);

/* Returns ERR_MEMORY if a limit on the address space (ulimit -v) leaves too little room for matmuls in
 * `threads` threads at once; OpenBLAS would otherwise retry forever. Call it when the model is open
 * and before the threads start. */
MUST_USE Status gemm_check_space(size_t threads, Err *err);

/* Returns the name of the library, such as "OpenBLAS 0.3.21 ... SkylakeX ...". Requires gemm_open(). */
const char *gemm_name(void);

#endif
