/* search_params.h - the settings of a search. */
#ifndef DRAGOMAN_SEARCH_PARAMS_H
#define DRAGOMAN_SEARCH_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
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

/* The most new tokens of a sentence of `source_len` ids: `max_length`, or what params->length_factor leaves of it,
 * but more than the prefix. */
size_t search_limit(const SearchParams *params, size_t source_len, size_t prefix_len, size_t max_length);

#endif
