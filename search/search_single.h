/* search_single.h - a search that is not divided: the functions of search.h without "single", for search.c and for the
 * lanes of a sentence. */
#ifndef DRAGOMAN_SEARCH_SINGLE_H
#define DRAGOMAN_SEARCH_SINGLE_H

#include "search_state.h"

void search_single_choose_from(Search *s, const int32_t *ids, size_t count);
void search_single_start(Search *s, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                         size_t max_length);
int32_t search_single_token(const Search *s, size_t row);
size_t search_single_parent(const Search *s, size_t row);
bool search_single_wants_logits(const Search *s);
bool search_single_needs_whole_rows(const Search *s);
void search_single_take_logits(Search *s, const LogitsBlock *block);
void search_single_advance(Search *s);
size_t search_single_results(const Search *s);
Hypothesis search_single_result(Search *s, size_t i);
size_t search_single_result_rows(const Search *s, size_t i, size_t *rows);
void search_single_result_scores(const Search *s, size_t i, float *scores);
void search_single_result_spread(const Search *s, size_t i, size_t *rows, TokenSpread *spread); /* search_spread.c */
void search_single_add_coverage(Search *s, SearchCoverage *coverage, void *context, size_t *rows);

#endif
