/* segment_results.c - see segment_results.h. */
#include "segment_results.h"

#include <stdlib.h>
#include <string.h>

#include "line_judge.h"
#include "line_join.h"
#include "settings.h"

/* --- The results of a session. */

Status segment_results_record(Session *session, const LineRules *rules, Err *err)
{
    Status st = rules->attention || rules->unknowns ? session_record_attention(session, NULL, err) : OK;

    if (st == OK && (rules->token_scores || rules->features)) st = session_record_scores(session, err);
    return st == OK && rules->features ? session_record_spread(session, err) : st;
}

void segment_results_shift(float *values, size_t rows, size_t columns, size_t shift)
{
    if (shift < rows) memmove(values, values + shift * columns, (rows - shift) * columns * sizeof *values);
}

/* The attention that replaces unknown tokens is dropped unless the rules ask for it. */
static Status add_attention(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                            const LineRules *rules, Err *err)
{
    Status st = OK;

    result->attention = calloc(result->ids.len * segment->source.len, sizeof *result->attention);
    if (!result->attention) return err_memory(err, "an alignment");
    session_result_attention(session, i, result->attention);
    segment_results_shift(result->attention, result->ids.len, segment->source.len, rules->shift);
    if (rules->unknowns) st = line_unknowns_find(result, segment, rules, err);
    if (rules->attention) return st;
    free(result->attention);
    result->attention = NULL;
    return st;
}

static Status add_token_scores(SegmentResult *result, Session *session, size_t i, Err *err)
{
    result->token_scores = calloc(result->ids.len, sizeof *result->token_scores);
    if (!result->token_scores) return err_memory(err, "the scores of tokens");
    session_result_scores(session, i, result->token_scores);
    return OK;
}

/* Finds what the ids and the choices of the search say about the translation. */
static Status judge(SegmentResult *result, const Segment *segment, Session *session, size_t i, Err *err)
{
    const size_t len = result->ids.len;
    float *scores = calloc(len + 1, sizeof *scores);
    TokenSpread *spread = calloc(len + 1, sizeof *spread);
    Status st = scores && spread ? OK : err_memory(err, "the confidence");

    if (st == OK) {
        session_result_scores(session, i, scores);
        session_result_spread(session, i, spread);
        line_features_add(&result->features, scores, spread, len);
        result->flags = line_flags_of_ids(&segment->source, &result->ids, session_result_limit(session));
    }
    free(scores);
    free(spread);
    return st;
}

Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules, Err *err)
{
    const Hypothesis hypothesis = session_result(session, i);
    SegmentResult *result;
    Status st;

    if (!segment->results) segment->results = calloc(room, sizeof *segment->results);
    if (!segment->results) return err_memory(err, "a translation");
    result = &segment->results[segment->count++];
    result->score = hypothesis.score;
    result->sum = hypothesis.sum;
    result->missed = hypothesis.missed;
    st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
    if (st == OK && (rules->attention || line_unknowns_any(result, rules)))
        st = add_attention(result, segment, session, i, rules, err);
    if (st == OK && rules->token_scores) st = add_token_scores(result, session, i, err);
    if (st == OK && rules->features) st = judge(result, segment, session, i, err);
    return st;
}

/* --- Given translations, which are scored. */

/* Number of pairs scored together: enough rows for efficient matmuls. */
#define PAIRS_TOGETHER 16

void segment_scorer_free(SegmentScorer *s)
{
    scorer_free(s->scorer);
    free(s->pairs);
    free(s->segments);
    *s = (SegmentScorer){ 0 };
}

/* Allocates the result of a segment. */
static Status begin_result(Segment *segment, const LineRules *rules, Err *err)
{
    const IdList *ids = &segment->line->given->ids;
    SegmentResult *result = calloc(1, sizeof *result);
    Status st;

    if (!result) return err_memory(err, "a translation");
    segment->results = result;
    segment->count = 1;
    st = ids_append_all(&result->ids, ids->data, ids->len, err);
    if (st != OK) return st;
    result->token_scores = calloc(ids->len, sizeof *result->token_scores);
    if (rules->attention) result->attention = calloc(ids->len * segment->source.len, sizeof *result->attention);
    if (!result->token_scores || (rules->attention && !result->attention)) return err_memory(err, "a translation");
    return OK;
}

