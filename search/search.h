/* search.h - greedy and beam search for one sentence, as Hugging Face
 * generate() does it (transformers 4.57.1, generation/utils.py and
 * generation/logits_process.py), or by the rules of another program
 * (search_rules.h).
 *
 * A Search is driven from outside: it says which rows the decoder has to
 * compute, takes their logits, and picks the next rows. It knows no model.
 *
 *     search_start(s, ...);
 *     while (!search_done(s)) {
 *         // row r continues row search_parent(s, r) of the step before
 *         // with the token search_token(s, r)
 *         while (search_wants_logits(s))
 *             ... search_take_logits(s, block), for all columns of its rows ...
 *         search_advance(s);
 *     }
 *
 * One object serves many sentences one after the other, without allocating. */
#ifndef DRAGOMAN_SEARCH_H
#define DRAGOMAN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "logits_sink.h"
#include "search_params.h"

typedef struct {
    const int32_t *ids; /* without the start token, with the forced prefix and the end token */
    size_t len;
    float score; /* (sum - word_penalty * length) / length^length_penalty; finite */
    float sum;   /* of log-probabilities */
} Hypothesis;

typedef struct Search Search; /* fields: search.c */

/* Everything for sentences of at most params->max_length target tokens.
 * `params` must outlive the search. */
MUST_USE Status search_new(Search **out, const SearchParams *params, size_t vocab, Err *err);
void search_free(Search *search); /* NULL is allowed */

/* From the next sentence on, only the tokens ids[0..count) are chosen from,
 * ascending, at least one; the rows of logits have their columns alone. They
 * must stay valid. NULL, as in the beginning: the whole vocabulary. */
void search_choose_from(Search *search, const int32_t *ids, size_t count);

/* From now on rows of logits are scores already, such as weighted sums of
 * log-probabilities: they are not normalized. */
void search_expect_scores(Search *search);

/* Begins a sentence. source[0..source_len) are the encoder's ids (used by the
 * encoder_* processors; copied or valid until done). prefix[0..prefix_len) is
 * the forced beginning, prefix_len < max_length. `max_length` (new tokens, at
 * most params->max_length) is this sentence's own limit. */
void search_start(Search *search, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                  size_t max_length);

/* The rows of the coming decoder step: at most params->beams, one alone at
 * the first step and inside the prefix. */
size_t search_rows(const Search *search);
int32_t search_token(const Search *search, size_t row);
size_t search_parent(const Search *search, size_t row); /* of the step before; 0 at the first step */

/* True as long as the coming step's logits have to be computed: before they have been taken, unless the
 * forced prefix still has tokens to feed. It is true once more after all blocks of a step in the rare
 * case that the search needs whole rows after all. */
bool search_wants_logits(const Search *search);

/* Whether the coming step's logits have to be taken as whole rows. */
bool search_needs_whole_rows(const Search *search);

/* Takes the logits (overwritten) of some columns of all rows, block by block as logits_sink.h says; block->row
 * is ignored. Logits that the search does not want are ignored. Equal scores: the lower beam first, then the lower id. */
void search_take_logits(Search *search, const LogitsBlock *block);

/* Picks the next rows, or ends the search. The logits that it wants have been taken. */
void search_advance(Search *search);

bool search_done(const Search *search);

/* Logits were no finite numbers: NaN or an infinity among what was chosen from, but for
 * what settings have forbidden. Nothing that the search gives is of worth then. */
bool search_is_broken(const Search *search);

/* The i-th best hypothesis, i < search_results(); valid until the next
 * search_start(). Greedy search has one. */
size_t search_results(const Search *search); /* params->n_best */
Hypothesis search_result(Search *search, size_t i);

#endif
