/* search_rules.h - the rules in which the searches of reference programs differ.
 * A search asks for a rule, never for a program. All rules off is generate() of
 * transformers. */
#ifndef DRAGOMAN_SEARCH_RULES_H
#define DRAGOMAN_SEARCH_RULES_H

#include <stdbool.h>

typedef struct {
    const char *program; /* for messages; NULL: transformers */

    /* The beam is the width of the search at first; each hypothesis that finishes takes one
     * off, and all that go on at the maximal length are results. Greedy search with scores is
     * the same with a beam of 1. */
    bool beam_shrinks_with_finished;

    /* The search ends when as many hypotheses as beams have finished; without a length
     * penalty, when the best beam has finished once and there are n_best. Otherwise early_stopping
     * decides. */
    bool ends_with_finished_count;

    /* At the first step only the candidates of one row compete. Otherwise equal rows
     * do, all but the first with a score of -1e9. */
    bool first_step_has_one_row;

    /* Beam search applies settings to logits. Otherwise it applies them to
     * log-probabilities. */
    bool processes_logits_before_normalizing;

    /* Settings that look back at a hypothesis do not see its start token. */
    bool ignores_start_token;

    /* A forced first token is a prefix of one token, unless the caller gives a prefix.
     * Otherwise it is chosen, all others having a log-probability of minus infinity. */
    bool forced_bos_is_prefix;

    /* The length of a hypothesis, which its score is divided by, includes the prefix. */
    bool length_includes_prefix;

    /* Of the candidates that follow a prefix, all but the best are lost when they end. */
    bool only_best_ends_after_prefix;
} SearchRules;

extern const SearchRules search_rules_transformers; /* 4.57.1, generate() in generation/utils.py */
extern const SearchRules search_rules_marian;       /* marian-dev, src/translator/beam_search.cpp and history.h */
extern const SearchRules search_rules_ctranslate2;  /* BeamSearch::search() in src/decoding.cc */

#endif
