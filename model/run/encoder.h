/* encoder.h - runs the encoder over several sentences at once.
 * The rows of all sentences are concatenated without padding. They share the matmuls; attention
 * runs sentence by sentence. */
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
#define ENCODER_TOKENS 256

typedef struct Encoder Encoder; /* scratch memory; fields: encoder.c */

MUST_USE Status encoder_new(Encoder **out, const Model *model, const Kernels *kernels, Err *err);
void encoder_free(Encoder *encoder); /* NULL is allowed */

/* Shares the work of all later calls among the team. If it is NULL, the calling thread works alone. */
void encoder_use_team(Encoder *encoder, Team *team);

/* Copies the attention of the next encoder_run(), of a single sentence of S ids, to attention[layers, heads, S, S].
 * NULL, the default, copies nothing. */
void encoder_trace(Encoder *encoder, float *attention);

/* Encodes `count` sentences, where sentence s is ids[s][0 .. lengths[s]). *out is [sum of lengths, d]; the
 * encoder owns it, and it is valid until the next call. */
MUST_USE Status encoder_run(Encoder *encoder, const int32_t *const *ids, const size_t *lengths, size_t count,
                            const float **out, Err *err);

#endif
