/* search.c - see search.h. A sentence has one search (search_single.h), or several (search_lanes.h). */
#include "search.h"

#include <math.h>

#include "search_lanes.h"
#include "search_single.h"

/* The search of the current sentence: that of its lanes if they leave it whole, else the search itself. */
static Search *search_of(const Search *search)
{
    Search *whole = search->lanes ? search_lanes_whole(search) : NULL;

    return whole ? whole : (Search *)search;
}

void search_allow_alternatives(Search *search, bool allow)
{
    if (search->lanes) search_lanes_leave_whole(search, !allow);
}

void search_choose_from(Search *search, const int32_t *ids, size_t count)
{
    if (search->lanes)
        search_lanes_choose_from(search, ids, count);
    else
        search_single_choose_from(search, ids, count);
}

void search_expect_scores(Search *search)
{
    if (search->lanes)
        search_lanes_expect_scores(search);
    else
        search->expects_scores = true;
}

void search_start(Search *search, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                  size_t max_length)
{
    Search *s = search_of(search);

    if (s->lanes)
        search_lanes_start(s, source, source_len, prefix, prefix_len, max_length);
    else
        search_single_start(s, source, source_len, prefix, prefix_len, max_length);
}

size_t search_rows(const Search *search)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_rows(s) : s->rows;
}

int32_t search_token(const Search *search, size_t row)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_token(s, row) : search_single_token(s, row);
}

size_t search_parent(const Search *search, size_t row)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_parent(s, row) : search_single_parent(s, row);
}

bool search_wants_logits(const Search *search)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_want_logits(s) : search_single_wants_logits(s);
}

bool search_needs_whole_rows(const Search *search)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_need_whole_rows(s) : search_single_needs_whole_rows(s);
}

void search_take_logits(Search *search, const LogitsBlock *block)
{
    Search *s = search_of(search);

    if (s->lanes)
        search_lanes_take_logits(s, block);
    else
        search_single_take_logits(s, block);
}

void search_advance(Search *search)
{
    Search *s = search_of(search);

    if (s->lanes)
        search_lanes_advance(s);
    else
        search_single_advance(s);
}

bool search_done(const Search *search)
{
    return search_of(search)->done;
}

bool search_is_broken(const Search *search)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_are_broken(s) : s->broken;
}

size_t search_results(const Search *search)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_results(s) : search_single_results(s);
}

Hypothesis search_result(Search *search, size_t i)
{
    Search *s = search_of(search);

    return s->lanes ? search_lanes_result(s, i) : search_single_result(s, i);
}

size_t search_length_limit(const Search *search)
{
    return search_of(search)->max_length;
}

size_t search_result_rows(const Search *search, size_t i, size_t *rows)
{
    const Search *s = search_of(search);

    return s->lanes ? search_lanes_result_rows(s, i, rows) : search_single_result_rows(s, i, rows);
}

void search_result_scores(const Search *search, size_t i, float *scores)
{
    const Search *s = search_of(search);

    if (s->lanes)
        search_lanes_result_scores(s, i, scores);
    else
        search_single_result_scores(s, i, scores);
}

void search_result_spread(const Search *search, size_t i, size_t *rows, TokenSpread *spread)
{
    const Search *s = search_of(search);

    if (s->lanes)
        search_lanes_result_spread(s, i, rows, spread);
    else
        search_single_result_spread(s, i, rows, spread);
}

void search_add_coverage(Search *search, SearchCoverage *coverage, void *context, size_t *rows)
{
    Search *s = search_of(search);

    if (s->lanes)
        search_lanes_add_coverage(s, coverage, context, rows);
    else
        search_single_add_coverage(s, coverage, context, rows);
}

float search_score_between(float before, float after)
{
    float score = after - before;

    while (before + score < after) score = nextafterf(score, INFINITY);
    while (before + score > after) score = nextafterf(score, -INFINITY);
    return score;
}
