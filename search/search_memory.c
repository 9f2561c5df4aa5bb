/* search_memory.c - allocates and frees a Search: search_new(), search_free() and search_record_scores() of
 * search.h. */
#include <stdlib.h>

#include "search.h"
#include "search_lanes.h"
#include "search_state.h"

/* Allocates everything and checks each size for overflow. */
static bool allocate(Search *s)
{
    size_t beams = s->params->beams, steps = s->params->max_length + 1;

    if (steps == 0 || steps > SIZE_MAX / sizeof(Node) / beams) return false;
    s->nodes = malloc(steps * beams * sizeof *s->nodes);
    s->scores = calloc(beams, sizeof *s->scores);
    s->results = calloc(s->result_room, sizeof *s->results);
    s->top.items = calloc(s->keep, sizeof *s->top.items);
    s->maxima = calloc(ROW_MAXIMA_OF(s->vocab), sizeof *s->maxima);
    s->scans = calloc(beams, sizeof *s->scans);
    s->kept = calloc(beams, SCAN_MAX_KEPT * sizeof *s->kept);
    s->best = calloc(beams, s->keep * sizeof *s->best);
    s->complete = calloc(s->keep, sizeof *s->complete);
    s->history = malloc(steps * sizeof *s->history);
    s->result_ids = malloc(steps * sizeof *s->result_ids);
    if (s->params->prefix_bias > 0) s->departed = calloc(beams, sizeof *s->departed);
    if (s->params->prefix_bias > 0 && !s->departed) return false;
    return s->nodes && s->scores && s->results && s->top.items && s->maxima && s->scans && s->kept && s->best &&
           s->complete && s->history && s->result_ids;
}

/* With coverage, CTranslate2's search chooses the results among all hypotheses that have finished. */
static size_t result_room(const SearchParams *params)
{
    const size_t count = search_params_finish_count(params);

    return params->coverage_penalty != 0 && params->rules.ends_with_finished_count ? count + params->beams : count;
}

static Status allocate_all(Search *s, SearchDraws *borrowed, Err *err)
{
    Status st = logits_processors_init(&s->processors, s->params, s->vocab, NULL);

    if (st == OK && search_lanes_wanted(s->params)) return search_lanes_new(s, err);
    if (st != OK || !allocate(s)) return err_memory(err, "the search");
    for (size_t r = 0; r < s->params->beams; r++) {
        s->scans[r].kept = s->kept + r * SCAN_MAX_KEPT;
        s->scans[r].best = s->best + r * s->keep;
    }
    if (!s->params->sampling.on) return OK;
    if (!borrowed) return search_draws_new(s, err);
    s->draws = borrowed;
    s->borrows_draws = true;
    return OK;
}

Status search_new(Search **out, const SearchParams *params, size_t vocab, Err *err)
{
    return search_new_lane(out, params, vocab, NULL, err);
}

Status search_new_lane(Search **out, const SearchParams *params, size_t vocab, SearchDraws *borrowed, Err *err)
{
    size_t factor = params->eos.len > 0 ? 1 + params->eos.len : 2;
    Search *s;
    Status st;

    *out = NULL;
    if (params->beams == 0 || vocab == 0 || params->beams > UINT32_MAX / vocab || params->beams > SIZE_MAX / factor)
        return err_set(err, ERR_USAGE, "a beam size of %zu is not supported with a vocabulary of %zu tokens",
                       params->beams, vocab);
    s = calloc(1, sizeof *s);
    if (!s) return err_memory(err, "the search");
    s->params = params;
    s->kernels = kernels_get();
    s->vocab = vocab;
    s->keep = factor * params->beams;
    if (s->keep > params->beams * vocab) s->keep = params->beams * vocab;
    s->done = true;
    s->result_room = result_room(params);
    st = allocate_all(s, borrowed, err);
    if (st != OK) {
        search_free_lane(s);
        return st;
    }
    *out = s;
    return OK;
}

Status search_record_scores(Search *search, Err *err)
{
    const size_t steps = search->params->max_length + 1; /* checked by allocate() */

    if (search->lanes) return search_lanes_each(search, search_record_scores, err);
    if (!search->sums) search->sums = calloc(steps, search->params->beams * sizeof *search->sums);
    return search->sums ? OK : err_memory(err, "the search");
}

void search_free_lane(Search *search)
{
    if (!search) return;
    logits_processors_free(&search->processors);
    free(search->nodes);
    free(search->scores);
    free(search->sums);
    free(search->spread);
    free(search->candidates);
    demand_search_free(search->demands);
    search_lanes_free(search->lanes);
    if (!search->borrows_draws) search_draws_free(search->draws);
    free(search->departed);
    free(search->results);
    free(search->top.items);
    free(search->maxima);
    free(search->scans);
    free(search->kept);
    free(search->best);
    free(search->complete);
    free(search->history);
    free(search->result_ids);
    free(search);
}

void search_free(Search *search)
{
    search_free_lane(search);
}
