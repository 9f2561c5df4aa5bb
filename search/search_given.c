/* search_given.c - the strategy for a given translation. The lane chooses nothing: it finds the log-probabilities that
 * a search gives to the tokens.
 *
 * They have the same bits as in search_result_scores() for the same tokens and settings. Where a search applies the
 * settings before it normalizes the logits (greedy search, and all searches with CTranslate2's rules), all settings are
 * applied here. In other searches, settings that only forbid tokens do not affect the scores of other tokens, so only
 * settings that change scores are applied. There is one difference from a search: a token that the settings forbid is
 * scored as if they allowed it.
 *
 * The positions from `settled` to the current step wait for their logits. */
#include <math.h>
#include <string.h>

#include "search_state.h"

/* A token while its logits arrive. */
struct GivenToken {
    LogSumExpState parts;
    float processed, raw; /* the token's logit with and without the settings */
    float score;          /* the log-probability, once all logits are taken; at least SCORE_NEVER */
};

Status search_given_allow(SearchLane *s, size_t ahead, bool is_greedy, Err *err)
{
    s->given.tokens = arena_zeroed(s->arena, ahead, sizeof *s->given.tokens);
    s->given.room = ahead;
    s->given.process_first = is_greedy || s->params->rules.processes_logits_before_normalizing;
    return s->given.tokens ? OK : err_memory(err, "the search");
}

void search_given_allow_spread(SearchLane *s)
{
    s->scan.maxima = arena_zeroed(s->arena, ROW_MAXIMA_OF(s->vocab), sizeof *s->scan.maxima);
    s->scan.rows = arena_zeroed(s->arena, 1, sizeof *s->scan.rows);
    if (!s->scan.rows) return;
    s->scan.rows->kept = arena_alloc(s->arena, SCAN_MAX_KEPT, sizeof *s->scan.rows->kept);
    s->scan.rows->best = arena_alloc(s->arena, 2, sizeof *s->scan.rows->best);
}

/* Call it after the lane has begun the sentence. The first prefix_len tokens of the translation are its prefix. */
void search_given_set(SearchLane *s, const int32_t *target, size_t len)
{
    s->strategy = &search_given;
    if (!s->prefix_len && *target == s->params->forced_bos) s->free_step = 1;
    if (s->records.spread && s->free_step) s->records.spread[0] = (TokenSpread){ INFINITY, 0 };
    s->given.len = len;
    s->given.settled = 0;
    s->history[0] = s->start;
    memcpy(s->history + 1, target, len * sizeof *target);
    for (size_t i = 1; i < len; i++) search_lane_set_node(s, (BeamPosition){ i, 0 }, (Node){ target[i - 1], 0 }, 0);
    s->results[0] = (Result){ .finished = true, .last = { len - 1, 0 }, .token = target[len - 1] };
}

bool search_given_read_ahead(SearchLane *s)
{
    if (s->step + 1 == s->given.len || s->step + 1 - s->given.settled == s->given.room) return false;
    if (search_lane_wants_logits(s)) s->scan.needs_whole_rows |= logits_change_scores(&s->processors, s->step + 1);
    s->step++;
    return true;
}

/* Records the spread of a whole row as a search does: of the entropy before settings that only forbid tokens, and of
 * the margin after all settings. `applies`: the settings have not been applied yet. */
static void record_spread(SearchLane *s, size_t position, float *logits, bool applies)
{
    RowScan *scan = s->scan.rows;

    row_scan_begin(scan);
    s->kernels->entropy_add(&scan->parts, logits, s->vocab, s->scan.maxima);
    if (applies) logits_process(&s->processors, 0, s->history, position + 1, logits);
    row_scan_take(scan, 2, 0, s->vocab, logits, s->scan.maxima);
    s->records.spread[search_lane_index(s, (BeamPosition){ position, 0 })] = search_lane_spread(s, scan);
}

/* Takes the logits of one row; block->row is its position. */
static void given_take(SearchLane *s, const LogitsBlock *block)
{
    LogitsProcessors *processors = &s->processors;
    const Kernels *kernels = s->kernels;
    const size_t position = block->row, length = position + 1; /* of the decoder's input */
    const size_t column = (size_t)s->history[position + 1] - block->first, count = block->count;
    const bool process_first = s->given.process_first;
    const bool process = process_first || s->expects_scores || logits_change_scores(processors, length);
    const bool normalize = process && !process_first && !s->expects_scores, add = !normalize && !s->expects_scores;
    struct GivenToken *token = &s->given.tokens[position - s->given.settled];
    LogSumExp sum = { 0 };
    float *logits = block->logits;

    if (s->params->utf8) processors->utf8_state = utf8_rules_state(s->params->utf8, s->history + 1, position);
    processors->first = block->first;
    processors->width = count;
    if (block->first == 0) {
        search_lane_check_row(s, logits);
        token->parts = logsumexp_begin();
    }
    if (normalize) {
        kernels->log_softmax(logits, count);
        search_lane_check_row(s, logits);
    }
    if (column < count) token->raw = logits[column];
    if (process) logits_process(processors, 0, s->history, length, logits);
    if (column < count) token->processed = logits[column];
    if (add) kernels->logsumexp_add(&token->parts, logits, count, NULL);
    if (s->records.spread) record_spread(s, position, logits, !process);
    if (block->first + count < s->vocab) return;
    if (add) sum = kernels->logsumexp_end(&token->parts);
    /* All logits of the token have come, so compute its score. The exponential of a forbidden token is missing in the
     * sum: subtracting log(e^score + 1) makes up for that. */
    const bool forbidden = !(token->processed > -INFINITY);
    const float x = forbidden ? token->raw : token->processed;
    token->score = (x - sum.top) - sum.logsumexp;
    if (forbidden && s->given.process_first && !s->expects_scores) {
        const double score = (double)token->score, top = score > 0 ? score : 0;
        token->score -= (float)(top + log(exp(score - top) + exp(0 - top)));
    }
    if (!(token->score >= SCORE_NEVER)) token->score = SCORE_NEVER;
    if (!s->params->remove_invalid_values && sum.top > -INFINITY)
        s->broken |= !isfinite(sum.top) || !isfinite(sum.logsumexp) || x != x;
    s->evaluated = position == s->step; /* rows arrive in ascending order */
}

/* Adds the scores of the positions up to the current step to the result, in order. */
static void given_advance(SearchLane *s)
{
    Result *result = &s->results[0];
    const size_t begin = s->given.settled;

    for (size_t t = begin; t <= s->step; t++) {
        if (t >= s->free_step) result->sum += s->given.tokens[t - begin].score;
        if (s->records.sums && t + 1 < s->given.len)
            s->records.sums[search_lane_index(s, (BeamPosition){ t + 1, 0 })] = result->sum;
    }
    s->given.settled = ++s->step;
    s->scan.needs_whole_rows = false;
    if (s->step < s->given.len) return;
    result->score = search_lane_final_score(s, result->sum, s->given.len);
    search_lane_finish(s);
}

const SearchStrategy search_given = { .pass = given_advance, .take = given_take, .advance = given_advance };
