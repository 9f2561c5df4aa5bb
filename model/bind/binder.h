/* binder.h - binds tensors to layers (model_layers.h): finds a tensor by name, checks its shape, allocates
 * memory, and copies the values into the layout of the matmuls. NaN and infinity are rejected. */
#ifndef DRAGOMAN_BINDER_H
#define DRAGOMAN_BINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "matrix.h"
#include "model_folder.h"
#include "model_layers.h"
#include "weights.h"

/* A composed name: prefix, part and suffix. */
typedef struct {
    char text[320];
} BinderName;

/* A matrix [n, k] that consists of `count` <= MATRIX_MAX_PARTS checked tensors [n / count, k],
 * concatenated by rows. */
typedef struct {
    BinderName name; /* name in a packed model; see bind_matrix() */
    size_t n, k;
    const Tensor *parts[MATRIX_MAX_PARTS];
    size_t count;
} StoredMatrix;

/* Lists of the tensors to pack. If they are collected, no model that can compute is built. */
typedef struct {
    LIST_OF(StoredMatrix) matrices; /* in the order of the layers */
    LIST_OF(const Tensor *) others; /* all other stored tensors, each once */
} BinderPlan;

typedef struct {
    Model *model;
    const Weights *weights;
    BinderPlan *plan;   /* if the model is bound to pack it, receives its tensors; else NULL */
    const char *prefix; /* precedes every name; "" outside of layers */
    const char *stack;  /* prefix of the current stack; NULL outside of layers */
    size_t layer;       /* replaces {i} in names */
    size_t linear;      /* replaces {k} in names */
    bool keeps_16bit;   /* PRECISION_F32: 16-bit matrices keep their stored type */
    bool *used;         /* [weights_count()]: whether the model uses the tensor */
    Err *err;
    Status st; /* the first error */
} Binder;

/* Functions that take a Binder do nothing after an error, so the caller checks `st` once, at the end. */

/* Returns zeroed memory from the model's arena; NULL after an error. */
void *binder_allocate(Binder *b, size_t count, size_t size);

/* Returns NULL if there is no tensor of exactly that name, or after an error. With a name map, the result may be part
 * of a stored tensor. */
const Tensor *binder_find(Binder *b, const char *part, const char *suffix);

/* Reports ERR_FORMAT with the name of the missing tensor. Returns NULL. */
const Tensor *binder_missing(Binder *b, const char *part, const char *suffix);

/* binder_find(), or else binder_missing(). */
const Tensor *binder_find_required(Binder *b, const char *part, const char *suffix);

/* Reports ERR_FORMAT if the shape differs, or ERR_UNSUPPORTED for a data type that is not supported. */
void binder_check(Binder *b, const Tensor *t, size_t rank, const size_t *shape);

/* binder_find_required(), then binder_check(). Returns NULL after an error. */
const Tensor *binder_expect(Binder *b, const char *part, const char *suffix, size_t rank, const size_t *shape);

/* Reads elements [first, first + count) as f32. Adds the tensor to the plan, to ModelFacts.table_hash and, if `counts`
 * is set, to the statistics of `dragoman info`. */
void binder_read(Binder *b, const Tensor *t, size_t first, size_t count, float *out, bool counts);

/* Reads a vector of `count` values into out[count]. */
void binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count);

/* Binds the matrix that a packed model calls `packed`: the weights [n, k] of `count` stored linear
 * layers, concatenated by rows. *out stays NULL when a plan collects it. */
void bind_matrix(Binder *b, Matrix **out, const char *packed, size_t n, size_t k, const char *const *names,
                 const char *suffix, size_t count);

/* True when a layer with this key matrix has a separate matrix for the query, because keys and values are requantized
 * (decoder.c): the weights are int8 of Marian without a stored multiplier of activations. */
bool bind_matrix_is_apart(Binder *b, const char *key, const char *suffix);

/* --- For packing. --- */

/* Whether a tensor has int8 weights of Marian, which have one multiplier instead of a scale per row. */
static inline bool bind_is_marian(const Tensor *t)
{
    return t->dtype == DTYPE_S8 && !t->scales;
}

/* The multipliers of a matrix, in the form that a packed model stores (PACKED_MULTIPLIER of packed.h). */
typedef struct {
    float values[2 * MATRIX_MAX_PARTS];
    size_t rank, shape[2], count;
} PackedMultipliers;
MUST_USE Status bind_matrix_pack_multipliers(const Weights *weights, PackedMultipliers *out, const StoredMatrix *stored,
                                             Err *err);

/* Reads elements [first, first + count) of a tensor as `type`: F32, BF16, or its stored type. `out` has room for
 * `count` f32 values. NaN and infinity are rejected before rounding. Rounding to BF16 may make the largest f32 values
 * infinite, but no real weight is that large. */
MUST_USE Status bind_matrix_read(const Tensor *t, size_t first, size_t count, DType type, void *out, Err *err);

/* --- bind.c: the whole model --- */

/* Chooses class_names if the weights have them. Call this before adapter_merge() and bind_model(). */
void bind_choose_names(ModelConfig *config, const Weights *weights);

/* Fills in all fields of a model, whose configuration has been read, except `weights`. If `plan` is not NULL, collects
 * the matrices there instead of creating them. */
MUST_USE Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err);

/* Returns `st`, the result of bind_model(). If that is an error and the folder says that its weights are quantized or
 * belong to an adapter, reports that instead. */
Status bind_fault_explain(Status st, ModelFolder *folder, const Weights *weights, Err *err);

#endif
