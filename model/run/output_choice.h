/* output_choice.h - the target ids that one sentence may choose from, and the
 * rows of the output layer that score them: gathered once a sentence, so that
 * each step's product is as small as the choice. A wide choice is picked from
 * the logits of all ids instead. Every logit has the same bits either way. */
#ifndef DRAGOMAN_OUTPUT_CHOICE_H
#define DRAGOMAN_OUTPUT_CHOICE_H

#include "buf.h"
#include "layers.h"
#include "logits_sink.h"

/* {0} to begin with; used for one sentence after the other. */
typedef struct {
    IdList ids;     /* ascending */
    bool wide;      /* nothing is gathered */
    Matrix *weight; /* [ids.len, d] */
    float *bias;    /* [bias_room >= ids.len]; NULL: none */
    size_t bias_room;
} OutputChoice;

/* Gets ready for the ids that are in choice->ids, all of the model's. */
MUST_USE Status output_choice_gather(OutputChoice *choice, const Model *model, Err *err);
void output_choice_free(OutputChoice *choice);

/* Gives the sink the logits of x[rows, d] for the ids of the choice; NULL: for the whole vocabulary. Only then they may
 * come in blocks that stay in the cache. The rows are those of `block`, whose columns are ignored; its
 * logits[rows, output_choice_room()] are memory for them. rows > 0. */
void output_choice_logits(const OutputChoice *choice, const Layers *layers, const float *x, LogitsBlock block,
                          const LogitsSink *sink);
size_t output_choice_room(const Model *model); /* at least the vocabulary */

#endif
