/* tensor.h - a view of a named tensor in a weight file. */
#ifndef DRAGOMAN_TENSOR_H
#define DRAGOMAN_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "kernels.h"

#define TENSOR_MAX_RANK 8

/* A view of stored elements in row-major order, little-endian. `data` may be unaligned: read it with tensor_copy() or
 * tensor_read_f32() only. Types that dragoman does not compute with (I64, U8, ...) are DTYPE_OTHER. Elements of
 * DTYPE_S8 and DTYPE_S16 are multiplied by their row's scale, or by `unit` if `scales` is NULL. */
typedef struct {
    const char *name; /* owned by the Weights, like `file` */
    const char *file; /* path of its file, for messages */
    DType dtype;
    const char *dtype_name; /* as the file spells it; a constant */
    size_t rank;
    size_t shape[TENSOR_MAX_RANK];
    size_t count; /* number of elements */
    size_t bytes;
    const unsigned char *data;
    bool transposed; /* a matrix that is stored in column-major order */
    float unit;
    float multiplier;    /* Marian's multiplier, 1 / unit */
    const float *scales; /* [scale_count], DTYPE_S8 and DTYPE_S16: one per row of the matrix, or one for all */
    size_t scale_count;
    const Kernels *kernels;          /* stored here because kernels_get() takes longer than reading a row */
    const struct TensorMerge *merge; /* NULL: the values are those that are stored */
} Tensor;

/* The values of a merged tensor, which are computed when they are read: those of another tensor, rounded to the type of
 * the merged tensor, plus scale * (left @ right), with the sum rounded. This is how PEFT merges an adapter. The other
 * tensor may be merged itself. A vector has k = 1. */
typedef struct TensorMerge {
    Tensor stored;      /* F32, F16 or BF16 */
    const float *left;  /* [n, rank] */
    const float *right; /* [rank, k] */
    size_t rank, k;     /* rank 0: nothing is added */
    float scale;
    bool rounds_product; /* before it is added, as PEFT does for embeddings */
} TensorMerge;

/* Returns the type for the tensor's values in memory: S8 for int8 with one scale per row, F32 for
 * other integers and F64. */
DType tensor_compute_dtype(const Tensor *tensor);

/* Copies elements [first, first + count), either as stored or as f32: F16 and BF16 are converted
 * exactly, F64 is rounded to nearest, integers are multiplied by their scale or unit. The range must
 * be inside the tensor, whose type must not be DTYPE_OTHER. */
void tensor_copy(const Tensor *tensor, size_t first, size_t count, void *out);
void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out);

#endif
