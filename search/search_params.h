/* search_params.h - the settings of a search, and the rules in which the searches of the reference programs differ. */
#ifndef DRAGOMAN_SEARCH_PARAMS_H
#define DRAGOMAN_SEARCH_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The search tests a rule, never the name of a program. With all rules off it follows generate() of transformers. */
typedef struct {
    const char *program; /* for messages; NULL: transformers */

    /* The beam starts at its full width and shrinks by one with each hypothesis that finishes. At the
     * maximal length all remaining hypotheses become results. Greedy search with scores is this
     * search with a beam of 1. */
    bool beam_shrinks_with_finished;

    /* The search ends when as many hypotheses as beams have finished; without a length penalty, when
     * the best beam has finished once and n_best hypotheses exist. If false, early_stopping decides. */
    bool ends_with_finished_count;

    /* At the first step only the candidates of one row compete. If false, the row is repeated for each
     * beam, and all copies but the first start with a score of -1e9. */
    bool first_step_has_one_row;

    /* Beam search applies the settings to logits. If false, it applies them to log-probabilities. */
    bool processes_logits_before_normalizing;

    /* The settings for repetitions ignore the start token of a hypothesis. Marian has no start token: its models start
     * with an embedding of zeros, which the end token represents here. */
    bool ignores_start_token;

    /* A forced first token is a prefix of one token, unless the caller gives a prefix. If false, the search
     * chooses it while all others have a log-probability of minus infinity. */
    bool forced_bos_is_prefix;

    /* The length by which a score is divided includes the prefix. */
    bool length_includes_prefix;

    /* Directly after a prefix, only the best candidate may end; other candidates that end are dropped. */
    bool only_best_ends_after_prefix;

    /* Sampling with beams: the filters are applied to the candidates of all rows together, with their scores so far,
     * and the candidates that are drawn first continue. If false, the filters are applied to the log-probabilities of
     * each row, and the best of the drawn candidates continue. */
    bool draws_from_all_rows;

    /* Prefix bias: whether a hypothesis has departed from the prefix is recorded for its beam position, and does not
     * change when another hypothesis takes the position. If false, it follows from the tokens of the hypothesis. */
    bool prefix_bias_by_position;

    /* The searches for alternatives ignore the prefix and the first token of the alternative in their history, for
     * example for penalties of repetition. */
    bool alternatives_forget_prefix;
} SearchRules;

extern const SearchRules search_rules_transformers; /* 4.57.1, generate() in generation/utils.py */
extern const SearchRules search_rules_marian;       /* marian-dev, src/translator/beam_search.cpp and history.h */
extern const SearchRules search_rules_ctranslate2;  /* BeamSearch::search() in src/decoding.cc */

typedef enum { EARLY_STOPPING_FALSE, EARLY_STOPPING_TRUE, EARLY_STOPPING_NEVER } EarlyStopping;

/* How tokens are drawn at random, as with do_sample of transformers: which tokens of a row take part. The filters are
 * applied in this order, each to the tokens that the previous filter has kept. */
typedef struct {
    bool on;
    float temperature; /* logits are divided by it; above 0 */
    size_t top_k;      /* the k most probable tokens; 0: all */
    float top_p;       /* the most probable tokens whose probabilities add up to at least top_p; 1: all */
    float min_p;       /* tokens at least min_p times as probable as the best one; 0: all */
    float typical_p;   /* locally typical tokens whose probabilities add up to at least typical_p; 1: all */
    float epsilon;     /* tokens at least this probable; 0: all */
    float eta;         /* tokens above a limit that depends on the entropy; 0: all */
    uint64_t seed;
} Sampling;

/* Added to the score of a token that completes a sequence: sequence_bias of transformers. */
typedef struct {
    IdList runs;   /* length, ids..., length, ids...; runs with the same last id are adjacent, a run of one token
                      first */
    float *values; /* one per run */
    size_t count;
} SequenceBias;

