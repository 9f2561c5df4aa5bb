/* search_single.c - see search_single.h. The steps themselves are in search_greedy.c and search_beam.c.
 *
 * Each step stores (token, parent row) per row, so that reordering beams moves no data.
 * Results are read backwards from their last token. Nothing is allocated after search_new(). */
#include "search_single.h"

#include <assert.h>
#include <math.h>

#include "search_texts.h"

void search_single_choose_from(Search *s, const int32_t *ids, size_t count)
{
    logits_choose_from(&s->processors, ids, count);
}

/* Favours the prefix instead of forcing it. Returns the length of the prefix that is forced, 0. */
static size_t favour(Search *s, const int32_t *prefix, size_t prefix_len)
{
    s->favoured = prefix;
    s->favoured_len = prefix_len;
    for (size_t i = 0; i < s->params->beams; i++) s->departed[i] = false;
    return 0;
}

void search_single_start(Search *s, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                         size_t max_length)
{
    if (s->departed) prefix_len = favour(s, prefix, prefix_len);
    if (s->params->rules.forced_bos_is_prefix && s->params->forced_bos >= 0 && !prefix_len && !s->favoured_len &&
        max_length > 1) {
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
    s->processors.forgotten = s->processors.taken_count = 0;
    if (s->draws) s->draw_key = sampling_key(s->params->sampling.seed, source, source_len);
    for (size_t i = 0; i < s->params->beams; i++) s->scores[i] = i == 0 ? 0 : SCORE_NEVER;
    for (size_t i = 0; i < s->result_room; i++)
        s->results[i] = (Result){ SCORE_NEVER, SCORE_NEVER, false, { prefix_len, 0 }, -1, SIZE_MAX };
    if (s->params->beams == 1) s->results[0].sum = 0;
    if (s->demands) search_demand_forget(s);
}

int32_t search_single_token(const Search *s, size_t row)
{
    return search_node(s, (BeamPosition){ s->step, row })->token;
}

size_t search_single_parent(const Search *s, size_t row)
{
    return search_node(s, (BeamPosition){ s->step, row })->parent;
}

bool search_single_wants_logits(const Search *s)
{
    return !s->done && !s->evaluated && s->step >= s->prefix_len;
}

bool search_single_needs_whole_rows(const Search *s)
{
    const LogitsProcessors *processors = &s->processors;

    return s->overflowed || s->expects_scores || s->draws || s->favoured_len || s->is_group || search_has_demands(s) ||
           processors->ids || logits_need_history(processors) || logits_change_scores(processors, s->step + 1);
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

/* Reads the last tokens as long as they are byte pieces. */
static Utf8State utf8_state_of(const Search *s, size_t row)
{
    const Utf8Rules *rules = s->params->utf8;
    int32_t tokens[UTF8_RULES_MEMORY];
    BeamPosition at = { s->step, row };
    size_t first = UTF8_RULES_MEMORY;

    for (; rules && first > 0 && at.step > 0; at.step--) {
        const Node *node = search_node(s, at);
        if (utf8_rules_find(rules, node->token) == rules->count) break;
        tokens[--first] = node->token;
        at.row = node->parent;
    }
    return first < UTF8_RULES_MEMORY ? utf8_rules_state(rules, tokens + first, UTF8_RULES_MEMORY - first)
                                     : UTF8_BETWEEN;
}

void search_process_row(Search *s, size_t row, float *logits)
{
    s->processors.utf8_state = utf8_state_of(s, row);
    if (logits_need_history(&s->processors)) {
        s->history[0] = s->params->start;
        read_path(s, (BeamPosition){ s->step, row }, s->history + 1);
    }
    logits_process(&s->processors, row, s->history, s->step + 1, logits);
}

bool search_ends(const Search *s, size_t row, int32_t token)
{
    if (search_params_is_eos(s->params, token)) return true;
    if (!text_rules_stop_any(s->params->texts)) return false;
    s->history[0] = s->params->start;
    read_path(s, (BeamPosition){ s->step, row }, s->history + 1);
    return text_rules_stops(s->params->texts, s->history, s->step + 1, token);
}

float search_final_score(const Search *s, float sum, size_t step)
{
    return search_params_score(s->params, sum, step, s->prefix_len);
}

/* Greedy search with scores may run as beam search with a beam of 1. */
static bool is_greedy(const Search *s)
{
    const SearchParams *params = s->params;

    if (params->beams > 1 || s->is_group) return false;
    if (s->favoured_len) return s->draws;
    return !params->rules.beam_shrinks_with_finished || params->skip_scores || s->draws;
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
    part.utf8_state = utf8_state_of(s, row);
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

void search_single_take_logits(Search *s, const LogitsBlock *block)
{
    const size_t end = block->first + block->count;

    if (!search_single_wants_logits(s)) return;
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

static void follow_prefix(Search *s)
{
    if (search_has_demands(s)) search_demand_pass(s);
    s->step++;
}

void search_single_advance(Search *s)
{
    if (s->done) return;
    assert(!search_single_wants_logits(s));
    if (!s->evaluated)
        follow_prefix(s);
    else if (search_has_demands(s))
        search_demand_advance(s);
    else if (is_greedy(s))
        search_greedy_advance(s);
    else if (s->is_group)
        search_group_advance(s);
    else
        search_beam_advance(s);
    s->evaluated = false;
}

/* How many results there are whether they have finished or not. More of them need patience; draws may find less than a
 * beam of tokens. */
static size_t certain_results(const Search *s)
{
    const size_t count = search_params_finish_count(s->params);

    if (s->draws) return 1;
    return count < s->params->beams ? count : s->params->beams;
}

size_t search_single_results(const Search *s)
{
    size_t count = s->params->n_best < s->result_room ? s->params->n_best : s->result_room;

    while (count > certain_results(s) && !s->results[count - 1].finished) count--;
    return count;
}

Hypothesis search_single_result(Search *s, size_t i)
{
    const Result *result = &s->results[i];
    size_t len = result->last.step;

    read_path(s, result->last, s->result_ids);
    if (result->finished) s->result_ids[len++] = result->token;
    return (Hypothesis){ s->result_ids, len, result->score, result->sum, search_has_demands(s) ? result->missed : 0 };
}

size_t search_single_result_rows(const Search *s, size_t i, size_t *rows)
{
    const Result *result = &s->results[i];
    BeamPosition at = result->last;

    if (result->finished) rows[at.step] = at.row;
    for (; at.step > 0; at.step--) rows[at.step - 1] = at.row = search_node(s, at)->parent;
    return result->last.step + result->finished;
}

static float sum_at(const Search *s, BeamPosition position)
{
    return s->sums[position.step * s->params->beams + position.row];
}

void search_single_result_scores(const Search *s, size_t i, float *scores)
{
    const Result *result = &s->results[i];
    BeamPosition at = result->last;

    if (result->finished) scores[at.step] = search_score_between(sum_at(s, at), result->sum);
    while (at.step > 0) {
        const BeamPosition parent = { at.step - 1, search_node(s, at)->parent };
        scores[parent.step] = search_score_between(sum_at(s, parent), sum_at(s, at));
        at = parent;
    }
}

/* A result that meets more demands is better, whatever the scores. */
static bool is_better(const Result *a, const Result *b)
{
    return a->missed != b->missed ? a->missed < b->missed : a->score > b->score;
}

/* A result that is better goes before those that are not. */
static void sort_results(Search *s)
{
    for (size_t i = 1; i < s->result_room; i++) {
        const Result result = s->results[i];
        size_t at = i;
        for (; at > 0 && is_better(&result, &s->results[at - 1]); at--) s->results[at] = s->results[at - 1];
        s->results[at] = result;
    }
}

void search_single_add_coverage(Search *s, SearchCoverage *coverage, void *context, size_t *rows)
{
    for (size_t i = 0; i < s->result_room; i++) {
        if (!s->results[i].finished) continue;
        s->results[i].score +=
            s->params->coverage_penalty * coverage(context, rows, 0, search_single_result_rows(s, i, rows));
    }
    sort_results(s);
}
