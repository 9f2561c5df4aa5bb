/* settings.c - see settings.h. */
#include "settings.h"

#include <math.h>

#include "thread.h"

#define LEAST_TEMPERATURE 1e-6F /* so that no logit becomes infinite */

static double most(DragomanSetting setting)
{
    return setting_rows[setting].about.high;
}

static Status check_most(DragomanSetting setting, size_t value, Err *err)
{
    if ((double)value <= most(setting)) return OK;
    return err_set(err, ERR_USAGE, SETTING_BEGIN "%s" SETTING_END " %zu: the maximum is %.0f",
                   setting_rows[setting].about.name, value, most(setting));
}

static Status merge_beams(SearchParams *search, const DragomanOptions *options, Err *err)
{
    if (check_most(DRAGOMAN_BEAMS, options->beams, err) != OK) return ERR_USAGE;
    if (options->beams) search->beams = options->beams;
    if (options->sampling == SWITCH_ON && !options->beams) search->beams = 1;
    search->sampling.on = options->sampling == SWITCH_AUTO ? search->sampling.on : options->sampling == SWITCH_ON;
    if (search->beams == 1) search->groups = 1;
    if (search->groups > 1 && search->beams % search->groups && !search->sampling.on)
        return err_set(err, ERR_USAGE, SETTING(BEAMS) " %zu cannot be divided into the model's %zu groups of beams",
                       search->beams, search->groups);
    search->n_best = options->n_best ? options->n_best : 1;
    /* Several draws are ordered by their scores. */
    search->skip_scores = options->skip_scores && !options->confidence && !options->rescue &&
                          !(search->n_best > 1 && search_params_draws_each(search));
    return OK;
}

/* Token n of a translation is computed at position n - 1, because the start token has position 0. max_length can
 * therefore be as large as max_positions. */
static Status merge_lengths(SearchParams *search, const DragomanOptions *options, size_t max_positions, Err *err)
{
    if (options->max_length) search->max_length = options->max_length;
    if (options->max_length) search->length_is_default = false;
    if (max_positions && search->max_length > max_positions) {
        if (options->max_length)
            return err_set(err, ERR_USAGE, SETTING(MAX_LENGTH) " %zu exceeds the model's %zu positions",
                           search->max_length, max_positions);
        search->max_length = max_positions;
    }
    if (options->min_length >= 0) search->min_length = (size_t)options->min_length;
    if (options->min_length >= 0 && search->min_length > search->max_length)
        return err_set(err, ERR_USAGE, SETTING(MIN_LENGTH) " %zu exceeds the %smax length %zu", search->min_length,
                       options->max_length ? "" : "model's ", search->max_length);
    return OK;
}

