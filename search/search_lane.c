/* search_lane.c - a lane of a search (search_state.h): its memory, its steps, and its results.
 *
 * Each step stores (token, parent row) per row, so that reordering beams moves no data.
 * Results are read backwards from their last token. Nothing is allocated after search_new(). */
#include <assert.h>

#include "search_state.h"
#include "text_rules.h"

/* --- Memory. */

/* With a coverage penalty, CTranslate2's search chooses the results among all hypotheses that have finished. */
static size_t result_room(const SearchParams *params)
{
    const size_t count = search_params_finish_count(params);

    return params->coverage_penalty != 0 && params->rules.ends_with_finished_count ? count + params->beams : count;
}

Status search_lane_new(SearchLane **out, Arena *arena, const SearchParams *params, size_t vocab, size_t max_length,
                       Err *err)
{
    const size_t beams = params->beams, factor = params->eos.len > 0 ? 1 + params->eos.len : 2;
    const size_t steps = max_length + 1;
    SearchLane *s;

    if (beams == 0 || vocab == 0 || beams > UINT32_MAX / vocab || beams > SIZE_MAX / factor)
        return err_set(err, ERR_USAGE, "a beam size of %zu is not supported with a vocabulary of %zu tokens", beams,
                       vocab);
    /* This overflow check also covers the arrays of LaneRecords, whose elements are not larger than a Node. */
    s = *out = steps && steps <= SIZE_MAX / sizeof(Node) / beams ? arena_alloc(arena, 1, sizeof *s) : NULL;
    if (!s) return err_memory(err, "the search");
    *s = (SearchLane){ .arena = arena,
                       .params = params,
                       .kernels = kernels_get(),
                       .vocab = vocab,
                       .steps = steps,
                       .keep = factor < vocab ? factor * beams : beams * vocab,
                       .done = true,
                       .result_room = result_room(params) };
    s->nodes = arena_alloc(arena, steps * beams, sizeof *s->nodes);
    s->scores = arena_zeroed(arena, beams, sizeof *s->scores);
    s->results = arena_zeroed(arena, s->result_room, sizeof *s->results);
    s->history = arena_alloc(arena, steps, sizeof *s->history);
    s->result_ids = arena_alloc(arena, steps, sizeof *s->result_ids);
    return logits_processors_init(&s->processors, params, vocab, arena, err);
}

Status search_lane_allow_choice(SearchLane *s, const SearchLane *lender, Err *err)
{
    const SearchParams *params = s->params;
    const size_t beams = params->beams, all = beams * s->vocab; /* fits in 32 bits: search_lane_new() has checked it */
    DrawMemory *draws = NULL;

    s->top.items = arena_zeroed(s->arena, s->keep, sizeof *s->top.items);
    s->scan.maxima = arena_zeroed(s->arena, ROW_MAXIMA_OF(s->vocab), sizeof *s->scan.maxima);
    s->scan.rows = arena_zeroed(s->arena, beams, sizeof *s->scan.rows);
    s->complete = arena_zeroed(s->arena, s->keep, sizeof *s->complete);
    if (params->prefix_bias > 0) s->favoured.departed = arena_zeroed(s->arena, beams, sizeof *s->favoured.departed);
    for (size_t r = 0; s->scan.rows && r < beams; r++) {
        s->scan.rows[r].kept = arena_alloc(s->arena, SCAN_MAX_KEPT, sizeof *s->scan.rows[r].kept);
        s->scan.rows[r].best = arena_alloc(s->arena, s->keep, sizeof *s->scan.rows[r].best);
    }
    if (params->sampling.on)
        s->draws.memory = draws = lender ? lender->draws.memory : arena_zeroed(s->arena, 1, sizeof *draws);
    if (draws && !lender) {
        draws->weights = arena_alloc(s->arena, all, sizeof *draws->weights);
        if (beams > 1) draws->scores = arena_alloc(s->arena, all, sizeof *draws->scores);
        draws->sampler = sampler_in(s->arena, all);
    }
    return arena_check(s->arena, "the search", err);
}

/* --- The way through the tokens. */

