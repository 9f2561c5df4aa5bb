/* search_beam.c - from logits to the next rows: greedy search, beam search, draws, and groups of diverse beam search.
 *
 * Greedy search has one row and takes the best token of each step. Log-probabilities are computed from the processed
 * logits.
 *
 * Beam search follows _beam_search() of transformers 4.57.1 (generation/utils.py). One step,
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
 * from the same logits.
 *
 * A group of diverse beam search is a lane of its sentence. It follows group_beam_search() and BeamSearchScorer of
 * transformers 4.56 (generation/utils.py, beam_search.py), which 4.57 has moved out of the library. One step, with k
 * beams and K as above:
 *   1. log-probabilities minus diversity_penalty for each beam of an earlier group that takes the token in this step
 *      (LogitsProcessors.taken), processed by the settings; the K best candidates of all rows
 *   2. in their order: any of the first k that ends becomes a result; the first k that do not end continue
 *   3. the group is done when it has k results and the best candidate cannot beat the worst of them
 * Groups that are not done at the maximal length add their rows to the results.
 *
 * Draws (Sampling): greedy search draws one token from the row that the settings and filters leave. Beam search draws
 * its candidates without replacement: with independent u in (0, 1), those with the largest log w - log(-log u) are a
 * draw from weights w (the Gumbel-max trick). Each u depends only on the seed, the sentence, the number of the lane,
 * the step, the row and the token, so other sentences and threads change nothing. */
#include <math.h>
#include <string.h>

#include "search_state.h"

/* --- The settings, applied to a row of logits. */

/* The state of a UTF-8 decoder after the byte pieces at the end of a row. */
static Utf8State utf8_state_of(const SearchLane *s, size_t row)
{
    const size_t count = s->step < UTF8_RULES_MEMORY ? s->step : UTF8_RULES_MEMORY;
    int32_t tokens[UTF8_RULES_MEMORY];

    if (!s->params->utf8) return UTF8_BETWEEN;
    search_lane_read_tokens(s, (BeamPosition){ s->step, row }, count, tokens);
    return utf8_rules_state(s->params->utf8, tokens, count);
}

static void process_row(SearchLane *s, size_t row, float *logits)
{
    s->processors.utf8_state = utf8_state_of(s, row);
    if (logits_need_history(&s->processors)) search_lane_read_history(s, row);
    logits_process(&s->processors, row, s->history, s->step + 1, logits);
}

/* --- Sums of exponentials, block maxima, and the spread if it is recorded. */

/* Returns the logsumexp of a whole row and sets s->scan.maxima. If the spread is recorded, also stores the sums for the
 * entropy in the row's scan. */
static LogSumExp sum_row(SearchLane *s, size_t row, const float *logits)
{
    RowScan *scan = &s->scan.rows[row];

    if (!s->records.spread) return s->kernels->logsumexp(logits, s->processors.width, s->scan.maxima);
    row_scan_begin(scan);
    s->kernels->entropy_add(&scan->parts, logits, s->processors.width, s->scan.maxima);
    return s->kernels->logsumexp_end(&scan->parts.sums);
}

/* Sets s->scan.maxima for a row of scores, which need no logsumexp. */
static void read_maxima(SearchLane *s, size_t row, const float *scores)
{
    if (s->records.spread)
        (void)sum_row(s, row, scores);
    else
        s->kernels->maxima(scores, s->processors.width, s->scan.maxima);
}

/* Records the spread of a row from its scan. The margin is INFINITY if the settings allow no second candidate. */
static void record_scan(SearchLane *s, size_t row)
{
    RowScan *scan = &s->scan.rows[row];
    const float second = scan->best_count > 1 ? scan->best[1] : -INFINITY;

    if (s->records.spread)
        s->records.spread[search_lane_index(s, (BeamPosition){ s->step, row })] =
            (TokenSpread){ second > -INFINITY ? scan->best[0] - second : INFINITY,
                           s->kernels->entropy_end(&scan->parts) };
}

/* Records the spread of a whole row. s->scan.maxima must be upper bounds of its block maxima, as after sum_row(). */
static void record_row(SearchLane *s, size_t row, const float *x)
{
    if (s->records.spread) row_scan_take(&s->scan.rows[row], 2, 0, s->processors.width, x, s->scan.maxima);
    record_scan(s, row);
}