Status segment_scorer_add(SegmentScorer *s, Segment *segment, const SchedulerStage *stage, Err *err)
{
    const SegmentResult *result;
    Status st = begin_result(segment, stage->rules, err);

    if (st == OK) st = buf_grow_list(&s->pairs, &s->pair_room, s->count, 1, sizeof *s->pairs, "a batch", err);
    if (st == OK) st = buf_grow_list(&s->segments, &s->segment_room, s->count, 1, sizeof *s->segments, "a batch", err);
    if (st != OK) return st;
    result = segment->results;
    s->segments[s->count] = segment;
    s->pairs[s->count++] = (ScorerPair){ .source = segment->source.data,
                                         .source_len = segment->source.len,
                                         .target = result->ids.data,
                                         .target_len = result->ids.len,
                                         .scores = result->token_scores,
                                         .attention = result->attention };
    return OK;
}

static Status open_scorer(SegmentScorer *s, const SchedulerStage *stage, size_t rows, Err *err)
{
    Status st;

    if (s->scorer) return OK;
    st = scorer_new(&s->scorer, stage->model, stage->params, stage->rules->target_limit, rows, err);
    return st == OK && stage->rules->attention ? scorer_record_attention(s->scorer, NULL, err) : st;
}

static void end_result(SegmentResult *result, const ScorerPair *pair, const LineRules *rules)
{
    result->sum = pair->sum;
    result->score = pair->score;
    if (result->attention) segment_results_shift(result->attention, pair->target_len, pair->source_len, rules->shift);
    if (rules->token_scores) return;
    free(result->token_scores);
    result->token_scores = NULL;
}

Status segment_scorer_run(SegmentScorer *s, const SchedulerStage *stage, size_t rows, Team *team, Err *err)
{
    const size_t left = s->count - s->done, some = left < PAIRS_TOGETHER ? left : PAIRS_TOGETHER;
    Status st = open_scorer(s, stage, rows, err);

    if (st == OK) st = scorer_use_team(s->scorer, team, err);
    if (st == OK) st = scorer_run(s->scorer, s->pairs + s->done, some, err);
    for (size_t i = 0; st == OK && i < some; i++, s->done++)
        end_result(s->segments[s->done]->results, &s->pairs[s->done], stage->rules);
    return st;
}

/* --- Second attempts. */

Status rescue_params(SearchParams *out, const SearchParams *from, Err *err)
{
    Status st = search_params_copy(out, from, err);

    if (st != OK) return st;
    search_params_unite(out);
    if (out->beams < RESCUE_BEAMS / 2)
        out->beams = RESCUE_BEAMS;
    else if (out->beams <= SETTINGS_MAX_BEAMS / 2)
        out->beams *= 2;
    if (!from->no_repeat_ngram || from->no_repeat_ngram > RESCUE_NGRAM) out->no_repeat_ngram = RESCUE_NGRAM;
    return OK;
}

bool rescue_is_wanted(const Segment *segment)
{
    return segment->count && segment->results[0].flags & DRAGOMAN_FLAG_LOOP;
}

void rescue_begin(Segment *segment)
{
    segment->first_results = segment->results;
    segment->first_count = segment->count;
    segment->results = NULL;
    segment->count = 0;
}

/* How good a translation is if the numbers of flags are equal. */
static double quality(const SegmentResult *result, const ConfidenceFit *fit)
{
    return fit ? line_features_confidence(&result->features, fit) : (double)line_features(&result->features).mean;
}

static bool is_better(const SegmentResult *second, const SegmentResult *first, const ConfidenceFit *fit)
{
    const size_t now = line_flags_count(second->flags), before = line_flags_count(first->flags);

    if (second->missed != first->missed) return second->missed < first->missed;
    return now != before ? now < before : quality(second, fit) > quality(first, fit);
}

void rescue_end(Segment *segment, const ConfidenceFit *fit)
{
    SegmentResult *results = segment->results;
    const size_t count = segment->count;

    segment->rescued = count && is_better(&results[0], &segment->first_results[0], fit);
    if (!segment->rescued) {
        segment->results = segment->first_results;
        segment->count = segment->first_count;
        segment->first_results = results;
        segment->first_count = count;
    }
    line_free_results(segment->first_results, segment->first_count);
    segment->first_results = NULL;
    segment->first_count = 0;
}
