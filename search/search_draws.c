/* search_draws.c - tokens that are drawn at random (Sampling).
 *
 * Greedy search draws one token from the row that the settings and filters leave. Beam search draws its candidates
 * without replacement: with independent u in (0, 1), those with the largest log w - log(-log u) are a draw from
 * weights w (the Gumbel-max trick). Each u is the random number of the sentence, the hypothesis that is drawn by
 * itself, the step, the row and the token, so that neighbours and threads change nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "philox.h"
#include "search_state.h"

void search_draws_free(SearchDraws *draws)
{
    if (!draws) return;
    sampler_free(&draws->sampler);
    free(draws->scores);
    free(draws->weights);
    free(draws);
}

/* The sizes have been checked by search_new(): beams * vocab fits 32 bits. */
Status search_draws_new(Search *s, Err *err)
{
    const size_t beams = s->params->beams, all = beams * s->vocab;
    SearchDraws *draws = s->draws = calloc(1, sizeof *draws);

    if (!draws) return err_memory(err, "the search");
    draws->weights = calloc(all, sizeof *draws->weights);
    if (beams > 1) draws->scores = calloc(all, sizeof *draws->scores);
    if (!draws->weights || (beams > 1 && !draws->scores)) return err_memory(err, "the search");
    return sampler_init(&draws->sampler, all, err);
}

size_t search_draw_token(Search *s, const float *logits)
{
    SearchDraws *draws = s->draws;
    const size_t width = s->processors.width;
    const PhiloxBlock counter = { { (uint32_t)s->step, s->draw_number, 0, 0 } };

    memcpy(draws->weights, logits, width * sizeof *logits);
    sampling_filter(&draws->sampler, &s->params->sampling, draws->weights, width, 1);
    return sampling_draw(&draws->sampler, draws->weights, width, philox_unit(s->draw_key, counter));
}

/* Writes the scores of a row's candidates, and what they are drawn by. */
static void weigh_row(Search *s, size_t row, const LogitsBlock *block)
{
    SearchDraws *draws = s->draws;
    float *logits = block->logits + row * block->stride;
    const TopKRow scored = search_beam_score_row(s, row, logits);
    float *scores = draws->scores + row * scored.count, *weights = draws->weights + row * scored.count;

    for (size_t i = 0; i < scored.count; i++) scores[i] = (scored.x[i] - scored.sum.top) - scored.sum.logsumexp;
    if (!s->params->rules.draws_from_all_rows)
        sampling_filter(&draws->sampler, &s->params->sampling, scores, scored.count, s->params->eos.len + 1);
    for (size_t i = 0; i < scored.count; i++) weights[i] = scores[i] = s->scores[row] + scores[i];
}

static float gumbel(const Search *s, size_t row, int32_t token)
{
    const PhiloxBlock counter = { { (uint32_t)s->step, (uint32_t)row, (uint32_t)token, 1 + s->draw_number } };

    return (float)-log(-log(philox_unit(s->draw_key, counter)));
}

/* Fills s->top. The row of the first step stands for all rows. */
void search_draw_beams(Search *s, const LogitsBlock *block)
{
    SearchDraws *draws = s->draws;
    const size_t width = s->processors.width, count = s->rows * width;

    for (size_t r = 0; r < s->rows; r++) weigh_row(s, r, block);
    if (s->params->rules.draws_from_all_rows)
        sampling_filter(&draws->sampler, &s->params->sampling, draws->weights, count, 1);
    for (size_t i = 0; i < count; i++) {
        const int32_t token = search_token_of(s, i % width);
        const TopKRow row = { .row = (uint32_t)(i / width) };
        if (draws->weights[i] > SCORE_NEVER / 2)
            top_k_offer_one(&s->top, &row, draws->weights[i] + gumbel(s, i / width, token), (int32_t)(i % width));
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate *c = &s->top.items[i];
        c->score = draws->scores[c->row * width + (size_t)c->token];
        c->token = search_token_of(s, (size_t)c->token);
    }
}
