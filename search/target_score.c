/* target_score.c - see target_score.h. A search either processes the logits and normalizes them, or normalizes first
 * (search_greedy.c, search_beam_score_row() in search_beam.c). After normalizing, settings that only forbid tokens
 * change no score that matters here, so they are not applied. */
#include "target_score.h"

#include <math.h>

#include "search.h"

Status target_scorer_init(TargetScorer *out, const SearchParams *params, size_t vocab, bool expects_scores, Err *err)
{
    *out = (TargetScorer){ .expects_scores = expects_scores };
    return logits_processors_init(&out->processors, params, vocab, err);
}

void target_scorer_free(TargetScorer *scorer)
{
    logits_processors_free(&scorer->processors);
}

size_t target_scorer_prefix(const TargetScorer *scorer, const int32_t *target, size_t prefix_len)
{
    const SearchParams *params = scorer->processors.params;

    return !prefix_len && params->rules.forced_bos_is_prefix && *target == params->forced_bos ? 1 : prefix_len;
}

/* The token that the row scores. */
static int32_t token_of(const TargetRow *row)
{
    return row->text->history[row->position + 1];
}

bool target_scorer_wants_logits(const TargetScorer *scorer, const TargetRow *row)
{
    const bool is_forced = row->position == 0 && token_of(row) == scorer->processors.params->forced_bos;

    return row->position >= row->text->prefix_len && !is_forced;
}

static bool processes_first(const SearchParams *params)
{
    const bool greedy = params->beams == 1 && !params->rules.beam_shrinks_with_finished;

    return greedy || params->rules.processes_logits_before_normalizing;
}

static void set_text(LogitsProcessors *processors, const TargetText *text)
{
    const SearchParams *params = processors->params;

    processors->source = text->source;
    processors->source_len = text->source_len;
    processors->prompt_len = 1 + text->prefix_len;
    processors->max_length = search_limit(params, text->source_len, text->prefix_len, params->max_length);
}

/* The length of the decoder's input before the token. */
static size_t input_length(const TargetRow *row)
{
    return row->position + 1;
}

bool target_scorer_needs_whole_row(const TargetScorer *scorer, const TargetRow *row)
{
    LogitsProcessors processors = scorer->processors;

    set_text(&processors, row->text);
    return scorer->expects_scores || logits_change_scores(&processors, input_length(row)) ||
           (processes_first(processors.params) && logits_need_history(&processors));
}

/* Returns log(e^a + e^b). */
static float add_logs(float a, float b)
{
    const double top = a > b ? (double)a : (double)b;

    return (float)(top + log(exp((double)a - top) + exp((double)b - top)));
}

/* A forbidden token's exponential is not among those that were added before. */
static void end_row(const TargetScorer *scorer, TargetRow *row, LogSumExp sum)
{
    const SearchParams *params = scorer->processors.params;
    const bool forbidden = !(row->processed > -INFINITY);
    const float x = forbidden ? row->raw : row->processed;

    row->score = (x - sum.top) - sum.logsumexp;
    if (forbidden && processes_first(params) && !scorer->expects_scores) row->score -= add_logs(row->score, 0);
    if (!(row->score >= SCORE_NEVER)) row->score = SCORE_NEVER;
    if (!params->remove_invalid_values && sum.top > -INFINITY)
        row->broken |= !isfinite(sum.top) || !isfinite(sum.logsumexp) || x != x;
}

static void check_first(const TargetScorer *scorer, TargetRow *row, float logit)
{
    row->broken |= !isfinite(logit) && !scorer->processors.params->remove_invalid_values;
}

void target_scorer_take(TargetScorer *scorer, TargetRow *row, size_t first, size_t count, float *logits)
{
    LogitsProcessors *processors = &scorer->processors;
    const Kernels *kernels = processors->kernels;
    const size_t column = (size_t)token_of(row) - first;
    const bool process_first = processes_first(processors->params);
    LogSumExp sum = { 0 };
    bool process, normalize;

    set_text(processors, row->text);
    if (processors->params->utf8)
        processors->utf8_state =
            utf8_rules_state(processors->params->utf8, row->text->history + 1, input_length(row) - 1);
    processors->first = first;
    processors->width = count;
    process = process_first || scorer->expects_scores || logits_change_scores(processors, input_length(row));
    normalize = process && !process_first && !scorer->expects_scores;
    if (first == 0) {
        check_first(scorer, row, *logits);
        row->parts = logsumexp_begin();
    }
    if (normalize) kernels->log_softmax(logits, count);
    if (normalize) check_first(scorer, row, *logits);
    if (column < count) row->raw = logits[column];
    if (process) logits_process(processors, 0, row->text->history, input_length(row), logits);
    if (column < count) row->processed = logits[column];
    if (!normalize && !scorer->expects_scores) kernels->logsumexp_add(&row->parts, logits, count, NULL);
    if (first + count < processors->vocab) return;
    if (!normalize && !scorer->expects_scores) sum = kernels->logsumexp_end(&row->parts);
    end_row(scorer, row, sum);
}
