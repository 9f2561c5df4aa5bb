/* search.h - greedy and beam search for one sentence, as Hugging Face
 * generate() does it (transformers 4.57.1, generation/utils.py and
 * generation/logits_process.py).
 *
 * A Search is driven from outside: it says which rows the decoder has to
 * compute, gets their logits, and picks the next rows. It knows no model.
 *
 *     search_start(s, ...);
 *     while (!search_done(s)) {
 *         // row r continues row search_parent(s, r) of the step before
 *         // with the token search_token(s, r)
 *         ... logits[search_rows(s)][vocab] ...
 *         search_advance(s, logits);
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

/* Whose search. Marian's: the beam shrinks with each hypothesis that is
 * finished, and all that go on at the maximal length are results; scores are
 * (sum - word_penalty * length) / length^length_penalty. CTranslate2's: settings
 * change logits, not log-probabilities; the start token is none of those that
 * they look back at; the prefix is part of a hypothesis' length and of what
 * `min_length` counts; the search ends when as many hypotheses as beams have
 * finished (without a length penalty: when the best beam has and there are
 * n_best). */
typedef enum { SEARCH_GENERATE, SEARCH_MARIAN, SEARCH_CTRANSLATE2 } SearchStyle;

typedef enum { EARLY_STOPPING_FALSE, EARLY_STOPPING_TRUE, EARLY_STOPPING_NEVER } EarlyStopping;

/* What generation_config.json says, checked, with lengths counted in new
 * tokens: the start token is not counted, the end token is.
 * All ids are inside [0, vocab). -1 stands for an id that is not set. */
typedef struct {
    SearchStyle style;
    size_t beams;      /* 1: greedy */
    size_t n_best;     /* at most `beams` */
    size_t min_length; /* the end token is not among the first min_length new tokens (min_new_tokens) */
    size_t max_length; /* in new tokens, at least 1 */
    float length_penalty;
    float word_penalty;  /* Marian's */
    float length_factor; /* Marian's: at most so many new tokens for each source id; 0: no such limit */
    bool allow_unk;      /* Marian's: else the unknown token is to be suppressed */
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
    float score; /* sum of log-probabilities / length^length_penalty; the prefix is not counted; finite */
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

/* Takes logits[search_rows][search_width] (row-major, overwritten) and picks the
 * next rows, or ends the search. Equal scores: the lower beam first, then the
 * lower id. */
void search_advance(Search *search, float *logits);

/* The same without a place for all logits at once. If search_takes_blocks() says so for the coming
 * step, search_take_block() takes logits[search_rows][stride] (overwritten) of the ids
 * [first, first + count), block after block, all but the last of a multiple of ROW_BLOCK ids; behind
 * the last one search_advance() gets NULL, if search_blocks_suffice(). Else, and that is
 * rare, it has to get all logits after all. */
bool search_takes_blocks(const Search *search);
void search_take_block(Search *search, size_t first, size_t count, size_t stride, float *logits);
bool search_blocks_suffice(const Search *search);

/* False when the coming step's logits will not be looked at (the forced prefix
 * still has tokens to feed): the caller may skip the output layer and pass
 * NULL to search_advance(). */
bool search_wants_logits(const Search *search);

bool search_done(const Search *search);

/* Logits were no finite numbers: NaN or an infinity among what was chosen from, but for
 * what settings have forbidden. Nothing that the search gives is of worth then. */
bool search_is_broken(const Search *search);

/* The i-th best hypothesis, i < search_results(); valid until the next
 * search_start(). Greedy search has one. */
size_t search_results(const Search *search); /* params->n_best */
Hypothesis search_result(Search *search, size_t i);

#endif
