/* binder.h - from stored tensors to the memory that a Model computes with:
 * a tensor is found by name, its shape is checked before anything is
 * allocated, and its values are copied, none of them NaN or infinite. */
#ifndef DRAGOMAN_BINDER_H
#define DRAGOMAN_BINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "bind.h"
#include "err.h"
#include "matrix.h"
#include "weights.h"

typedef struct {
    Model *model;
    const Weights *weights;
    const char *prefix; /* of the names that follow, "" outside of layers */
    size_t layer;       /* stands for {i} in names */
    Precision precision;
    bool keeps_16bit; /* PRECISION_F32: 16-bit matrices stay as they are stored */
    bool *used;       /* [weights_count()], with a name map: the model has a place for it */
    Err *err;
} Binder;

/* A name put together: prefix, part and suffix. */
typedef struct {
    char text[320];
} BinderName;
BinderName binder_name(const Binder *b, const char *part, const char *suffix);

/* Zeroed memory of the model's arena; NULL after *st is set. */
void *binder_allocate(Binder *b, size_t count, size_t size, Status *st);

/* NULL when there is no tensor of that whole name. What a name map finds may
 * be a part of one. */
const Tensor *binder_find(const Binder *b, const char *part, const char *suffix);

/* ERR_FORMAT, naming the tensor that should be there. */
Status binder_missing(const Binder *b, const char *part, const char *suffix);

/* ERR_FORMAT with the shape found and the one expected; ERR_UNSUPPORTED for a
 * type that is not computed with. */
MUST_USE Status binder_check(const Binder *b, const Tensor *t, size_t rank, const size_t *shape);

/* Finds a tensor and checks it. */
MUST_USE Status binder_expect(const Binder *b, const Tensor **out, const char *part, const char *suffix, size_t rank,
                              const size_t *shape);

/* Counts a tensor in what `dragoman info` tells. */
void binder_note(Binder *b, const Tensor *t);

/* Elements [first, first + count) as f32. */
MUST_USE Status binder_read(const Binder *b, const Tensor *t, size_t first, size_t count, float *out);

/* A vector of `count` values, which are read into out[count]. */
MUST_USE Status binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count);

/* The type in which a matrix holds the numbers of these tensors together. */
NumberType binder_matrix_type(const Binder *b, const Tensor *const *parts, size_t count);

/* A new matrix [n, k] that the model owns. */
MUST_USE Status binder_new_matrix(Binder *b, Matrix **out, size_t n, size_t k, NumberType type);

/* Rows [first, first + rows) of `out`, of a type that binder_matrix_type()
 * gave, from a checked tensor [rows, k]. */
MUST_USE Status binder_read_rows(Binder *b, Matrix *out, size_t first, size_t rows, const Tensor *t);

#endif
