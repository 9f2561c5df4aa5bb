/* output_choice.h - the target ids that one sentence may choose from, and the
 * rows of the output layer that score them: gathered once a sentence, so that
 * each step's product is as small as the choice. A wide choice is picked from
 * the logits of all ids instead. Every logit has the same bits either way. */
#ifndef DRAGOMAN_OUTPUT_CHOICE_H
#define DRAGOMAN_OUTPUT_CHOICE_H

#include "buf.h"
#include "layers.h"

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

/* out[rows, width] = the logits of x[rows, d], width as below; out has room for
 * [rows, vocabulary]. NULL: of all ids. */
void output_choice_multiply(const OutputChoice *choice, const Layers *layers, size_t rows, const float *x, float *out);
size_t output_choice_width(const OutputChoice *choice, const Model *model);

#endif
