/* search_greedy.c - greedy search: one row, and the best token of each step. The
 * log-probabilities are those of the processed logits. */
#include "search_state.h"

/* Adds the log-probability of the token to the score, unless scores are skipped. */
void search_greedy_choose(Search *s, float *logits)
{
    const bool scores = !s->params->skip_scores;
    LogSumExp sum = { 0 };
    KeptLogit best;

    if (s->scanned) {
        best = *search_scan_largest(&s->scans[0]);
        if (scores) sum = s->kernels->logsumexp_end(&s->scans[0].parts.sums);
        search_spread_scan(s, 0);
    } else {
        TopKRow row = { .count = s->processors.width };
        size_t column;
        search_check_row(s, logits);
        search_process_row(s, 0, logits);
        if ((scores || s->favoured_len) && !s->expects_scores)
            row.sum = search_sum_row(s, 0, logits);
        else if (s->spread)
            search_read_maxima(s, 0, logits);
        search_spread_row(s, 0, logits);
        if (s->favoured_len) search_favour_row(s, 0, &row, logits);
        column = s->draws ? search_draw_token(s, logits) : s->kernels->argmax(logits, row.count);
        best = (KeptLogit){ logits[column], search_token_of(s, column) };
        sum = row.sum;
    }
    if (scores) s->results[0].sum += (best.x - sum.top) - sum.logsumexp;
    search_check_sum(s, best.x, sum.logsumexp);
    s->chosen = best.id;
}

/* Broken logits (NaN, or all infinite) get the score SCORE_NEVER: a score is always finite. */
void search_greedy_advance(Search *s)
{
    const int32_t token = s->chosen;
    bool ends;

    if (s->candidates) search_trace_greedy(s);
    if (s->favoured_len) search_favour_advance_greedy(s);
    s->results[0].last = (BeamPosition){ s->step, 0 };
    s->results[0].token = token;
    ends = search_ends(s, 0, token) || s->step + 1 >= s->max_length;
    s->step++;
    if (ends) {
        s->results[0].score = search_final_score(s, s->results[0].sum, s->step);
        if (!(s->results[0].score >= SCORE_NEVER)) s->results[0].score = SCORE_NEVER;
        if (!(s->results[0].sum >= SCORE_NEVER)) s->results[0].sum = SCORE_NEVER;
        s->results[0].finished = true;
        s->results[0].missed = 0;
        search_finish(s);
        return;
    }
    search_set_node(s, (BeamPosition){ s->step, 0 }, (Node){ token, 0 }, s->results[0].sum);
}
