/* search_groups.c - a group of diverse beam search, which is a lane of its sentence (search_lanes.h).
 *
 * It follows group_beam_search() and BeamSearchScorer of transformers 4.56 (generation/utils.py, beam_search.py), which
 * 4.57 has moved out of the library. One step, with k beams and K = max(2, 1 + number of end tokens) * k:
 *   1. log-probabilities minus diversity_penalty for each beam of an earlier group that takes the token in this step
 *      (LogitsProcessors.taken), processed by the settings; the K best candidates of all rows
 *   2. in their order: those that end become results if they are among the first k; the first k others continue
 *   3. the group is done when it has k results and the best candidate cannot beat the worst of them
 * Groups that are not done at the maximal length add their rows to the results. */
#include "search_state.h"

static bool ends(const Search *s, const Candidate *c)
{
    return search_ends(s, c->row, c->token);
}

size_t search_group_tokens(const Search *s, int32_t *tokens)
{
    size_t count = 0;

    for (size_t i = 0; i < s->top.count && count < s->params->beams; i++)
        if (!ends(s, &s->top.items[i])) tokens[count++] = s->top.items[i].token;
    return count;
}

/* Step 3. */
static bool is_done(const Search *s)
{
    const SearchParams *params = s->params;
    const Result *worst = &s->results[s->result_room - 1];
    const bool hopeful = params->early_stopping == EARLY_STOPPING_NEVER && params->length_penalty > 0;
    const size_t length = (hopeful ? s->max_length : s->step + 1) - s->prefix_len;

    if (!worst->finished) return false;
    if (params->early_stopping == EARLY_STOPPING_TRUE) return true;
    return worst->score >= s->top.items[0].score / search_length_factor(params, length);
}

void search_group_advance(Search *s)
{
    const bool last = s->step + 1 >= s->max_length;
    const size_t beams = s->params->beams;
    size_t count = 0;
    bool done;

    for (size_t i = 0; i < s->top.count && i < beams; i++) {
        Candidate ended = s->top.items[i];
        if (!ends(s, &ended)) continue;
        if (search_params_is_eos(s->params, ended.token))
            ended.token = s->params->eos.data[0]; /* as transformers, which does not remember the token */
        search_beam_add_result(s, &ended);
    }
    done = is_done(s);
    for (size_t i = 0; i < s->top.count && count < beams; i++) {
        const Candidate *c = &s->top.items[i];
        if (ends(s, c)) continue;
        if (last && !done) search_beam_add_result(s, c);
        s->scores[count] = c->score;
        search_set_node(s, (BeamPosition){ s->step + 1, count++ }, (Node){ c->token, c->row }, c->score);
    }
    s->step++;
    s->rows = count;
    if (done || last || !count) search_finish(s);
}
