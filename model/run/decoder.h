/* decoder.h - one decoder step for rows of many sentences. A sentence has a row for each beam, or, if its tokens are
 * known, rows for several positions of one beam. */
#ifndef DRAGOMAN_DECODER_H
#define DRAGOMAN_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention_choice.h"
#include "buf.h"
#include "err.h"
#include "kernels.h"
#include "kv_cache.h"
#include "layers.h"
#include "model_layers.h"
#include "team.h"

/* The target ids that the translation of one sentence may contain, and the rows of the output layer that score them.
 * The rows are gathered once per sentence, so that each step's matmul computes only their logits. If there are many ids
 * (`wide`), each step computes all logits and then selects from them. Every logit has the same bits either way. Starts
 * as {0}; reused from sentence to sentence. */
typedef struct {
    const IdList *ids; /* ascending */
    bool wide;         /* no rows are gathered */
    Matrix *weight;    /* [ids->len, d] */
    float *bias;       /* [bias_room >= ids->len]; NULL: none */
    size_t bias_room;
} OutputChoice;

/* Gathers the rows of the ids, all of which must be ids of the model. `rows` are the rows of the output layer. The ids
 * and the rows must outlive the choice. */
MUST_USE Status output_choice_gather(OutputChoice *choice, const IdList *ids, const Model *model, MatrixRows *rows,
                                     Err *err);
void output_choice_free(OutputChoice *choice);

/* Memory for the logits of one matmul, or of the gathered products of several sentences; a sentence has at most `beams`
 * rows. */
typedef struct {
    size_t whole_rows; /* number of whole rows that it holds, at least `beams` */
    size_t room;       /* number of floats */
} LogitsRoom;

/* Returns how much memory steps of at most max_rows rows need. max_rows is a multiple of `beams`. */
LogitsRoom logits_room(const Model *model, size_t max_rows, size_t beams);

/* One hypothesis at one position: its last token and the caches that it reads. In place of a causal mask, it reads only
 * the cache's positions up to its own. */
typedef struct {
    KvCache *cache;
    size_t beam; /* index among the sentence's beams */
    size_t position;
    int32_t token;
    bool is_source; /* the position and the token are of a prompt (decoder_read_prompts()) */
    bool wants_logits;
    const OutputChoice *choice; /* of the row's sentence; NULL: the whole vocabulary */
    float *attention;           /* [planes, source ids], see attention_choice.h; NULL: nothing is recorded */
    float *past; /* receives the weights of the previous positions, see TraceStep.past; NULL: not traced */
} DecoderRow;

typedef struct Decoder Decoder; /* scratch memory; fields: decoder.c */

/* True for a model whose self-attention may compute the keys of earlier positions again. The caches of such a model
 * also keep the inputs of the keys. */
bool decoder_requantizes_keys(const Model *model);

/* Makes a decoder for steps of at most `sentences` sentences with `beams` rows each, and for `max_length` positions. */
MUST_USE Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t sentences, size_t beams,
                            size_t max_length, Err *err);
void decoder_free(Decoder *decoder); /* NULL is allowed */

/* Shares the work of all later calls among the team. If it is NULL, the calling thread works alone. */
MUST_USE Status decoder_use_team(Decoder *decoder, Team *team, Err *err);

/* Adds the probabilities of the chosen heads to DecoderRow.attention of all later rows. The choice must outlive the
 * decoder. */
void decoder_record_attention(Decoder *decoder, const AttentionChoice *choice);

/* With decoder_only: computes the keys and values of `count` prompts from position firsts[s] on, and stores them in the
 * sentences' caches, which kv_cache_start() has prepared for all ids but the last of each prompt ids[s]. */
MUST_USE Status decoder_read_prompts(Decoder *decoder, const int32_t *const *ids, const size_t *firsts,
                                     KvCache *const *caches, size_t count, Err *err);

/* Computes the cross-attention keys and values of `count` sentences from encoded[sum of their lengths, d],
 * and stores them in the sentences' caches. */
MUST_USE Status decoder_read_source(Decoder *decoder, const float *encoded, KvCache *const *caches, size_t count,
                                    Err *err);

/* True if a step may compute several positions of a beam, with the same bits as one step per position. It may not if
 * the rounding of a row depends on the other rows of its sentence. */
bool decoder_takes_positions(const Model *model);

/* Runs one step. The caller has advanced every cache to the row's position. If decoder_takes_positions(), a beam may
 * have rows at several positions, in ascending order from the first position that is not computed yet. */
void decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count);

/* True when the input of the output layer is finite for a row: number `wanting` of those that want logits. */
bool decoder_row_is_finite(const Decoder *decoder, size_t wanting);

/* Passes the logits of the rows that want logits to the sink; the row numbers of a block count only these rows. The
 * columns of a row are the ids of its choice. The rows of a sentence must be adjacent. A block has all rows of a
 * sentence unless the sentence has more rows than beams. May be called again for the same step. */
void decoder_logits(Decoder *decoder, const DecoderRow *rows, size_t count, const LogitsSink *sink);

#endif
