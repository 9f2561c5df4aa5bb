/* search_greedy.c - greedy search: one row, the best token of each step. The
 * log-probabilities are those of the processed logits. */
#include "search_state.h"

/* With scores, the token's log-probability is added up. */
void search_greedy_choose(Search *s, float *logits)
{
    const bool scores = !s->params->skip_scores;
    LogSum sum = { 0 };
    Kept best;

    if (s->scanned) {
        best = *search_scan_largest(&s->scans[0]);
        if (scores) sum = s->kernels->logsumexp_end(&s->scans[0].parts);
    } else {
        size_t column;
        search_check_row(s, logits);
        search_process_row(s, 0, logits);
        column = s->kernels->argmax(logits, s->processors.width);
        best = (Kept){ logits[column], search_token_of(s, column) };
        if (scores && !s->scored) sum = s->kernels->logsumexp(logits, s->processors.width, NULL);
    }
    if (scores) s->slots[0].sum += (best.x - sum.top) - sum.logsumexp;
    search_check_sum(s, best.x, sum.logsumexp);
    s->chosen = best.id;
}

/* Broken logits (NaN, all infinite) score NEVER: a score is always a finite number. */
void search_greedy_advance(Search *s)
{
    const int32_t token = s->chosen;
    bool ends;

    s->slots[0].last = (Place){ s->step, 0 };
    s->slots[0].token = token;
    s->step++;
    ends = search_is_end(s, token) || s->step >= s->max_length;
    if (ends) {
        s->slots[0].score = search_final_score(s, s->slots[0].sum, s->step);
        if (!(s->slots[0].score >= NEVER)) s->slots[0].score = NEVER;
        if (!(s->slots[0].sum >= NEVER)) s->slots[0].sum = NEVER;
        s->slots[0].finished = true;
        search_finish(s);
        return;
    }
    *search_node(s, (Place){ s->step, 0 }) = (Node){ token, 0 };
}
