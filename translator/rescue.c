/* rescue.c - see rescue.h. */
#include "rescue.h"

#include "line_features.h"
#include "line_flags.h"
#include "settings.h"

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
