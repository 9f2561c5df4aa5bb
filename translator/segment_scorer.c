/* segment_scorer.c - see segment_scorer.h. */
#include "segment_scorer.h"

#include <stdlib.h>

#include "segment_results.h"

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