/* --- A favoured prefix (SearchParams.prefix_bias).
 *
 * While a row has not departed from the prefix, its probabilities are mixed with the prefix, with weight b:
 *     P'(id) = (1 - b) P(id) + b [id is the next token of the prefix]
 * A token that the settings forbid stays forbidden.
 * Source   Arivazhagan et al. 2019, "Re-translation Strategies for Long Form, Simultaneous, Spoken Language
 *          Translation", section 4.2; BiasedDecoder in src/decoding.cc of CTranslate2 */

/* Whether the tokens of the row are the first tokens of the prefix, and the prefix is longer. */
static bool follows(const SearchLane *s, size_t row)
{
    BeamPosition at = { s->step, row };

    if (s->step >= s->favoured.len) return false;
    if (s->params->rules.prefix_bias_by_position && s->strategy != &search_demanding) return !s->favoured.departed[row];
    for (; at.step > 0; at.step--) {
        const Node *node = search_lane_node(s, at);
        if (node->token != s->favoured.ids[at.step - 1]) return false;
        at.row = node->parent;
    }
    return true;
}

/* If the row has not departed from the favoured prefix, replaces its scores by the logarithms of P'(id). They have the
 * same bits at every CPU level. */
static void favour_row(SearchLane *s, size_t row, TopKRow *scores, float *logits)
{
    float rest, bias;

    if (!s->favoured.len || !follows(s, row)) return;
    rest = logf(1 - s->params->prefix_bias);
    bias = logf(s->params->prefix_bias);
    for (size_t i = 0; i < scores->count; i++) {
        const float log = (logits[i] - scores->sum.top) - scores->sum.logsumexp;
        logits[i] = log + rest;
        if (log > -INFINITY && search_lane_token_of(s, i) == s->favoured.ids[s->step]) {
            const LogSumExp sum = s->kernels->logsumexp((const float[]){ logits[i], bias }, 2, NULL);
            logits[i] = sum.top + sum.logsumexp;
        }
    }
    scores->sum = (LogSumExp){ 0 };
    s->kernels->maxima(logits, scores->count, s->scan.maxima);
}

static bool departs(const SearchLane *s, int32_t token)
{
    return s->step >= s->favoured.len || token != s->favoured.ids[s->step];
}

/* --- Logits in blocks. */

/* Takes a part of a row: keeps its best logits, and adds their exponentials to the row's sum if scores are needed.
 * Greedy search applies the settings before it adds. */
static void scan_row(SearchLane *s, size_t row, size_t first, size_t count, float *logits)
{
    const bool greedy = s->strategy == &search_greedy;
    const bool process_first = greedy || s->params->rules.processes_logits_before_normalizing;
    RowScan *scan = &s->scan.rows[row];
    LogitsProcessors part = s->processors;

    part.first = first;
    part.width = count;
    part.utf8_state = utf8_state_of(s, row);
    if (first == 0) row_scan_begin(scan);
    if (first == 0) search_lane_check_row(s, logits);
    if (process_first) logits_process(&part, row, NULL, s->step + 1, logits);
    if (greedy && s->params->skip_scores)
        s->kernels->maxima(logits, count, s->scan.maxima);
    else if (s->records.spread)
        s->kernels->entropy_add(&scan->parts, logits, count, s->scan.maxima);
    else
        s->kernels->logsumexp_add(&scan->parts.sums, logits, count, s->scan.maxima);
    if (!process_first) logits_process(&part, row, NULL, s->step + 1, logits);
    row_scan_take(scan, s->keep, first, count, logits, s->scan.maxima);
}

/* Takes a block of the step's logits. Returns true when all logits of the step are there: in the scans if
 * s->scan.is_used, otherwise in the block. If a scan dropped logits that may win, the search asks for whole rows. */
static bool take_block(SearchLane *s, const LogitsBlock *block)
{
    s->scan.needs_whole_rows = false;
    s->scan.is_used = block->count < s->processors.width;
    for (size_t r = 0; s->scan.is_used && r < s->rows; r++)
        scan_row(s, r, block->first, block->count, block->logits + r * block->stride);
    if (block->first + block->count < s->processors.width) return false;
    for (size_t r = 0; s->scan.is_used && r < s->rows; r++)
        s->scan.needs_whole_rows |= s->scan.rows[r].count > SCAN_MAX_KEPT || !(s->scan.rows[r].best[0] > -INFINITY);
    return !s->scan.needs_whole_rows;
}

