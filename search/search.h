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

#include "buf.h"
#include "err.h"
#include "logits_sink.h"
#include "search_rules.h"

typedef enum { EARLY_STOPPING_FALSE, EARLY_STOPPING_TRUE, EARLY_STOPPING_NEVER } EarlyStopping;

/* What generation_config.json says, checked, with lengths counted in new
 * tokens: the start token is not counted, the end token is.
 * All ids are inside [0, vocab). -1 stands for an id that is not set. */
typedef struct {
    SearchRules rules;
    size_t beams;      /* 1: greedy */
    size_t n_best;     /* at most `beams` */
    size_t min_length; /* the end token is not among the first min_length new tokens (min_new_tokens) */
    size_t max_length; /* in new tokens, at least 1 */
    float length_penalty;
    float word_penalty;  /* taken off the sum of log-probabilities for each token */
    float length_factor; /* at most this many new tokens for each source id; 0: no such limit */
    bool allow_unk;      /* of Marian's models: do not suppress the unknown token */
    EarlyStopping early_stopping;
    float repetition_penalty;         /* 1: none */
    float encoder_repetition_penalty; /* 1: none */
    size_t no_repeat_ngram;           /* 0: none */
    size_t encoder_no_repeat_ngram;   /* 0: none */
    bool renormalize_logits;
    bool remove_invalid_values;
    bool skip_scores;   /* greedy search: scores are 0, which saves a sweep over the vocabulary a token */
    int32_t start;      /* decoder_start_token_id */
    int32_t forced_bos; /* or -1 */
    IdList forced_eos;  /* may be empty */
    IdList eos;         /* at least one */
    IdList suppress;
    IdList begin_suppress;
    IdList bad_words; /* bad_words_ids as runs: length, ids..., length, ids... */
} SearchParams;

void search_params_free(SearchParams *params); /* frees the lists; {0} is allowed */
MUST_USE Status search_params_copy(SearchParams *out, const SearchParams *from, Err *err);

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
size_t search_width(const Search *search); /* of a row of logits */

/* From now on rows of logits are scores already, such as weighted sums of
 * log-probabilities: they are not normalized. */
void search_expect_scores(Search *search);

/* The most new tokens of a sentence of `source_len` ids: `max_length`, or what params->length_factor leaves of it,
 * but more than the prefix. */
size_t search_limit(const SearchParams *params, size_t source_len, size_t prefix_len, size_t max_length);

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