/* The checked settings of generation_config.json. Lengths count new tokens: they include the end
 * token but not the start token. All ids are in [0, vocab); -1 means that an id is not set. */
typedef struct {
    SearchRules rules;
    size_t beams;           /* 1: greedy search */
    size_t n_best;          /* at most `beams` */
    size_t min_length;      /* the end token is forbidden among the first min_length new tokens (min_new_tokens) */
    size_t max_length;      /* in new tokens, at least 1 */
    bool length_is_default; /* max_length is the default of generate(), or a file sets it to that value, 20 */
    float length_penalty;
    float word_penalty;  /* subtracted from the sum of log-probabilities for each token */
    float length_factor; /* limit: this many new tokens per source id; 0: no limit */
    bool allow_unk;      /* Marian models: do not suppress the unknown token */
    EarlyStopping early_stopping;
    float repetition_penalty;         /* 1: none */
    float encoder_repetition_penalty; /* 1: none */
    size_t no_repeat_ngram;           /* 0: none */
    size_t encoder_no_repeat_ngram;   /* 0: none */
    bool renormalize_logits;
    bool remove_invalid_values;
    bool skip_scores;      /* greedy search: report scores as 0, which saves a pass over the vocabulary per token */
    int32_t start;         /* decoder_start_token_id; unused with continues_source */
    bool continues_source; /* the translation continues the source, a prompt: the start token is the last source id, and
                              the rules for repetitions count all source ids */
    int32_t forced_bos;    /* -1: none */
    IdList forced_eos;     /* may be empty */
    IdList eos;            /* at least one */
    IdList suppress;
    IdList begin_suppress;
    IdList bad_words; /* bad_words_ids as runs: length, ids..., length, ids... */
    IdList bad_runs;  /* suppress_sequences of CTranslate2, as runs; a run may also be a single end token */
    Sampling sampling;
    size_t alternatives;           /* continue that many of the most probable tokens after the prefix, each by a
                                        separate search; 0: none */
    float alternative_probability; /* the least probability of the first token of an alternative */
    float prefix_bias;             /* above 0, below 1: the prefix is favoured, not forced */
    float coverage_penalty;        /* factor of the coverage of the source, see search_add_coverage() */
    float patience;                /* the search ends when patience * beams hypotheses have finished; 1 by default */
    size_t groups;                 /* diverse beam search: the beams are divided into groups; 1: not diverse */
    float diversity_penalty;       /* subtracted for each beam of an earlier group that has the token at this step */
    bool decays;                   /* exponential_decay_length_penalty is set */
    size_t decay_start;            /* in new tokens */
    double decay_factor;
    SequenceBias biases;
    const struct TextRules *texts; /* text_rules.h: texts that are forbidden or end a translation; NULL: none */
    const struct Utf8Rules *utf8;  /* text_rules.h: byte pieces must form valid UTF-8; NULL: no such rule */
} SearchParams;

void search_params_free(SearchParams *params); /* frees the lists; {0} is allowed */
MUST_USE Status search_params_copy(SearchParams *out, const SearchParams *from, Err *err);

/* Whether each result is drawn independently: sampling with a beam size of 1. */
bool search_params_draws_each(const SearchParams *params);

/* The most rows of a sentence: the beam size, times the number of searches for its alternatives or draws. */
size_t search_params_rows(const SearchParams *params);

/* How many hypotheses finish before the search ends, at least 1: the beam size times the patience. */
size_t search_params_finish_count(const SearchParams *params);

/* Turns off what divides a sentence into several searches: draws, alternatives and groups. The beam size becomes at
 * least n_best. */
void search_params_unite(SearchParams *params);

/* The limit on new tokens for a sentence of `source_len` ids: the lower of max_length and params->length_factor times
 * source_len, but always more than the prefix. */
size_t search_limit(const SearchParams *params, size_t source_len, size_t prefix_len, size_t max_length);

/* length^length_penalty, in f32 like the scores. */
float search_length_factor(const SearchParams *params, size_t length);

#endif