/* --- Draws. */

/* Draws a column of a row of processed logits. */
static size_t draw_column(SearchLane *s, const float *logits)
{
    DrawMemory *draws = s->draws.memory;
    const size_t width = s->processors.width;
    const PhiloxBlock counter = { { (uint32_t)s->step, s->draws.number, 0, 0 } };

    memcpy(draws->weights, logits, width * sizeof *logits);
    sampling_filter(&draws->sampler, &s->params->sampling, draws->weights, width, 1);
    return sampling_draw(&draws->sampler, draws->weights, width, philox_unit(s->draws.key, counter));
}

/* Draws the candidates of beam search into s->top. At the first step, one row is enough for all beams. */
static void draw_candidates(SearchLane *s, const LogitsBlock *block)
{
    const Sampling *sampling = &s->params->sampling;
    const bool from_all = s->params->rules.draws_from_all_rows;
    DrawMemory *draws = s->draws.memory;
    const size_t width = s->processors.width, count = s->rows * width;

    for (size_t r = 0; r < s->rows; r++) {
        const TopKRow row = search_beam_score_row(s, r, block->logits + r * block->stride);
        float *scores = draws->scores + r * width, *weights = draws->weights + r * width;
        for (size_t i = 0; i < width; i++) scores[i] = (row.x[i] - row.sum.top) - row.sum.logsumexp;
        if (!from_all) sampling_filter(&draws->sampler, sampling, scores, width, s->params->eos.len + 1);
        for (size_t i = 0; i < width; i++) weights[i] = scores[i] = s->scores[r] + scores[i];
    }
    if (from_all) sampling_filter(&draws->sampler, sampling, draws->weights, count, 1);
    for (size_t i = 0; i < count; i++) {
        const TopKRow row = { .row = (uint32_t)(i / width) };
        const uint32_t token = (uint32_t)search_lane_token_of(s, i % width);
        const PhiloxBlock counter = { { (uint32_t)s->step, row.row, token, 1 + s->draws.number } };
        if (!(draws->weights[i] > SCORE_NEVER / 2)) continue;
        top_k_offer_one(&s->top, &row, draws->weights[i] + (float)-log(-log(philox_unit(s->draws.key, counter))),
                        (int32_t)(i % width));
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate *c = &s->top.items[i];
        c->score = draws->scores[c->row * width + (size_t)c->token];
        c->token = search_lane_token_of(s, (size_t)c->token);
    }
}

/* --- Recording the candidates of a step. */

static bool is_complete(const SearchLane *s, size_t row, int32_t token)
{
    return s->step + 1 >= s->max_length || search_lane_ends(s, row, token);
}

static void record_candidate(SearchLane *s, Candidate c, CandidateFate fate, size_t row)
{
    s->records.candidates[s->records.candidate_count++] =
        (SearchCandidate){ .position = s->step,
                           .parent = c.row,
                           .token = c.token,
                           .sum = c.score,
                           .fate = fate,
                           .row = row,
                           .score = fate == CANDIDATE_FINISHED ? search_lane_final_score(s, c.score, s->step + 1) : 0 };
}

/* Incomplete candidates become the next rows, in their order. A sum of SCORE_NEVER or less belongs to no hypothesis, so
 * the candidate is not recorded. */
static void record_candidates(SearchLane *s)
{
    const size_t beams = s->params->beams;
    size_t open = 0;

    for (size_t i = 0; s->records.candidates && i < s->top.count; i++) {
        const Candidate c = s->top.items[i];
        const bool complete = is_complete(s, c.row, c.token);
        const bool finished = complete && (i < beams || s->params->rules.beam_shrinks_with_finished);
        const bool kept = !complete && open < beams;
        if (!(c.score > SCORE_NEVER / 2)) continue;
        record_candidate(s, c, finished ? CANDIDATE_FINISHED : kept ? CANDIDATE_KEPT : CANDIDATE_PRUNED, open);
        open += !complete;
    }
}

