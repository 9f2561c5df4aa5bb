/* decoder.h - one decoder step for rows of many sentences. */
#ifndef DRAGOMAN_DECODER_H
#define DRAGOMAN_DECODER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder_row.h"
#include "err.h"
#include "kernels.h"
#include "kv_cache.h"
#include "logits_sink.h"
#include "model_layers.h"
#include "team.h"

typedef struct Decoder Decoder; /* scratch memory; fields: decoder_parts.h */

/* For steps of at most `max_rows` rows and `max_length` positions. */
MUST_USE Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t max_rows,
                            size_t max_length, Err *err);
void decoder_free(Decoder *decoder); /* NULL is allowed */

/* From now on the team shares the work; NULL: the calling thread does it. */
MUST_USE Status decoder_use_team(Decoder *decoder, Team *team, Err *err);

/* Computes the keys and values of the cross-attention of `count` sentences
 * from encoded[sum of their lengths, d] into their caches. */
MUST_USE Status decoder_read_source(Decoder *decoder, const float *encoded, KvCache *const *caches, size_t count,
                                    Err *err);

/* One step. Every cache has been advanced to the row's position. */
void decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count);

/* Whether what the output layer sees of the step's row `wanting` is finite numbers; rows that want
 * no logits do not count. */
bool decoder_row_is_finite(const Decoder *decoder, size_t wanting);

/* Gives the sink the logits of the step's rows that want them, which alone count. The columns of a row are the ids of
 * its choice. Rows of a sentence come together. May be called again. */
void decoder_logits(Decoder *decoder, const DecoderRow *rows, size_t count, const LogitsSink *sink);

#endif
