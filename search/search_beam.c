/* search_beam.c - beam search.
 *
 * It follows _beam_search() of transformers 4.57.1 (generation/utils.py). One step,
 * with k beams and K = max(2, 1 + number of end tokens) * k:
 *   1. score(row, id) = running(row) + processed log-probability(id)
 *   2. candidates = the K best of all rows
 *   3. a candidate is complete when it ends with an end token or has the maximal length;
 *      complete ones among the first k compete with score / length^length_penalty for the
 *      k results
 *   4. the k best candidates continue; complete ones are ranked 1e9 lower
 *   5. the search ends when no running beam can beat the worst result, when all results are
 *      finished (early_stopping true), or when no candidate continues
 * The rules ends_with_finished_count and only_best_ends_after_prefix change 3 and 5.
 *
 * All scores are f32, and -1e9 stands for "never" as in transformers: a search without better
 * candidates continues with such scores.
 *
 * With beam_shrinks_with_finished, the candidates are the w best of all rows, where w starts as
 * the number of beams. Finished candidates become results; the others continue, and w becomes
 * their number. At the maximal length all are finished.
 *
 * The first step has one row. In transformers it has k equal rows, of which all but the first
 * start at -1e9. Unless first_step_has_one_row is set, the candidates of these rows are offered
 * from the same logits. */
#include <math.h>

#include "search_state.h"

TopKRow search_beam_score_row(Search *s, size_t row, float *logits)
{
    TopKRow out = { .base = 0, .x = logits, .maxima = s->maxima, .count = s->processors.width };

    search_check_row(s, logits);
    if (s->expects_scores) {
        search_process_row(s, row, logits);
        search_read_maxima(s, row, logits);
    } else if (s->params->rules.processes_logits_before_normalizing) {
        search_process_row(s, row, logits);
        out.sum = search_sum_row(s, row, logits);
    } else if (logits_change_scores(&s->processors, s->step + 1)) {
        s->kernels->log_softmax(logits, s->processors.width);
        search_check_row(s, logits);
        search_process_row(s, row, logits);
        search_read_maxima(s, row, logits);
    } else {
        out.sum = search_sum_row(s, row, logits);
        search_process_row(s, row, logits);
    }
    search_spread_row(s, row, logits);
    search_check_sum(s, out.sum.top, out.sum.logsumexp);
    if (s->favoured_len) search_favour_row(s, row, &out, logits);
    return out;
}

/* True when the only row of the first step stands for one row per beam. */
static bool has_equal_rows(const Search *s)
{
    return s->step == s->prefix_len && !s->params->rules.first_step_has_one_row;
}

static size_t candidates_wanted(const Search *s)
{
    const size_t width = s->step == s->prefix_len ? s->params->beams : s->rows;

    return s->params->rules.beam_shrinks_with_finished && width < s->keep ? width : s->keep;
}

/* Steps 1 and 2. */
void search_beam_choose(Search *s, const LogitsBlock *block)
{
    const bool equal = has_equal_rows(s);
    const size_t runs = equal ? s->params->beams : s->rows;
    TopKRow row = { 0 };

    s->top.capacity = candidates_wanted(s);
    s->top.count = 0;
    if (s->draws) {
        search_draw_beams(s, block);
        return;
    }
    for (size_t r = 0; r < runs; r++) {
        const RowScan *scan = &s->scans[equal ? 0 : r];
        if (s->scanned) {
            row.sum = s->kernels->logsumexp_end(&scan->parts.sums);
            search_check_sum(s, row.sum.top, row.sum.logsumexp);
            if (!equal || r == 0) search_spread_scan(s, r);
        } else if (!equal || r == 0) {
            row = search_beam_score_row(s, r, block->logits + r * block->stride);
        }
        row.row = (uint32_t)r;
        row.base = s->scores[r];
        if (s->scanned)
            search_scan_offer(scan, &s->top, &row);
        else
            top_k_offer(&s->top, &row);
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate *c = &s->top.items[i];
        c->token = search_token_of(s, (size_t)c->token);
        if (equal) c->row = 0;
    }
}

/* Directly after a prefix only the best candidate may end. The others stay in the list with the
 * score SCORE_NEVER, so that they have no effect. */
static void drop_early_ends(Search *s)
{
    if (!s->params->rules.only_best_ends_after_prefix || !s->prefix_len || s->step != s->prefix_len) return;
    for (size_t i = 1; i < s->top.count; i++)
        if (search_ends(s, s->top.items[i].row, s->top.items[i].token))
            s->top.items[i] = (Candidate){ .score = 10 * SCORE_NEVER };
}

/* Marks the complete candidates. Returns true when at least one is not complete. */
static bool mark_complete(Search *s)
{
    bool full = s->step + 1 >= s->max_length;
    bool open = false;

    for (size_t i = 0; i < s->top.count; i++) {
        s->complete[i] = full || search_ends(s, s->top.items[i].row, s->top.items[i].token);
        open |= !s->complete[i];
    }
    return open;
}

