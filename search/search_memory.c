/* search_memory.c - allocates and frees a Search: search_new(), search_free() and search_record_scores() of
 * search.h. */
#include <stdlib.h>

#include "search.h"
#include "search_state.h"

/* Allocates everything and checks each size for overflow. */
static bool allocate(Search *s)
{
    size_t beams = s->params->beams, steps = s->params->max_length + 1;

    if (steps == 0 || steps > SIZE_MAX / sizeof(Node) / beams) return false;
    s->nodes = malloc(steps * beams * sizeof *s->nodes);
    s->scores = calloc(beams, sizeof *s->scores);
    s->results = calloc(beams, sizeof *s->results);
    s->top.items = calloc(s->keep, sizeof *s->top.items);
    s->maxima = calloc(ROW_MAXIMA_OF(s->vocab), sizeof *s->maxima);
    s->scans = calloc(beams, sizeof *s->scans);
    s->kept = calloc(beams, SCAN_MAX_KEPT * sizeof *s->kept);
    s->best = calloc(beams, s->keep * sizeof *s->best);
    s->complete = calloc(s->keep, sizeof *s->complete);
    s->history = malloc(steps * sizeof *s->history);
    s->result_ids = malloc(steps * sizeof *s->result_ids);
    return s->nodes && s->scores && s->results && s->top.items && s->maxima && s->scans && s->kept && s->best &&
           s->complete && s->history && s->result_ids;
}

Status search_new(Search **out, const SearchParams *params, size_t vocab, Err *err)
{
    size_t factor = params->eos.len > 0 ? 1 + params->eos.len : 2;
    Search *s;

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
    if (!allocate(s) || logits_processors_init(&s->processors, params, vocab, NULL) != OK) {
        search_free(s);
        return err_memory(err, "the search");
    }
    for (size_t r = 0; r < params->beams; r++) {
        s->scans[r].kept = s->kept + r * SCAN_MAX_KEPT;
        s->scans[r].best = s->best + r * s->keep;
    }
    *out = s;
    return OK;
}

Status search_record_scores(Search *search, Err *err)
{
    const size_t steps = search->params->max_length + 1; /* checked by allocate() */

    if (!search->sums) search->sums = calloc(steps, search->params->beams * sizeof *search->sums);
    return search->sums ? OK : err_memory(err, "the search");
}

void search_free(Search *search)
{
    if (!search) return;
    logits_processors_free(&search->processors);
    free(search->nodes);
    free(search->scores);
    free(search->sums);
    free(search->spread);
    free(search->candidates);
    demand_search_free(search->demands);
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
