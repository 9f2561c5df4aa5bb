/* search_lanes.h - a sentence that is divided into several searches, its lanes, for search.c.
 *
 * - Draws: each result is drawn independently (search_params_draws_each()).
 * - Alternatives: the most probable tokens after the prefix are continued by separate searches, as with
 *   return_alternatives of CTranslate2. The score is the token's log-probability plus the score of what follows.
 * - Groups: diverse beam search. Each group of beams is a search. Tokens that it chooses are penalized in later groups.
 *
 * Up to the first choice all lanes have the same row. After it, the rows of the sentence are those of the lanes, one
 * lane after the other. */
#ifndef DRAGOMAN_SEARCH_LANES_H
#define DRAGOMAN_SEARCH_LANES_H

#include "search_state.h"

/* Whether the settings divide sentences. */
bool search_lanes_wanted(const SearchParams *params);

/* Creates s->lanes. search_free() frees them. */
MUST_USE Status search_lanes_new(Search *s, Err *err);
void search_lanes_free(SearchLanes *lanes); /* NULL is allowed */

/* The search of a sentence that gets no alternatives (search_allow_alternatives()); else NULL. */
Search *search_lanes_whole(const Search *s);
void search_lanes_leave_whole(Search *s, bool whole);

/* Calls a function for every search that s consists of, until one fails. */
MUST_USE Status search_lanes_each(Search *s, Status (*call)(Search *, Err *), Err *err);
void search_lanes_choose_from(Search *s, const int32_t *ids, size_t count);
void search_lanes_expect_scores(Search *s);

/* The functions of search.h without "lanes". */
void search_lanes_start(Search *s, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                        size_t max_length);
size_t search_lanes_rows(const Search *s);
int32_t search_lanes_token(const Search *s, size_t row);
size_t search_lanes_parent(const Search *s, size_t row);
bool search_lanes_want_logits(const Search *s);
bool search_lanes_need_whole_rows(const Search *s);
void search_lanes_take_logits(Search *s, const LogitsBlock *block);
void search_lanes_advance(Search *s);
bool search_lanes_are_broken(const Search *s);
size_t search_lanes_results(const Search *s);
Hypothesis search_lanes_result(Search *s, size_t i);
size_t search_lanes_result_rows(const Search *s, size_t i, size_t *rows);
void search_lanes_result_scores(const Search *s, size_t i, float *scores);
void search_lanes_result_spread(const Search *s, size_t i, size_t *rows, TokenSpread *spread);
void search_lanes_add_coverage(Search *s, SearchCoverage *coverage, void *context, size_t *rows);

#endif