void search_lane_start(SearchLane *s, const int32_t *source, size_t source_len, const int32_t *prefix,
                       size_t prefix_len, size_t max_length)
{
    const SearchParams *params = s->params;

    if (s->favoured.departed) { /* the prefix is only favoured: nothing is forced */
        s->favoured.ids = prefix;
        s->favoured.len = prefix_len;
        for (size_t i = 0; i < params->beams; i++) s->favoured.departed[i] = false;
        prefix_len = 0;
    }
    if (params->rules.forced_bos_is_prefix && params->forced_bos >= 0 && !prefix_len && !s->favoured.len &&
        max_length > 1) {
        prefix = &params->forced_bos;
        prefix_len = 1;
    }
    /* Even a beam of 1 uses beam search, unless it draws, if a prefix is favoured or if scores are computed with
     * beam_shrinks_with_finished. */
    if (params->groups > 1 && !s->draws.memory)
        s->strategy = &search_group;
    else if (params->beams > 1 || (!s->draws.memory && (s->favoured.len || (params->rules.beam_shrinks_with_finished &&
                                                                            !params->skip_scores))))
        s->strategy = &search_beam;
    else
        s->strategy = &search_greedy;
    s->prefix_len = s->free_step = prefix_len;
    s->max_length = search_limit(params, source_len, prefix_len, max_length);
    s->processors.source = source;
    s->processors.source_len = source_len;
    s->processors.prompt_len = 1 + prefix_len;
    s->processors.max_length = s->max_length;
    s->processors.forgotten = s->processors.taken_count = 0;
    s->start = params->continues_source ? source[source_len - 1] : params->start;
    s->step = 0;
    s->rows = 1;
    s->records.candidate_count = 0;
    s->finished = 0;
    s->top_finished = false;
    s->done = s->broken = s->evaluated = s->scan.needs_whole_rows = false;
    search_lane_set_node(s, (BeamPosition){ 0, 0 }, (Node){ s->start, 0 }, 0);
    for (size_t i = 0; i < prefix_len; i++)
        search_lane_set_node(s, (BeamPosition){ i + 1, 0 }, (Node){ prefix[i], 0 }, 0);
    if (s->draws.memory) s->draws.key = sampling_key(params->sampling.seed, source, source_len);
    for (size_t i = 0; i < params->beams; i++) s->scores[i] = i == 0 ? 0 : SCORE_NEVER;
    for (size_t i = 0; i < s->result_room; i++)
        s->results[i] = (Result){ SCORE_NEVER, SCORE_NEVER, false, { prefix_len, 0 }, -1, 0 };
    if (params->beams == 1) s->results[0].sum = 0;
}

void search_lane_read_tokens(const SearchLane *s, BeamPosition last, size_t count, int32_t *tokens)
{
    for (; count > 0; last.step--) {
        const Node *node = search_lane_node(s, last);
        tokens[--count] = node->token;
        last.row = node->parent;
    }
}

void search_lane_read_history(const SearchLane *s, size_t row)
{
    s->history[0] = s->start;
    search_lane_read_tokens(s, (BeamPosition){ s->step, row }, s->step, s->history + 1);
}

bool search_lane_ends(const SearchLane *s, size_t row, int32_t token)
{
    if (ids_contain(&s->params->eos, token)) return true;
    if (!text_rules_stop_count(s->params->texts)) return false;
    search_lane_read_history(s, row);
    return text_rules_stops(s->params->texts, s->history, s->step + 1, token);
}

bool search_lane_wants_logits(const SearchLane *s)
{
    return !s->done && !s->evaluated && s->step >= s->free_step;
}

bool search_lane_needs_whole_rows(const SearchLane *s)
{
    const LogitsProcessors *processors = &s->processors;

    return s->strategy->needs_whole_rows || s->scan.needs_whole_rows || s->expects_scores || s->draws.memory ||
           s->favoured.len || (s->given.tokens && s->records.spread) || processors->ids ||
           logits_need_history(processors) || logits_change_scores(processors, s->step + 1);
}

void search_lane_advance(SearchLane *s)
{
    if (s->done) return;
    assert(!search_lane_wants_logits(s));
    if (s->evaluated)
        s->strategy->advance(s);
    else if (s->strategy->pass)
        s->strategy->pass(s);
    else
        s->step++;
    s->evaluated = false;
}

