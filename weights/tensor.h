/* tensor.h - a named, typed, shaped view of values in a weight file. */
#ifndef DRAGOMAN_TENSOR_H
#define DRAGOMAN_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "dtype.h"

#define TENSOR_MAX_RANK 8

/* A view of stored numbers in row-major order, little-endian. `data` may be
 * unaligned: read it through tensor_read_f32() only. A tensor of a type that
 * dragoman does not compute with (I64, U8, ...) is DTYPE_OTHER. Numbers of 8 or
 * 16 bits (DTYPE_S8, DTYPE_S16) are to be multiplied with their row's scale, or,
 * where there are no scales, with `unit`. */
typedef struct {
    const char *name; /* owned by the Weights, as is `file` */
    const char *file; /* path of the file it lies in, for messages */
    DType dtype;
    char dtype_name[16]; /* as the file spells it */
    size_t rank;
    size_t shape[TENSOR_MAX_RANK];
    size_t count; /* product of the shape */
    size_t bytes;
    const unsigned char *data;
    bool transposed; /* a matrix that is stored column after column */
    float unit;
    float multiplier;    /* Marian's, of which unit is the inverse */
    const float *scales; /* [scale_count], of DTYPE_S8 and DTYPE_S16: one a row of the matrix, or one for all */
    size_t scale_count;
    const Kernels *kernels; /* asking the processor for them at every row would take longer than reading it */
} Tensor;

/* The type that holds the tensor's numbers: S8 for such with a scale a row, F32
 * for other integers and F64. */
DType tensor_compute_dtype(const Tensor *tensor);

/* Elements [first, first + count) as they are stored, or as f32: F16 and BF16
 * widened exactly, F64 rounded to the nearest, integers times their scale or unit.
 * The range must lie inside the tensor, and its type must not be DTYPE_OTHER. */
void tensor_copy(const Tensor *tensor, size_t first, size_t count, void *out);
void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out);

#endif