/* --- Greedy search. */

/* Chooses the token of the step. Adds its log-probability to the score, unless scores are skipped. */
static void greedy_take(SearchLane *s, const LogitsBlock *block)
{
    const bool scores = !s->params->skip_scores;
    float *logits = block->logits;
    LogSumExp sum = { 0 };
    KeptLogit best;

    if (!take_block(s, block)) return;
    if (s->scan.is_used) {
        best = *row_scan_largest(&s->scan.rows[0]);
        if (scores) sum = s->kernels->logsumexp_end(&s->scan.rows[0].parts.sums);
        record_scan(s, 0);
    } else {
        TopKRow row = { .count = s->processors.width };
        size_t column;
        search_lane_check_row(s, logits);
        process_row(s, 0, logits);
        if ((scores || s->favoured.len) && !s->expects_scores)
            row.sum = sum_row(s, 0, logits);
        else if (s->records.spread)
            read_maxima(s, 0, logits);
        record_row(s, 0, logits);
        favour_row(s, 0, &row, logits);
        column = s->draws.memory ? draw_column(s, logits) : s->kernels->argmax(logits, row.count);
        best = (KeptLogit){ logits[column], search_lane_token_of(s, column) };
        sum = row.sum;
    }
    if (scores) s->results[0].sum += (best.x - sum.top) - sum.logsumexp;
    search_lane_check_sum(s, best.x, sum.logsumexp);
    s->chosen = best.id;
    s->evaluated = true;
}

/* A score is always finite: broken logits (NaN, or all infinite) give SCORE_NEVER. */
static void greedy_advance(SearchLane *s)
{
    Result *result = &s->results[0];
    const int32_t token = s->chosen;
    const bool complete = is_complete(s, 0, token);

    if (s->records.candidates)
        record_candidate(s, (Candidate){ result->sum, 0, token }, complete ? CANDIDATE_FINISHED : CANDIDATE_KEPT, 0);
    if (s->favoured.len) s->favoured.departed[0] |= departs(s, token);
    result->last = (BeamPosition){ s->step, 0 };
    result->token = token;
    s->step++;
    if (!complete) {
        search_lane_set_node(s, (BeamPosition){ s->step, 0 }, (Node){ token, 0 }, result->sum);
        return;
    }
    result->score = search_lane_final_score(s, result->sum, s->step);
    if (!(result->score >= SCORE_NEVER)) result->score = SCORE_NEVER;
    if (!(result->sum >= SCORE_NEVER)) result->sum = SCORE_NEVER;
    result->finished = true;
    search_lane_finish(s);
}

const SearchStrategy search_greedy = { .take = greedy_take, .advance = greedy_advance };

/* --- Beam search. */

TopKRow search_beam_score_row(SearchLane *s, size_t row, float *logits)
{
    TopKRow out = { .base = 0, .x = logits, .maxima = s->scan.maxima, .count = s->processors.width };

    search_lane_check_row(s, logits);
    if (s->expects_scores) {
        process_row(s, row, logits);
        read_maxima(s, row, logits);
    } else if (s->params->rules.processes_logits_before_normalizing) {
        process_row(s, row, logits);
        out.sum = sum_row(s, row, logits);
    } else if (logits_change_scores(&s->processors, s->step + 1)) {
        s->kernels->log_softmax(logits, s->processors.width);
        search_lane_check_row(s, logits);
        process_row(s, row, logits);
        read_maxima(s, row, logits);
    } else {
        out.sum = sum_row(s, row, logits);
        process_row(s, row, logits);
    }
    record_row(s, row, logits);
    search_lane_check_sum(s, out.sum.top, out.sum.logsumexp);
    favour_row(s, row, &out, logits);
    return out;
}

