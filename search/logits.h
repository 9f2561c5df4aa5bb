/* logits.h - applies the generation settings to a row of logits before a token is chosen.
 * These are the logits processors of transformers 4.57.1 (generation/logits_process.py), in the
 * order in which generate() calls them. Beam search passes log-probabilities, greedy search
 * raw logits. */
#ifndef DRAGOMAN_LOGITS_H
#define DRAGOMAN_LOGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "kernels.h"
#include "search_params.h"
#include "text_rules.h"

typedef struct {
    const SearchParams *params;
    const Kernels *kernels;
    size_t vocab;
    const int32_t *ids;    /* [width], ascending ids of the row's columns; NULL: column i is id first + i */
    size_t first;          /* if ids is NULL: the id of column 0, which is not 0 in a later part of a row */
    size_t width;          /* number of columns of the row, or of the part of it */
    const int32_t *source; /* [source_len], input ids of the encoder */
    size_t source_len;
    size_t prompt_len;    /* length of the start token and the forced prefix */
    size_t max_length;    /* limit of this sentence, in new tokens */
    size_t forgotten;     /* number of tokens after the start token that the settings ignore */
    const int32_t *taken; /* [taken_count], tokens that earlier groups of diverse beam search chose in this step */
    size_t taken_count;
    Utf8State utf8_state;      /* after the row's tokens; must be set before logits_process() if params->utf8 is set */
    unsigned utf8_completable; /* utf8_rules_completable() of the tokens that have a column */
    size_t *utf8_columns; /* [utf8_column_count], columns of byte pieces that cannot begin a character, counted from the
                             beginning of a whole row; NULL if params->utf8 is not set */
    size_t utf8_column_count;
    uint32_t *marks; /* [vocab], equal to `mark` for tokens that the current penalty has met; NULL: no penalty */
    uint32_t mark;   /* a new value for each penalty of each row */
} LogitsProcessors;

/* Sets the fields about a sentence to 0; the caller fills them in later. Takes the memory from the arena. */
MUST_USE Status logits_processors_init(LogitsProcessors *out, const SearchParams *params, size_t vocab, Arena *arena,
                                       Err *err);

/* Chooses the ids of the columns: ids[0..count), ascending; NULL: the whole vocabulary. */
void logits_choose_from(LogitsProcessors *processors, const int32_t *ids, size_t count);

/* Returns the column of a token, or `width` if the row or the part has none. */
size_t logits_column(const LogitsProcessors *processors, int32_t id);

/* True when logits_process() reads the tokens of the history, not only its length. */
bool logits_need_history(const LogitsProcessors *processors);

/* True when, for a decoder input of `len` tokens, logits_process() may change a score to a value other than
 * minus infinity. Beam search must then pass log-probabilities; otherwise logits suffice. */
bool logits_change_scores(const LogitsProcessors *processors, size_t len);

/* Changes row[width] of beam `beam` in place. history[0..len) is the decoder's input, start token first;
 * it may be NULL when logits_need_history() is false. */
void logits_process(LogitsProcessors *processors, size_t beam, const int32_t *history, size_t len, float *row);

#endif
