/* search_params.c - see search_params.h. */
#include "search_params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const SearchRules search_rules_transformers = { 0 };

const SearchRules search_rules_marian = {
    .program = "Marian", .beam_shrinks_with_finished = true, .first_step_has_one_row = true, .ignores_start_token = true
};

const SearchRules search_rules_ctranslate2 = { .program = "CTranslate2",
                                               .ends_with_finished_count = true,
                                               .first_step_has_one_row = true,
                                               .processes_logits_before_normalizing = true,
                                               .ignores_start_token = true,
                                               .forced_bos_is_prefix = true,
                                               .length_includes_prefix = true,
                                               .only_best_ends_after_prefix = true,
                                               .draws_from_all_rows = true,
                                               .prefix_bias_by_position = true,
                                               .alternatives_forget_prefix = true };

void search_params_free(SearchParams *params)
{
    ids_free(&params->forced_eos);
    ids_free(&params->eos);
    ids_free(&params->suppress);
    ids_free(&params->begin_suppress);
    ids_free(&params->bad_words);
    ids_free(&params->bad_runs);
    ids_free(&params->biases.runs);
    free(params->biases.values);
    params->biases = (SequenceBias){ .count = 0 };
}

Status search_params_copy(SearchParams *out, const SearchParams *from, Err *err)
{
    SearchParams copy = *from;
    IdList *const lists[] = { &copy.forced_eos, &copy.eos,      &copy.suppress,   &copy.begin_suppress,
                              &copy.bad_words,  &copy.bad_runs, &copy.biases.runs };
    const size_t count = from->biases.count;
    Status st = OK;

    copy.biases.values = count ? calloc(count, sizeof *copy.biases.values) : NULL;
    if (count && !copy.biases.values) st = err_memory(err, "the search");
    if (copy.biases.values) memcpy(copy.biases.values, from->biases.values, count * sizeof *copy.biases.values);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const IdList list = *lists[i];
        *lists[i] = (IdList){ 0 };
        if (st == OK) st = ids_append_all(lists[i], list.data, list.len, err);
    }
    if (st == OK)
        *out = copy;
    else
        search_params_free(&copy);
    return st;
}

bool search_params_draws_each(const SearchParams *params)
{
    return params->sampling.on && params->beams == 1 && !params->alternatives;
}

size_t search_params_rows(const SearchParams *params)
{
    if (params->alternatives) return params->alternatives * params->beams;
    return search_params_draws_each(params) ? params->n_best : params->beams;
}

size_t search_params_finish_count(const SearchParams *params)
{
    const float count = params->patience > 0 ? roundf((float)params->beams * params->patience) : (float)params->beams;

    return count >= 1 ? (size_t)count : 1;
}

void search_params_unite(SearchParams *params)
{
    params->sampling.on = false;
    params->alternatives = 0;
    params->groups = 1;
    if (params->beams < params->n_best) params->beams = params->n_best;
}

/* As in Marian, source_len includes the end token, and the limit is computed in f32. */
size_t search_limit(const SearchParams *params, size_t source_len, size_t prefix_len, size_t max_length)
{
    float limit = ceilf(params->length_factor * (float)source_len);

    if (params->length_factor <= 0 || !(limit < (float)max_length)) return max_length;
    return (size_t)limit > prefix_len ? (size_t)limit : prefix_len + 1;
}

float search_length_factor(const SearchParams *params, size_t length)
{
    return (float)pow((double)length, (double)params->length_penalty);
}