/* Steps 1 and 2. Unless first_step_has_one_row is set, the only row of the first step is used once for each beam. */
static void beam_take(SearchLane *s, const LogitsBlock *block)
{
    const SearchParams *params = s->params;
    const bool is_first = s->step == s->prefix_len, equal = is_first && !params->rules.first_step_has_one_row;
    const size_t runs = equal ? params->beams : s->rows, width = is_first ? params->beams : s->rows;
    TopKRow row = { 0 };

    if (!take_block(s, block)) return;
    s->evaluated = true;
    s->top.capacity = params->rules.beam_shrinks_with_finished && width < s->keep ? width : s->keep;
    s->top.count = 0;
    if (s->draws.memory) {
        draw_candidates(s, block);
        return;
    }
    for (size_t r = 0; r < runs; r++) {
        const RowScan *scan = &s->scan.rows[equal ? 0 : r];
        if (s->scan.is_used) {
            row.sum = s->kernels->logsumexp_end(&scan->parts.sums);
            search_lane_check_sum(s, row.sum.top, row.sum.logsumexp);
            if (!equal || r == 0) record_scan(s, r);
        } else if (!equal || r == 0) {
            row = search_beam_score_row(s, r, block->logits + r * block->stride);
        }
        row.row = (uint32_t)r;
        row.base = s->scores[r];
        if (s->scan.is_used)
            row_scan_offer(scan, &s->top, &row);
        else
            top_k_offer(&s->top, &row);
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate *c = &s->top.items[i];
        c->token = search_lane_token_of(s, (size_t)c->token);
        if (equal) c->row = 0;
    }
}

/* Marks the complete candidates. Returns true when at least one is not complete. */
static bool mark_complete(SearchLane *s)
{
    bool open = false;

    for (size_t i = 0; i < s->top.count; i++) {
        s->complete[i] = is_complete(s, s->top.items[i].row, s->top.items[i].token);
        open |= !s->complete[i];
    }
    return open;
}

/* If a new result equals an old one, the old one stays first. */
void search_beam_add_result(SearchLane *s, const Candidate *c, float score, size_t missed)
{
    const Result result = { .score = score,
                            .sum = c->score,
                            .finished = true,
                            .last = { s->step, c->row },
                            .token = c->token,
                            .missed = missed };
    const size_t room = s->result_room;
    size_t at = room;

    for (; at > 0 && search_lane_is_better(&result, &s->results[at - 1]); at--)
        if (at < room) s->results[at] = s->results[at - 1];
    if (at < room) s->results[at] = result;
}

static void add_result(SearchLane *s, const Candidate *c)
{
    search_beam_add_result(s, c, search_lane_final_score(s, c->score, s->step + 1), 0);
}

/* Step 4: merges the incomplete and the complete candidates, both of which are sorted. */
static void choose_running(SearchLane *s)
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
        search_lane_set_node(s, (BeamPosition){ s->step, r }, (Node){ items[pick].token, items[pick].row },
                             s->scores[r]);
        if (pick == open)
            open++;
        else
            ended++;
    }
}

/* Step 5: returns true when the search ends. */
static bool is_over(const SearchLane *s)
{
    const SearchParams *params = s->params;
    const bool hopeful = params->early_stopping == EARLY_STOPPING_NEVER && params->length_penalty > 0;
    const size_t length = (hopeful ? s->max_length : s->step) - s->prefix_len;
    bool all_finished = true;

    if (params->rules.ends_with_finished_count)
        return params->length_penalty == 0 && params->coverage_penalty == 0
                   ? s->top_finished && s->finished >= params->n_best
                   : s->finished >= search_params_finish_count(params);
    if (params->beams == 1 && s->top_finished) return true; /* greedy search with a favoured prefix */
    for (size_t i = 0; i < s->result_room; i++) all_finished &= s->results[i].finished;
    if (params->early_stopping == EARLY_STOPPING_TRUE && all_finished) return true;
    /* The search ends when the best running beam cannot beat the worst result; an unused result has the lowest score.
     * The beam is scored at its present length, or at the maximal length if longer translations can still gain. */
    return !(s->scores[0] / search_length_factor(params, length) > s->results[s->result_room - 1].score);
}

