/* segment_results.c - see segment_results.h. */
#include "segment_results.h"

#include <stdlib.h>
#include <string.h>

#include "line_judge.h"
#include "line_join.h"
#include "settings.h"

/* --- The results of a session. */

Status segment_results_record(Session *session, const LineRules *rules, bool given, Err *err)
{
    const bool unknowns = rules->unknowns && !given, features = rules->features && !given;
    Status st = rules->attention || unknowns ? session_record_attention(session, NULL, err) : OK;

    if (st == OK && (rules->token_scores || features)) st = session_record_scores(session, err);
    return st == OK && features ? session_record_spread(session, err) : st;
}

/* With rules->shift, token t gets the attention of step t + shift, and the last rows stay. The attention that replaces
 * unknown tokens is dropped unless the rules ask for it. */
static Status add_attention(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                            const LineRules *rules, Err *err)
{
    const size_t rows = result->ids.len, columns = segment->source.len, shift = rules->shift;
    Status st = OK;

    result->attention = calloc(rows * columns, sizeof *result->attention);
    if (!result->attention) return err_memory(err, "an alignment");
    session_result_attention(session, i, result->attention);
    if (shift < rows)
        memmove(result->attention, result->attention + shift * columns,
                (rows - shift) * columns * sizeof *result->attention);
    if (rules->unknowns && !segment->line->given) st = line_unknowns_find(result, segment, rules, err);
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
    const bool given = segment->line->given;
    SegmentResult *result;
    Status st;

    if (!segment->results) segment->results = calloc(room, sizeof *segment->results);
    if (!segment->results) return err_memory(err, "a translation");
    result = &segment->results[segment->count++];
    result->score = hypothesis.score;
    result->sum = hypothesis.sum;
    result->missed = hypothesis.missed;
    st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
    if (st == OK && (rules->attention || (!given && line_unknowns_any(result, rules))))
        st = add_attention(result, segment, session, i, rules, err);
    if (st == OK && rules->token_scores) st = add_token_scores(result, session, i, err);
    if (st == OK && rules->features && !given) st = judge(result, segment, session, i, err);
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
    else if (out->beams <= (size_t)setting_rows[DRAGOMAN_BEAMS].about.high / 2)
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
