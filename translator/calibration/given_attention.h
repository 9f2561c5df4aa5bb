/* given_attention.h - the cross-attention of every head of a model when it writes given translations. */
#ifndef DRAGOMAN_GIVEN_ATTENTION_H
#define DRAGOMAN_GIVEN_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "loaded_model.h"

typedef struct GivenAttention GivenAttention; /* fields: given_attention.c */

/* Opens a session of the model, which must outlive it. */
MUST_USE Status given_attention_new(GivenAttention **out, const LoadedModel *loaded, Err *err);
void given_attention_free(GivenAttention *given); /* NULL is allowed */

/* Whether the model has room for a pair of these lengths. */
bool given_attention_fits(const GivenAttention *given, size_t source_len, size_t target_len);

/* Sets *out to the attention [layers * heads, target->len + 1, source->len] when the model reads `source` and writes
 * `target`, which has no special tokens. Row t of a head is that of the step that chooses token t, and the last row
 * that of the end token. The attention belongs to `given` and is valid until the next call. */
MUST_USE Status given_attention_read(GivenAttention *given, const IdList *source, const IdList *target,
                                     const float **out, Err *err);

#endif