static void advance_fixed(SearchLane *s)
{
    const bool best_may_end = s->params->rules.only_best_ends_after_prefix && s->prefix_len && s->step == s->prefix_len;
    bool open;

    /* Directly after a prefix only the best candidate may end. The others stay in the list with the score SCORE_NEVER,
     * so that they have no effect. */
    for (size_t i = 1; best_may_end && i < s->top.count; i++)
        if (search_lane_ends(s, s->top.items[i].row, s->top.items[i].token))
            s->top.items[i] = (Candidate){ .score = 10 * SCORE_NEVER };
    record_candidates(s);
    for (size_t k = 0; s->favoured.len && k < s->params->beams; k++)
        s->favoured.departed[k] |= k >= s->top.count || departs(s, s->top.items[k].token);
    open = mark_complete(s);
    for (size_t i = 0; i < s->params->beams && i < s->top.count; i++) { /* step 3 */
        if (!s->complete[i]) continue;
        add_result(s, &s->top.items[i]);
        s->finished++;
        if (i == 0) s->top_finished = true;
    }
    if (s->draws.memory && !s->params->rules.draws_from_all_rows) {
        /* Sort the few candidates, which are in the order in which they were drawn, by their scores. */
        Candidate *items = s->top.items;
        for (size_t i = 1; i < s->top.count; i++) {
            const Candidate item = items[i];
            size_t at = i;
            for (; at > 0 && items[at - 1].score < item.score; at--) items[at] = items[at - 1];
            items[at] = item;
        }
        (void)mark_complete(s);
    }
    choose_running(s);
    if (!open || is_over(s)) search_lane_finish(s);
}

/* Steps 3 to 5 with beam_shrinks_with_finished. */
static void advance_shrinking(SearchLane *s)
{
    const bool last = s->step + 1 >= s->max_length;
    size_t running = 0;

    record_candidates(s);
    for (size_t i = 0; i < s->top.count; i++) {
        const Candidate *c = &s->top.items[i];
        if (last || search_lane_ends(s, c->row, c->token)) {
            add_result(s, c);
            continue;
        }
        s->scores[running] = c->score;
        search_lane_set_node(s, (BeamPosition){ s->step + 1, running++ }, (Node){ c->token, c->row }, c->score);
    }
    s->step++;
    s->rows = running;
    if (!running) search_lane_finish(s);
}

static void beam_advance(SearchLane *s)
{
    (s->params->rules.beam_shrinks_with_finished ? advance_shrinking : advance_fixed)(s);
}

const SearchStrategy search_beam = { .take = beam_take, .advance = beam_advance };

/* --- A group of diverse beam search. */

size_t search_group_tokens(const SearchLane *s, int32_t *tokens)
{
    size_t count = 0;

    for (size_t i = 0; i < s->top.count && count < s->params->beams; i++)
        if (!search_lane_ends(s, s->top.items[i].row, s->top.items[i].token)) tokens[count++] = s->top.items[i].token;
    return count;
}

/* Step 3. */
static bool is_done(const SearchLane *s)
{
    const SearchParams *params = s->params;
    const Result *worst = &s->results[s->result_room - 1];
    const bool hopeful = params->early_stopping == EARLY_STOPPING_NEVER && params->length_penalty > 0;
    const size_t length = (hopeful ? s->max_length : s->step + 1) - s->prefix_len;

    if (!worst->finished) return false;
    if (params->early_stopping == EARLY_STOPPING_TRUE) return true;
    return worst->score >= s->top.items[0].score / search_length_factor(params, length);
}

static void group_advance(SearchLane *s)
{
    const bool last = s->step + 1 >= s->max_length;
    const size_t beams = s->params->beams;
    size_t count = 0;
    bool done;

    for (size_t i = 0; i < s->top.count && i < beams; i++) {
        Candidate ended = s->top.items[i];
        if (!search_lane_ends(s, ended.row, ended.token)) continue;
        if (ids_contain(&s->params->eos, ended.token))
            ended.token = s->params->eos.data[0]; /* transformers does not remember which end token it was */
        add_result(s, &ended);
    }
    done = is_done(s);
    for (size_t i = 0; i < s->top.count && count < beams; i++) {
        const Candidate *c = &s->top.items[i];
        if (search_lane_ends(s, c->row, c->token)) continue;
        if (last && !done) add_result(s, c);
        s->scores[count] = c->score;
        search_lane_set_node(s, (BeamPosition){ s->step + 1, count++ }, (Node){ c->token, c->row }, c->score);
    }
    s->step++;
    s->rows = count;
    if (done || last || !count) search_lane_finish(s);
}

const SearchStrategy search_group = { .needs_whole_rows = true, .take = beam_take, .advance = group_advance };
