/* search_trace.c - what a search records for search_candidates() of search.h. */
#include <stdlib.h>

#include "search.h"
#include "search_state.h"

Status search_record_candidates(Search *search, Err *err)
{
    const size_t steps = search->params->max_length + 1;

    if (!search->candidates) search->candidates = calloc(steps, search->keep * sizeof *search->candidates);
    return search->candidates ? OK : err_memory(err, "the search");
}

const SearchCandidate *search_candidates(const Search *search, size_t *count)
{
    *count = search->candidate_count;
    return search->candidates;
}

static bool is_complete(const Search *s, size_t row, int32_t token)
{
    return s->step + 1 >= s->max_length || search_ends(s, row, token);
}

static void record(Search *s, Candidate c, CandidateFate fate, size_t row)
{
    s->candidates[s->candidate_count++] =
        (SearchCandidate){ .position = s->step,
                           .parent = c.row,
                           .token = c.token,
                           .sum = c.score,
                           .fate = fate,
                           .row = row,
                           .score = fate == CANDIDATE_FINISHED ? search_final_score(s, c.score, s->step + 1) : 0 };
}

/* The open candidates become rows in their order. Those that stand for no hypothesis have a sum of SCORE_NEVER or less
 * and are skipped. */
void search_trace_beams(Search *s)
{
    const size_t beams = s->params->beams;
    size_t open = 0;

    for (size_t i = 0; i < s->top.count; i++) {
        const Candidate c = s->top.items[i];
        const bool complete = is_complete(s, c.row, c.token);
        const bool finished = complete && (i < beams || s->params->rules.beam_shrinks_with_finished);
        const bool kept = !complete && open < beams;
        if (!(c.score > SCORE_NEVER / 2)) continue;
        record(s, c, finished ? CANDIDATE_FINISHED : kept ? CANDIDATE_KEPT : CANDIDATE_PRUNED, open);
        open += !complete;
    }
}

void search_trace_greedy(Search *s)
{
    const Candidate c = { s->results[0].sum, 0, s->chosen };

    record(s, c, is_complete(s, c.row, c.token) ? CANDIDATE_FINISHED : CANDIDATE_KEPT, 0);
}
