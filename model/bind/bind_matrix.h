/* bind_matrix.h - the matrices of a model: put together from stored tensors,
 * borrowed from a packed model, or written down for one that is packed. */
#ifndef DRAGOMAN_BIND_MATRIX_H
#define DRAGOMAN_BIND_MATRIX_H

#include <stddef.h>

#include "binder.h"

/* *out stays NULL for a model that is packed. */
MUST_USE Status bind_matrix(Binder *b, Matrix **out, const StoredMatrix *stored);

/* The same of a packed model, which knows no parts. */
MUST_USE Status bind_packed_matrix(Binder *b, Matrix **out, const StoredMatrix *stored);

/* Whether keys and values of this weight stand apart from the query: with a shared
 * x_multiplier (matrix.h) they are computed anew (requantized_keys.h). */
bool bind_matrix_is_apart(const Binder *b, const char *key);

/* Whether a matrix of `type` takes the tensor's numbers as they are, and with which
 * scale a row of them. */
bool bind_matrix_is_s8(const Tensor *t, DType type);
float bind_matrix_scale(const Tensor *t, size_t row);

/* Whether the parts are Marian's 8-bit numbers, and for each of them what rows that meet it are
 * multiplied with before they are rounded, 0 where all rows of a sentence share
 * what their largest number gives: so it must be for all parts, or for none. */
bool bind_matrix_is_marian(const StoredMatrix *stored);
MUST_USE Status bind_matrix_multipliers(const Binder *b, float out[MATRIX_MAX_PARTS], const StoredMatrix *stored);
/* All multipliers as a packed model has them (PACKED_MULTIPLIER of packed.h). */
typedef struct {
    float numbers[2 * MATRIX_MAX_PARTS];
    size_t rank, shape[2], count;
} PackedMultipliers;
MUST_USE Status bind_matrix_pack_multipliers(const Binder *b, PackedMultipliers *out, const StoredMatrix *stored);

/* Numbers [first, first + count) of a tensor in `type`: F32, BF16, or the one it
 * is stored in. `out` has room for F32. None is NaN or infinite before it is
 * rounded; the largest values become infinity in BF16, which no weight comes
 * near. */
MUST_USE Status bind_matrix_numbers(const Binder *b, const Tensor *t, size_t first, size_t count, DType type,
                                    void *out);

#endif
