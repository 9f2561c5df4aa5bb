/* binder.h - turns stored tensors into the memory of a Model: it finds a tensor by name, checks its
 * shape before it allocates, and copies the values, of which none may be NaN or infinite. Matrices
 * are in bind_matrix.h. */
#ifndef DRAGOMAN_BINDER_H
#define DRAGOMAN_BINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "matrix.h"
#include "model_layers.h"
#include "weights.h"

/* A composed name: prefix, part and suffix. */
typedef struct {
    char text[320];
} BinderName;

/* A matrix [n, k] that consists of `count` <= MATRIX_MAX_PARTS checked tensors [n / count, k],
 * concatenated by rows. */
typedef struct {
    BinderName name; /* name in a packed model; see binder_matrix_name() */
    size_t n, k;
    const Tensor *parts[MATRIX_MAX_PARTS];
    size_t count;
} StoredMatrix;

/* The tensors to pack, collected instead of building a model that computes. */
typedef struct {
    StoredMatrix *matrices; /* in the order of the layers */
    size_t matrix_count, matrix_cap;
    const Tensor **others; /* all other stored tensors, each once */
    size_t other_count, other_cap;
} BinderPlan;

typedef struct {
    Model *model;
    const Weights *weights;
    BinderPlan *plan;   /* NULL unless the model is to be packed */
    const char *prefix; /* prefix of the following names; "" outside of layers */
    const char *stack;  /* prefix of the current stack; NULL outside of layers */
    size_t layer;       /* replaces {i} in names */
    size_t linear;      /* replaces {k} in names */
    bool keeps_16bit;   /* PRECISION_F32: 16-bit matrices keep their stored type */
    bool *used;         /* [weights_count()]: the model uses the tensor */
    Err *err;
} Binder;

BinderName binder_name(const Binder *b, const char *part, const char *suffix);

/* The name of a matrix in a packed model: "matrices/encoder.layers.0.self.qkv" in layers,
 * "matrices/encoder.table" outside. */
BinderName binder_matrix_name(const Binder *b, const char *name);

/* Zeroed memory from the model's arena; NULL after *st is set. */
void *binder_allocate(Binder *b, size_t count, size_t size, Status *st);

/* Returns NULL if there is no tensor of exactly that name. With a name map, the result may be part of
 * a stored tensor. */
const Tensor *binder_find(const Binder *b, const char *part, const char *suffix);

/* Whether two tensors have the same type, shape and numbers. */
bool binder_same_numbers(const Tensor *a, const Tensor *b);

/* Returns ERR_FORMAT with the name of the missing tensor. */
Status binder_missing(const Binder *b, const char *part, const char *suffix);

/* Returns ERR_FORMAT with the actual and the expected shape, or ERR_UNSUPPORTED for a type without
 * arithmetic. */
MUST_USE Status binder_check(const Binder *b, const Tensor *t, size_t rank, const size_t *shape);

/* Finds a tensor and checks it. */
MUST_USE Status binder_expect(const Binder *b, const Tensor **out, const char *part, const char *suffix, size_t rank,
                              const size_t *shape);

/* Includes a tensor in the statistics of `dragoman info`. */
void binder_note(Binder *b, const Tensor *t);

/* Includes a tensor that a layer uses in model_table_hash(). The names are those of a packed model. */
void binder_hash(const Binder *b, const char *name, size_t rank, const size_t *shape);

/* Reads elements [first, first + count) as f32, and records the tensor in a plan and in model_table_hash(). */
MUST_USE Status binder_read(const Binder *b, const Tensor *t, size_t first, size_t count, float *out);

/* The same without recording the tensor. */
MUST_USE Status binder_read_f32(const Binder *b, const Tensor *t, size_t first, size_t count, float *out);

/* Reads a vector of `count` values into out[count]. */
MUST_USE Status binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count);

#endif
