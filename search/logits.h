/* logits.h - what generation settings do to a row of logits before a token is
 * chosen: the logits processors of transformers 4.57.1
 * (generation/logits_process.py), in the order in which generate() calls them.
 * Beam search hands in log-probabilities, greedy search raw logits. */
#ifndef DRAGOMAN_LOGITS_H
#define DRAGOMAN_LOGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "search_params.h"

typedef struct {
    const SearchParams *params;
    const Kernels *kernels;
    size_t vocab;
    const int32_t *ids;    /* [width], the ids of a row's columns, ascending; NULL: column i is id i */
    size_t first;          /* the id of column 0 without ids[]: of a part of a row */
    size_t width;          /* of a row, or of the part */
    const int32_t *source; /* [source_len], the encoder's ids */
    size_t source_len;
    size_t prompt_len; /* the start token and the forced prefix */
    size_t max_length; /* of this sentence, in new tokens */
    uint32_t *marks;   /* [vocab], owned; NULL unless a penalty needs it */
    uint32_t mark;     /* the value that means "seen" in the current row */
} LogitsProcessors;

/* The sentence's own fields are left zero: the caller sets them. OK: end
 * *out with logits_processors_free(). */
MUST_USE Status logits_processors_init(LogitsProcessors *out, const SearchParams *params, size_t vocab, Err *err);
void logits_processors_free(LogitsProcessors *processors); /* {0} is allowed */

/* True when logits_process() looks at the history's tokens, not only at its
 * length. */
bool logits_need_history(const LogitsProcessors *processors);

/* True when logits_process() gives a token of a decoder's input of `len` tokens
 * another score than minus infinity: then it needs log-probabilities in beam
 * search. Else logits will do. */
bool logits_change_scores(const LogitsProcessors *processors, size_t len);

/* Changes row[width], that of the beam `beam`, in place. history[0..len) is the decoder's input, start
 * token first; it may be NULL when logits_need_history() is false. */
void logits_process(LogitsProcessors *processors, size_t beam, const int32_t *history, size_t len, float *row);

#endif
