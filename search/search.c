/* search.c - see search.h. The steps themselves are in search_greedy.c and search_beam.c.
 *
 * Each step stores (token, parent row) per row, so that reordering beams moves no data.
 * Results are read backwards from their last token. Nothing is allocated after search_new(). */
#include "search.h"

#include <assert.h>
#include <math.h>

#include "search_demands.h"
#include "search_state.h"

void search_choose_from(Search *search, const int32_t *ids, size_t count)
{
    search->processors.ids = ids;
    search->processors.width = ids ? count : search->vocab;
}

void search_expect_scores(Search *search)
{
    search->expects_scores = true;
}

void search_start(Search *search, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                  size_t max_length)
{
    Search *s = search;

    if (s->params->rules.forced_bos_is_prefix && s->params->forced_bos >= 0 && !prefix_len && max_length > 1) {
        prefix = &s->params->forced_bos;
        prefix_len = 1;
    }
    s->processors.source = source;
    s->processors.source_len = source_len;
    s->processors.prompt_len = 1 + prefix_len;
    s->prefix_len = prefix_len;
    s->max_length = search_limit(s->params, source_len, prefix_len, max_length);
    s->processors.max_length = s->max_length;
    s->step = 0;
    s->rows = 1;
    s->candidate_count = 0;
    s->finished = 0;
    s->top_finished = false;
    s->done = s->broken = s->evaluated = s->overflowed = false;
    search_set_node(s, (BeamPosition){ 0, 0 }, (Node){ s->params->start, 0 }, 0);
    for (size_t i = 0; i < prefix_len; i++) search_set_node(s, (BeamPosition){ i + 1, 0 }, (Node){ prefix[i], 0 }, 0);
    for (size_t i = 0; i < s->params->beams; i++) {
        s->scores[i] = i == 0 ? 0 : SCORE_NEVER;
        s->results[i] = (Result){ SCORE_NEVER, SCORE_NEVER, false, { prefix_len, 0 }, -1 };
    }
    if (s->params->beams == 1) s->results[0].sum = 0;
    if (s->demands) search_demand(s, NULL);
}

size_t search_rows(const Search *search)
{
    return search->rows;
}

int32_t search_token(const Search *search, size_t row)
{
    return search_node(search, (BeamPosition){ search->step, row })->token;
}

size_t search_parent(const Search *search, size_t row)
{
    return search_node(search, (BeamPosition){ search->step, row })->parent;
}

bool search_wants_logits(const Search *search)
{
    return !search->done && !search->evaluated && search->step >= search->prefix_len;
}

bool search_needs_whole_rows(const Search *search)
{
    const LogitsProcessors *processors = &search->processors;

    return search->overflowed || search->expects_scores || search_has_demands(search) || processors->ids ||
           logits_need_history(processors) || logits_change_scores(processors, search->step + 1);
}

bool search_done(const Search *search)
{
    return search->done;
}

bool search_is_broken(const Search *search)
{
    return search->broken;
}

void search_finish(Search *s)
{
    s->done = true;
    s->rows = 0;
}

/* Writes the tokens up to `last`, without the start token, to ids[0..last.step). */
static void read_path(const Search *s, BeamPosition last, int32_t *ids)
{
    for (; last.step > 0; last.step--) {
        const Node *node = search_node(s, last);
        ids[last.step - 1] = node->token;
        last.row = node->parent;
    }
}

void search_process_row(Search *s, size_t row, float *logits)
{
    if (logits_need_history(&s->processors)) {
        s->history[0] = s->params->start;
        read_path(s, (BeamPosition){ s->step, row }, s->history + 1);
    }
    logits_process(&s->processors, row, s->history, s->step + 1, logits);
}

float search_final_score(const Search *s, float sum, size_t step)
{
    return search_params_score(s->params, sum, step, s->prefix_len);
}

/* Greedy search with scores may run as beam search with a beam of 1. */
static bool is_greedy(const Search *s)
{
    const SearchParams *params = s->params;

    return params->beams == 1 && (!params->rules.beam_shrinks_with_finished || params->skip_scores);
}

