/* search_spread.c - search_record_spread() and search_result_spread() of search.h, and how rows are measured. */
#include <math.h>
#include <stdlib.h>

#include "search.h"
#include "search_lanes.h"
#include "search_single.h"
#include "search_state.h"

Status search_record_spread(Search *search, Err *err)
{
    const size_t steps = search->params->max_length + 1; /* checked by search_new() */

    if (search->lanes) return search_lanes_each(search, search_record_spread, err);
    if (!search->spread) search->spread = calloc(steps, search->params->beams * sizeof *search->spread);
    return search->spread ? OK : err_memory(err, "the search");
}

static TokenSpread *spread_at(const Search *s, BeamPosition position)
{
    return &s->spread[position.step * s->params->beams + position.row];
}

void search_single_result_spread(const Search *s, size_t i, size_t *rows, TokenSpread *spread)
{
    const size_t len = search_single_result_rows(s, i, rows);

    for (size_t t = 0; t < len; t++)
        spread[t] = t < s->prefix_len ? (TokenSpread){ INFINITY, 0 } : *spread_at(s, (BeamPosition){ t, rows[t] });
}

void search_scan_sum(Search *s, RowScan *scan, const float *logits, size_t count)
{
    if (s->spread)
        s->kernels->entropy_add(&scan->parts, logits, count, s->maxima);
    else
        s->kernels->logsumexp_add(&scan->parts.sums, logits, count, s->maxima);
}

LogSumExp search_sum_row(Search *s, size_t row, const float *logits)
{
    EntropyState parts = entropy_begin();

    if (!s->spread) return s->kernels->logsumexp(logits, s->processors.width, s->maxima);
    s->kernels->entropy_add(&parts, logits, s->processors.width, s->maxima);
    spread_at(s, (BeamPosition){ s->step, row })->entropy = s->kernels->entropy_end(&parts);
    /* cppcheck-suppress returnDanglingLifetime ; the result is two numbers */
    return s->kernels->logsumexp_end(&parts.sums);
}

void search_read_maxima(Search *s, size_t row, const float *scores)
{
    if (s->spread)
        (void)search_sum_row(s, row, scores);
    else
        s->kernels->maxima(scores, s->processors.width, s->maxima);
}

/* Keeps the two largest values; NaN is ignored. */
static void keep_two(float best[2], float x)
{
    if (!(x > best[1])) return;
    best[1] = x > best[0] ? best[0] : x;
    if (x > best[0]) best[0] = x;
}

/* Reads only those columns of a block whose maximum exceeds the second best value so far. */
static void find_two(const float *x, size_t count, const float *maxima, float best[2])
{
    best[0] = best[1] = -INFINITY;
    for (size_t t = 0; t < ROW_MAXIMA_OF(count); t++) {
        const size_t begin = t / ROW_MAXIMA * ROW_BLOCK, end = begin + ROW_BLOCK < count ? begin + ROW_BLOCK : count;
        for (size_t i = begin + t % ROW_MAXIMA; maxima[t] > best[1] && i < end; i += ROW_MAXIMA) keep_two(best, x[i]);
    }
}

/* No second candidate, or none that a setting has not forbidden. */
static float margin_of(float best, float second)
{
    return second > -INFINITY ? best - second : INFINITY;
}

void search_spread_row(Search *s, size_t row, const float *logits)
{
    float best[2];

    if (!s->spread) return;
    find_two(logits, s->processors.width, s->maxima, best);
    spread_at(s, (BeamPosition){ s->step, row })->margin = margin_of(best[0], best[1]);
}

void search_spread_scan(Search *s, size_t row)
{
    const RowScan *scan = &s->scans[row];

    if (!s->spread) return;
    *spread_at(s, (BeamPosition){ s->step, row }) =
        (TokenSpread){ margin_of(scan->best[0], scan->best_count > 1 ? scan->best[1] : -INFINITY),
                       s->kernels->entropy_end(&scan->parts) };
}
