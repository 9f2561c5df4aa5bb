/* weights.h - named, typed, shaped views of a model's weight files.
 * A Weights holds one model's tensors, whatever container they came from.
 * Read-only after opening; threads may share one. */
#ifndef DRAGOMAN_WEIGHTS_H
#define DRAGOMAN_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "numbers.h"

typedef enum { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F64, DTYPE_S8, DTYPE_S16, DTYPE_OTHER } DType;

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

typedef struct Weights Weights; /* fields: weights.c */

/* Opens the weights of a packed model (packed.h), or of a model folder: model.safetensors, pytorch_model.bin, or
 * the shards that the index of one of them names; a model.bin of CTranslate2's;
 * else the one *.safetensors,
 * *.pt, *.pth or *.bin file that there is. OK: the caller owns *out and ends it
 * with weights_free(). Otherwise *out is NULL and the message names the file
 * (and the tensor, where one is at fault). */
MUST_USE Status weights_open(Weights **out, const char *model, Err *err);
void weights_free(Weights *weights); /* NULL is allowed */

/* The error of weights_open() for a folder without weights that can be opened, which is quick to see; else OK. */
MUST_USE Status weights_check(const char *model, Err *err);

/* Whether these are Marian's: its *.npz or *.bin, which weights_open() takes, too,
 * or a folder with one. */
bool weights_are_marian(const char *model);

/* Whether they come from a packed model, with matrices in panels. */
bool weights_packed(const Weights *weights);

/* NULL when there is no tensor of that name. */
const Tensor *weights_find(const Weights *weights, const char *name);

size_t weights_count(const Weights *weights);
const Tensor *weights_at(const Weights *weights, size_t index); /* in the order of the files */
const char *weights_path(const Weights *weights);               /* the first file opened */

/* The type that holds the tensor's numbers: S8 for such with a scale a row, F32
 * for other integers and F64. */
NumberType tensor_number_type(const Tensor *tensor);

/* Elements [first, first + count) as they are stored, or as f32: F16 and BF16
 * widened exactly, F64 rounded to the nearest, integers times their scale or unit.
 * The range must lie inside the tensor, and its type must not be DTYPE_OTHER. */
void tensor_copy(const Tensor *tensor, size_t first, size_t count, void *out);
void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out);

/* Tells the system that the tensor's pages are not needed any more, so that
 * copying a model does not hold it twice. */
void weights_release(const Weights *weights, const Tensor *tensor);

#endif
