/* binder.h - from stored tensors to the memory that a Model computes with:
 * a tensor is found by name, its shape is checked before anything is
 * allocated, and its values are copied, none of them NaN or infinite. Matrices
 * are in bind_matrix.h. */
#ifndef DRAGOMAN_BINDER_H
#define DRAGOMAN_BINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "matrix.h"
#include "model_layers.h"
#include "weights.h"

/* A name put together: prefix, part and suffix. */
typedef struct {
    char text[320];
} BinderName;

/* A matrix [n, k] from `count` <= MATRIX_MAX_PARTS checked tensors
 * [n / count, k], one below the other. */
typedef struct {
    BinderName name; /* in a packed model, see binder_matrix_name() */
    size_t n, k;
    const Tensor *parts[MATRIX_MAX_PARTS];
    size_t count;
} StoredMatrix;

/* What is packed: gathered instead of a model that computes. */
typedef struct {
    StoredMatrix *matrices; /* in the order of the layers */
    size_t matrix_count, matrix_cap;
    const Tensor **others; /* stored tensors that are no matrices, each once */
    size_t other_count, other_cap;
} BinderPlan;

typedef struct {
    Model *model;
    const Weights *weights;
    BinderPlan *plan;   /* the model is to be packed, not to compute; else NULL */
    const char *prefix; /* of the names that follow, "" outside of layers */
    const char *stack;  /* that of the layers at hand; NULL outside of layers */
    size_t layer;       /* stands for {i} in names */
    size_t product;     /* and this for {k} */
    bool keeps_16bit;   /* PRECISION_F32: 16-bit matrices stay as they are stored */
    bool *used;         /* [weights_count()]: the model has a place for it */
    Err *err;
} Binder;

BinderName binder_name(const Binder *b, const char *part, const char *suffix);

/* The name of a matrix in a packed model: "matrices/encoder.layers.0.self.qkv" in
 * layers, "matrices/encoder.table" outside. */
BinderName binder_matrix_name(const Binder *b, const char *name);

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

/* Elements [first, first + count) as f32; a plan gets the tensor. */
MUST_USE Status binder_read(const Binder *b, const Tensor *t, size_t first, size_t count, float *out);

/* The same, without a note in the plan. */
MUST_USE Status binder_read_f32(const Binder *b, const Tensor *t, size_t first, size_t count, float *out);

/* A vector of `count` values, which are read into out[count]. */
MUST_USE Status binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count);

#endif