void search_beam_add_result(Search *s, const Candidate *c)
{
    float score = search_final_score(s, c->score, s->step + 1);
    const size_t room = s->result_room;
    size_t at = room;

    while (at > 0 && score > s->results[at - 1].score) {
        if (at < room) s->results[at] = s->results[at - 1];
        at--;
    }
    if (at < room) s->results[at] = (Result){ score, c->score, true, { s->step, c->row }, c->token, 0 };
}

/* Step 3: a better candidate replaces the worst result. Of equal scores, the
 * existing result wins. */
static void add_results(Search *s)
{
    size_t beams = s->params->beams;

    for (size_t i = 0; i < beams && i < s->top.count; i++) {
        if (!s->complete[i]) continue;
        search_beam_add_result(s, &s->top.items[i]);
        s->finished++;
        if (i == 0) s->top_finished = true;
    }
}

/* Step 4: merges the open and the complete candidates, both of which are sorted. */
static void choose_running(Search *s)
{
    const Candidate *items = s->top.items;
    size_t open = 0, ended = 0, count = s->top.count;

    s->step++;
    s->rows = s->params->beams < count ? s->params->beams : count;
    for (size_t r = 0; r < s->rows; r++) {
        size_t pick;
        float low;
        while (open < count && s->complete[open]) open++;
        while (ended < count && !s->complete[ended]) ended++;
        low = ended < count ? items[ended].score + SCORE_NEVER : 0;
        if (ended == count)
            pick = open;
        else if (open == count)
            pick = ended;
        else
            pick = items[open].score > low || (items[open].score == low && open < ended) ? open : ended;
        s->scores[r] = pick == open ? items[open].score : low;
        search_set_node(s, (BeamPosition){ s->step, r }, (Node){ items[pick].token, items[pick].row }, s->scores[r]);
        if (pick == open)
            open++;
        else
            ended++;
    }
}

/* Step 5, for early_stopping false and "never": returns true when the best running beam can still beat the
 * worst result. The score of an unused result is below that of any finished one. The assumed length is the
 * current one, or the maximal one where that gives the higher score. */
static bool can_improve(const Search *s)
{
    const SearchParams *params = s->params;
    bool hopeful = params->early_stopping == EARLY_STOPPING_NEVER && params->length_penalty > 0;
    size_t length = (hopeful ? s->max_length : s->step) - s->prefix_len;

    return s->scores[0] / search_length_factor(s->params, length) > s->results[s->result_room - 1].score;
}

static bool all_finished(const Search *s)
{
    for (size_t i = 0; i < s->result_room; i++)
        if (!s->results[i].finished) return false;
    return true;
}

/* Step 5: returns true when the search ends. */
static bool is_over(const Search *s)
{
    const SearchParams *params = s->params;

    if (params->rules.ends_with_finished_count)
        return params->length_penalty == 0 && params->coverage_penalty == 0
                   ? s->top_finished && s->finished >= params->n_best
                   : s->finished >= search_params_finish_count(params);
    if (params->beams == 1 && s->top_finished) return true; /* as greedy search, but with a favoured prefix */
    return !can_improve(s) || (params->early_stopping == EARLY_STOPPING_TRUE && all_finished(s));
}

/* Sorts candidates that are in the order in which they were drawn: they are few. */
static void sort_candidates(Search *s)
{
    Candidate *items = s->top.items;

    for (size_t i = 1; i < s->top.count; i++) {
        const Candidate item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].score < item.score; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

static void advance_fixed(Search *s)
{
    bool open;

    drop_early_ends(s);
    if (s->candidates) search_trace_beams(s);
    if (s->favoured_len) search_favour_advance(s);
    open = mark_complete(s);
    add_results(s);
    if (s->draws && !s->params->rules.draws_from_all_rows) {
        sort_candidates(s);
        (void)mark_complete(s);
    }
    choose_running(s);
    if (!open || is_over(s)) search_finish(s);
}

/* Steps 3 to 5 with beam_shrinks_with_finished. */
static void advance_shrinking(Search *s)
{
    const bool last = s->step + 1 >= s->max_length;
    size_t running = 0;

    if (s->candidates) search_trace_beams(s);
    for (size_t i = 0; i < s->top.count; i++) {
        const Candidate *c = &s->top.items[i];
        if (last || search_ends(s, c->row, c->token)) {
            search_beam_add_result(s, c);
            continue;
        }
        s->scores[running] = c->score;
        search_set_node(s, (BeamPosition){ s->step + 1, running++ }, (Node){ c->token, c->row }, c->score);
    }
    s->step++;
    s->rows = running;
    if (!running) search_finish(s);
}

void search_beam_advance(Search *s)
{
    if (s->params->rules.beam_shrinks_with_finished)
        advance_shrinking(s);
    else
        advance_fixed(s);
}
