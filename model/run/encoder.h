/* encoder.h - runs the encoder over several sentences at once.
 * The rows of all sentences are concatenated without padding. A matmul takes all rows at once; attention is computed
 * sentence by sentence. */
#ifndef DRAGOMAN_ENCODER_H
#define DRAGOMAN_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "model_layers.h"
#include "team.h"

/* Number of source tokens to encode together: enough for efficient matmuls, few enough for the scratch memory to stay
 * in the cache. A longer sentence is encoded alone. */
#define ENCODER_TOKENS 128

/* Returns how many rows scratch memory is taken for, at least `rows`. It grows in steps, because memory that was freed
 * when it grew often stays unused. */
static inline size_t encoder_room(size_t rows)
{
    return (rows + 63) / 64 * 64;
}

typedef struct Encoder Encoder; /* scratch memory; fields: encoder.c */

MUST_USE Status encoder_new(Encoder **out, const Model *model, const Kernels *kernels, Err *err);
void encoder_free(Encoder *encoder); /* NULL is allowed */

/* Encodes `count` sentences, where sentence s is ids[s][0 .. lengths[s]). *out is [sum of lengths, d]; the
 * encoder owns it, and it is valid until the next call. The team shares the work; if it is NULL, the calling
 * thread works alone. `traced` receives the attention [layers, heads, S, S] of a single sentence of S ids; NULL:
 * nothing is copied. */
MUST_USE Status encoder_run(Encoder *encoder, Team *team, const int32_t *const *ids, const size_t *lengths,
                            size_t count, float *traced, const float **out, Err *err);

#endif
