/* bind_matrix.h - the matrices of a model: built from stored tensors, borrowed from a packed model, or
 * collected in a plan for packing. */
#ifndef DRAGOMAN_BIND_MATRIX_H
#define DRAGOMAN_BIND_MATRIX_H

#include <stddef.h>

#include "binder.h"

/* Binds a matrix. *out stays NULL when a plan collects it. */
MUST_USE Status bind_matrix(Binder *b, Matrix **out, const StoredMatrix *stored);

/* The same for a packed model, whose matrices are stored whole. */
MUST_USE Status bind_packed_matrix(Binder *b, Matrix **out, const StoredMatrix *stored);

/* True when a layer computes keys and values of this weight separately from the query. With a shared
 * x_multiplier (matrix.h) they are requantized (requantized_keys.h). */
bool bind_matrix_is_apart(const Binder *b, const char *key);

/* True when a matrix of `type` takes the tensor's int8 values unchanged; and the scale of a row. */
bool bind_matrix_is_s8(const Tensor *t, DType type);
float bind_matrix_scale(const Tensor *t, size_t row);

/* True when the parts are Marian's int8 weights; and, for each part, the factor of activations before they are
 * rounded. It is 0 if it depends on the largest activation of all rows of a sentence; then it must be 0 for all
 * parts. */
bool bind_matrix_is_marian(const StoredMatrix *stored);
MUST_USE Status bind_matrix_multipliers(const Binder *b, float out[MATRIX_MAX_PARTS], const StoredMatrix *stored);
/* All multipliers, in the form that a packed model stores (PACKED_MULTIPLIER of packed.h). */
typedef struct {
    float values[2 * MATRIX_MAX_PARTS];
    size_t rank, shape[2], count;
} PackedMultipliers;
MUST_USE Status bind_matrix_pack_multipliers(const Binder *b, PackedMultipliers *out, const StoredMatrix *stored);

/* Reads elements [first, first + count) of a tensor as `type`: F32, BF16, or its stored type. `out` has room for
 * F32. NaN and infinity are rejected before rounding. Rounding to BF16 may make the largest f32 values infinite,
 * but no real weight is that large. */
MUST_USE Status bind_matrix_read(const Binder *b, const Tensor *t, size_t first, size_t count, DType type, void *out);

#endif