static Status merge_penalties(SearchParams *search, const DragomanOptions *options, Err *err)
{
    if (options->length_penalty.given) search->length_penalty = options->length_penalty.value;
    if (!isfinite(search->length_penalty))
        return err_set(err, ERR_USAGE, SETTING(LENGTH_PENALTY) " must be a finite number");
    if (options->repetition_penalty.given) search->repetition_penalty = options->repetition_penalty.value;
    if (!isfinite(search->repetition_penalty) || search->repetition_penalty <= 0)
        return err_set(err, ERR_USAGE, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    if (options->word_penalty.given) search->word_penalty = options->word_penalty.value;
    if (options->length_factor.given) search->length_factor = options->length_factor.value;
    if (search->length_factor < 0) return err_set(err, ERR_USAGE, SETTING(LENGTH_FACTOR) " must not be negative");
    if (options->allow_unk) search->allow_unk = true;
    if (options->no_repeat_ngram >= 0) search->no_repeat_ngram = (size_t)options->no_repeat_ngram;
    return OK;
}

static Status merge_sampling(Sampling *sampling, const DragomanOptions *options, Err *err)
{
    const char *setting;
    if (options->temperature.given) sampling->temperature = options->temperature.value;
    if (options->top_k >= 0) sampling->top_k = (size_t)options->top_k;
    if (options->top_p.given) sampling->top_p = options->top_p.value;
    if (options->min_p.given) sampling->min_p = options->min_p.value;
    sampling->seed = options->seed;
    if (options->temperature.given && !(sampling->temperature >= LEAST_TEMPERATURE))
        return err_set(err, ERR_USAGE, SETTING(TEMPERATURE) " must be at least %g", (double)LEAST_TEMPERATURE);
    if (options->top_p.given && !(sampling->top_p > 0 && sampling->top_p <= 1))
        return err_set(err, ERR_USAGE, SETTING(TOP_P) " must be above 0 and at most 1");
    if (options->min_p.given && !(sampling->min_p >= 0 && sampling->min_p <= 1))
        return err_set(err, ERR_USAGE, SETTING(MIN_P) " must be from 0 to 1");
    if (sampling->on) return OK;

    /* What only matters for draws is refused without them. */
    setting = options->temperature.given ? SETTING(TEMPERATURE)
              : options->top_k >= 0      ? SETTING(TOP_K)
              : options->top_p.given     ? SETTING(TOP_P)
              : options->min_p.given     ? SETTING(MIN_P)
              : options->seed            ? SETTING(SEED)
                                         : NULL;
    if (!setting) return OK;
    return err_set(err, ERR_USAGE, "%s needs " SETTING(SAMPLING) "%s", setting,
                   options->sampling == SWITCH_AUTO ? ": this model does not sample by itself" : "");
}

/* How hypotheses begin, and which of them become results. */
static Status merge_choices(SearchParams *search, const DragomanOptions *options, Err *err)
{
    size_t finishing;
    search->alternatives = options->alternatives;
    search->alternative_probability = options->alternative_probability.value;
    search->prefix_bias = options->prefix_bias.value;
    if (options->coverage_penalty.given) search->coverage_penalty = options->coverage_penalty.value;
    if (options->patience.given) search->patience = options->patience.value;
    if (!(search->alternative_probability >= 0 && search->alternative_probability <= 1))
        return err_set(err, ERR_USAGE, SETTING(ALTERNATIVE_PROBABILITY) " must be from 0 to 1");
    if (!(search->prefix_bias >= 0 && search->prefix_bias < 1))
        return err_set(err, ERR_USAGE, SETTING(PREFIX_BIAS) " must be from 0 to below 1");
    if (options->patience.given && !(search->patience > 0 && (double)search->patience <= most(DRAGOMAN_PATIENCE)))
        return err_set(err, ERR_USAGE, SETTING(PATIENCE) " must be above 0 and at most %g", most(DRAGOMAN_PATIENCE));
    if (search->alternatives && check_most(DRAGOMAN_ALTERNATIVES, search->alternatives, err) != OK) return ERR_USAGE;
    if (search->alternatives && (double)(search->alternatives * search->beams) > most(DRAGOMAN_BATCH_ROWS))
        return err_set(err, ERR_USAGE, SETTING(ALTERNATIVES) " %zu times the beam size %zu exceeds %.0f hypotheses",
                       search->alternatives, search->beams, most(DRAGOMAN_BATCH_ROWS));
    finishing = search_params_finish_count(search);
    if (search_params_draws_each(search)) return check_most(DRAGOMAN_N_BEST, search->n_best, err);
    if (search->n_best <= finishing) return OK;
    if (options->patience.given)
        return err_set(err, ERR_USAGE, SETTING(N_BEST) " %zu exceeds the beam size times " SETTING(PATIENCE) ", %zu",
                       search->n_best, finishing);
    return err_set(err, ERR_USAGE, SETTING(N_BEST) " %zu exceeds the %sbeam size %zu", search->n_best,
                   options->beams ? "" : "model's ", search->beams);
}

Status settings_merge(Settings *out, const DragomanOptions *options, const ModelConfig *config, Err *err)
{
    static const Precision precisions[] = { [DRAGOMAN_AUTO] = PRECISION_AUTO,
                                            [DRAGOMAN_F32] = PRECISION_F32,
                                            [DRAGOMAN_BF16] = PRECISION_BF16,
                                            [DRAGOMAN_INT8] = PRECISION_INT8 };
    size_t positions =
        config->positions.max_is_guess ? 0 : config->positions.max; /* 0: unknown until the weights are read */
    Status st;

    *out = (Settings){ .precision = precisions[options->precision] };
    st = search_params_copy(&out->search, &config->search, err);
    if (st != OK) return st;
    st = merge_beams(&out->search, options, err);
    if (st == OK) st = merge_lengths(&out->search, options, positions, err);
    if (st == OK) st = merge_penalties(&out->search, options, err);
    if (st == OK) st = merge_sampling(&out->search.sampling, options, err);
    if (st == OK) st = merge_choices(&out->search, options, err);

    if (st == OK) st = check_most(DRAGOMAN_THREADS, options->threads, err);
    if (st == OK) st = check_most(DRAGOMAN_BATCH_ROWS, options->batch_rows, err);
    out->workers = options->threads ? options->threads : thread_count_cores();
    if ((double)out->workers > most(DRAGOMAN_THREADS)) out->workers = (size_t)most(DRAGOMAN_THREADS);
    out->rows = options->batch_rows ? options->batch_rows : SETTINGS_ROWS;
    if (st != OK) settings_free(out);
    return st;
}

void settings_free(Settings *settings)
{
    search_params_free(&settings->search);
    *settings = (Settings){ 0 };
}
