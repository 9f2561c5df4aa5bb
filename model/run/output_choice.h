/* output_choice.h - the target ids that one sentence may choose from, and the rows of the output
 * layer that score them. The rows are gathered once per sentence, so that each step's matmul is as
 * small as the choice. A wide choice instead selects from the logits of all ids. Every logit has the
 * same bits either way. */
#ifndef DRAGOMAN_OUTPUT_CHOICE_H
#define DRAGOMAN_OUTPUT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "layers.h"
#include "logits_sink.h"

/* {0} at first; reused from sentence to sentence. */
typedef struct {
    IdList ids;     /* ascending */
    bool wide;      /* nothing is gathered */
    Matrix *weight; /* [ids.len, d] */
    float *bias;    /* [bias_room >= ids.len]; NULL: none */
    size_t bias_room;
} OutputChoice;

/* Gathers the rows of choice->ids, all of which must be ids of the model. `rows` are those of the output layer and
 * must outlive the choice. */
MUST_USE Status output_choice_gather(OutputChoice *choice, const Model *model, MatrixRows *rows, Err *err);
void output_choice_free(OutputChoice *choice);

/* Memory for the logits of one matmul, for sentences of at most `beams` rows. */
typedef struct {
    size_t whole_rows; /* number of whole rows that it holds, at least `beams` */
    size_t room;       /* number of floats */
} LogitsRoom;

/* For steps of at most max_rows rows, a multiple of `beams`. */
LogitsRoom logits_room(const Model *model, size_t max_rows, size_t beams);

/* Returns how many rows of the choice may be computed together: at least those of one sentence. */
size_t output_choice_rows(const OutputChoice *choice, const Model *model, const LogitsRoom *room, bool whole_rows);

/* Passes the logits of x[rows, d] for the ids of the choice to the sink. NULL selects the whole vocabulary; only then
 * the logits may come in blocks, which stay in the cache. The block gives the rows (its columns are ignored), at most
 * output_choice_rows(), and their memory, logits[LogitsRoom.room]. rows > 0. */
void output_choice_logits(const OutputChoice *choice, const Layers *layers, const float *x, LogitsBlock block,
                          const LogitsSink *sink);

#endif
