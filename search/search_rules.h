/* search_rules.h - the rules in which the searches of the reference programs differ.
 * The search tests a rule, never the name of a program. With all rules off it follows
 * generate() of transformers. */
#ifndef DRAGOMAN_SEARCH_RULES_H
#define DRAGOMAN_SEARCH_RULES_H

#include <stdbool.h>

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

    /* The settings for repetitions do not see the start token of a hypothesis. Marian has none: its models start with
     * an embedding of zeros, for which the end token stands. */
    bool ignores_start_token;

    /* A forced first token is a prefix of one token, unless the caller gives a prefix. If false, the search
     * chooses it while all others have a log-probability of minus infinity. */
    bool forced_bos_is_prefix;

    /* The length by which a score is divided includes the prefix. */
    bool length_includes_prefix;

    /* Directly after a prefix, only the best candidate may end; the other ending ones are dropped. */
    bool only_best_ends_after_prefix;

    /* Sampling with beams: the filters see the candidates of all rows together, with their scores so far, and the first
     * ones that are drawn continue. If false, the filters change the log-probabilities of each row, and the best ones
     * that are drawn continue. */
    bool draws_from_all_rows;

    /* Prefix bias: whether a hypothesis has departed from the prefix is recorded for its beam position, and stays there
     * when another hypothesis takes the position. If false, the tokens of the hypothesis tell. */
    bool prefix_bias_by_position;

    /* The searches for alternatives ignore the prefix and the first token of the alternative in their history, for
     * example for penalties of repetition. */
    bool alternatives_forget_prefix;
} SearchRules;

extern const SearchRules search_rules_transformers; /* 4.57.1, generate() in generation/utils.py */
extern const SearchRules search_rules_marian;       /* marian-dev, src/translator/beam_search.cpp and history.h */
extern const SearchRules search_rules_ctranslate2;  /* BeamSearch::search() in src/decoding.cc */

#endif