/* Keeps the candidates of a part of a row, and adds to the sum of its exponentials if scores need it. Greedy search
 * processes the logits before it sums. */
static void scan_row(Search *s, size_t row, size_t first, size_t count, float *logits)
{
    const bool greedy = is_greedy(s), before = greedy || s->params->rules.processes_logits_before_normalizing;
    RowScan *scan = &s->scans[row];
    LogitsProcessors part = s->processors;

    part.first = first;
    part.width = count;
    if (first == 0) search_scan_begin(scan);
    if (first == 0) search_check_row(s, logits);
    if (before) logits_process(&part, row, NULL, s->step + 1, logits);
    if (greedy && s->params->skip_scores)
        s->kernels->maxima(logits, count, s->maxima);
    else
        search_scan_sum(s, scan, logits, count);
    if (!before) logits_process(&part, row, NULL, s->step + 1, logits);
    search_scan_take(scan, s->keep, first, count, logits, s->maxima);
}

/* True when a scan had to drop logits that may win. */
static bool any_overflowed(const Search *s)
{
    for (size_t r = 0; r < s->rows; r++)
        if (s->scans[r].count > SCAN_MAX_KEPT || !(s->scans[r].best[0] > -INFINITY)) return true;
    return false;
}

void search_take_logits(Search *search, const LogitsBlock *block)
{
    Search *s = search;
    const size_t end = block->first + block->count;

    if (!search_wants_logits(s)) return;
    s->scanned = block->count < s->processors.width;
    for (size_t r = 0; s->scanned && r < s->rows; r++)
        scan_row(s, r, block->first, block->count, block->logits + r * block->stride);
    if (end < s->processors.width) return;
    s->overflowed = s->scanned && any_overflowed(s);
    if (s->overflowed) return;
    if (search_has_demands(s))
        search_demand_choose(s, block);
    else if (is_greedy(s))
        search_greedy_choose(s, block->logits);
    else
        search_beam_choose(s, block);
    s->evaluated = true;
}

void search_advance(Search *search)
{
    if (search->done) return;
    assert(!search_wants_logits(search));
    if (!search->evaluated)
        search->step++;
    else if (search_has_demands(search))
        search_demand_advance(search);
    else if (is_greedy(search))
        search_greedy_advance(search);
    else
        search_beam_advance(search);
    search->evaluated = false;
}

size_t search_results(const Search *search)
{
    const SearchParams *params = search->params;

    return params->n_best < params->beams ? params->n_best : params->beams;
}

Hypothesis search_result(Search *search, size_t i)
{
    const Result *result = &search->results[i];
    size_t len = result->last.step;

    read_path(search, result->last, search->result_ids);
    if (result->finished) search->result_ids[len++] = result->token;
    return (Hypothesis){ search->result_ids, len, result->score, result->sum };
}

size_t search_length_limit(const Search *search)
{
    return search->max_length;
}

size_t search_result_rows(const Search *search, size_t i, size_t *rows)
{
    const Result *result = &search->results[i];
    BeamPosition at = result->last;

    if (result->finished) rows[at.step] = at.row;
    for (; at.step > 0; at.step--) rows[at.step - 1] = at.row = search_node(search, at)->parent;
    return result->last.step + result->finished;
}

float search_score_between(float before, float after)
{
    float score = after - before;

    while (before + score < after) score = nextafterf(score, INFINITY);
    while (before + score > after) score = nextafterf(score, -INFINITY);
    return score;
}

static float sum_at(const Search *s, BeamPosition position)
{
    return s->sums[position.step * s->params->beams + position.row];
}

void search_result_scores(const Search *search, size_t i, float *scores)
{
    const Result *result = &search->results[i];
    BeamPosition at = result->last;

    if (result->finished) scores[at.step] = search_score_between(sum_at(search, at), result->sum);
    while (at.step > 0) {
        const BeamPosition parent = { at.step - 1, search_node(search, at)->parent };
        scores[parent.step] = search_score_between(sum_at(search, parent), sum_at(search, at));
        at = parent;
    }
}