void search_lane_finish(SearchLane *s)
{
    s->done = true;
    s->rows = 0;
}

/* --- Results. */

float search_lane_final_score(const SearchLane *s, float sum, size_t step)
{
    const size_t length = s->params->rules.length_includes_prefix ? step : step - s->prefix_len;

    return (sum - s->params->word_penalty * (float)length) / search_length_factor(s->params, length);
}

/* Only finished hypotheses count as results, with one exception: the first entries always count. These are as many as
 * the beams, fewer if the patience is below 1, and one with draws. */
size_t search_lane_results(const SearchLane *s)
{
    const size_t finish = search_params_finish_count(s->params), beams = s->params->beams;
    const size_t certain = s->draws.memory ? 1 : finish < beams ? finish : beams;
    size_t count = s->params->n_best < s->result_room ? s->params->n_best : s->result_room;

    while (count > certain && !s->results[count - 1].finished) count--;
    return count;
}

Hypothesis search_lane_result(SearchLane *s, size_t i)
{
    const Result *result = &s->results[i];
    size_t len = result->last.step;

    search_lane_read_tokens(s, result->last, len, s->result_ids);
    if (result->finished) s->result_ids[len++] = result->token;
    return (Hypothesis){ s->result_ids, len, result->score, result->sum };
}

static BeamPosition parent_of(const SearchLane *s, BeamPosition at)
{
    return (BeamPosition){ at.step - 1, search_lane_node(s, at)->parent };
}

size_t search_lane_result_rows(const SearchLane *s, size_t i, size_t *rows)
{
    const Result *result = &s->results[i];
    BeamPosition at = result->last;

    if (result->finished) rows[at.step] = at.row;
    while (at.step > 0) {
        at = parent_of(s, at);
        rows[at.step] = at.row;
    }
    return result->last.step + result->finished;
}

/* Returns the log-probability of a token from the sums before and after it: their difference, rounded so that adding it
 * to the first sum in f32 gives the bits of the second. */
static float score_between(float before, float after)
{
    float score = after - before;

    while (before + score < after) score = nextafterf(score, INFINITY);
    while (before + score > after) score = nextafterf(score, -INFINITY);
    return score;
}

void search_lane_result_scores(const SearchLane *s, size_t i, float *scores)
{
    const Result *result = &s->results[i];
    BeamPosition at = result->last;
    float after = s->records.sums[search_lane_index(s, at)];

    if (result->finished) scores[at.step] = score_between(after, result->sum);
    while (at.step > 0) {
        at = parent_of(s, at);
        const float before = s->records.sums[search_lane_index(s, at)];
        scores[at.step] = score_between(before, after);
        after = before;
    }
}

TokenSpread search_lane_spread(const SearchLane *s, const RowScan *scan)
{
    const float second = scan->best_count > 1 ? scan->best[1] : -INFINITY;

    return (TokenSpread){ second > -INFINITY ? scan->best[0] - second : INFINITY,
                          s->kernels->entropy_end(&scan->parts) };
}

void search_lane_result_spread(const SearchLane *s, size_t i, TokenSpread *spread)
{
    const Result *result = &s->results[i];
    BeamPosition at = result->last;

    if (result->finished) spread[at.step] = s->records.spread[search_lane_index(s, at)];
    while (at.step > 0) {
        at = parent_of(s, at);
        spread[at.step] = s->records.spread[search_lane_index(s, at)];
    }
    for (size_t t = 0; t < s->prefix_len; t++) spread[t] = (TokenSpread){ INFINITY, 0 };
}

void search_lane_sort_results(SearchLane *s)
{
    for (size_t i = 1; i < s->result_room; i++) {
        const Result result = s->results[i];
        size_t at = i;
        for (; at > 0; at--) {
            const Result *before = &s->results[at - 1];
            const bool is_better =
                result.finished != before->finished ? result.finished : search_lane_is_better(&result, before);
            if (!is_better) break;
            s->results[at] = *before;
        }
        s->results[at] = result;
    }
}
