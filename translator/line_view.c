/* line_view.c - the functions of dragoman.h that read a line. */
#include <math.h>

#include "line.h"
#include "line_demands.h"
#include "line_kept.h"

size_t dragoman_line_number(const DragomanLine *line)
{
    return line->number;
}

uintptr_t dragoman_line_tag(const DragomanLine *line)
{
    return line->tag;
}

/* NULL stands for an index that does not exist. */
static const char *text_of(const Buf *text, size_t *length)
{
    if (length) *length = text ? text->len : 0;
    return text && text->data ? text->data : "";
}

static const int32_t *ids_of(const IdList *ids, size_t *count)
{
    if (count) *count = ids ? ids->len : 0;
    return ids ? ids->data : NULL;
}

static const Range *ranges_of(const RangeList *ranges, size_t *count)
{
    if (count) *count = ranges ? ranges->len : 0;
    return ranges ? ranges->data : NULL;
}

static const DragomanTranslation *translation_of(const DragomanLine *line, size_t rank)
{
    return rank < line->count ? &line->translations[rank] : NULL;
}

const char *dragoman_line_source(const DragomanLine *line, size_t *length)
{
    return text_of(&line->source, length);
}

const int32_t *dragoman_line_source_ids(const DragomanLine *line, size_t *count)
{
    return ids_of(&line->source_ids, count);
}

const Range *dragoman_line_source_ranges(const DragomanLine *line, size_t *count)
{
    return ranges_of(&line->source_ranges, count);
}

size_t dragoman_line_pieces(const DragomanLine *line)
{
    return line->pieces;
}

size_t dragoman_line_segments(const DragomanLine *line)
{
    return line->segments;
}

bool dragoman_line_wrapped(const DragomanLine *line)
{
    return line->wrapped;
}

size_t dragoman_line_cropped(const DragomanLine *line)
{
    return line->cropped;
}

size_t dragoman_line_pivot_count(const DragomanLine *line)
{
    return line->pivot_count;
}

const char *dragoman_line_pivot(const DragomanLine *line, size_t index, size_t *length)
{
    return text_of(index < line->pivot_count ? &line->pivots[index].text : NULL, length);
}

size_t dragoman_line_count(const DragomanLine *line)
{
    return line->count;
}

const char *dragoman_line_translation(const DragomanLine *line, size_t rank, size_t *length)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return text_of(translation ? &translation->text : NULL, length);
}

float dragoman_line_score(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->score : 0;
}

float dragoman_line_sum(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->sum : 0;
}

const int32_t *dragoman_line_ids(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return ids_of(translation ? &translation->ids : NULL, count);
}

size_t dragoman_line_forced(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->forced : 0;
}

const Range *dragoman_line_ranges(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return ranges_of(translation ? &translation->ranges : NULL, count);
}

const float *dragoman_line_token_scores(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    if (count) *count = translation ? translation->scores.len : 0;
    return translation ? translation->scores.data : NULL;
}

/* What a translation keeps, or its demands, which are its last spans. */
static const Span *spans_of(const DragomanLine *view, size_t rank, bool demands, size_t *count)
{
    const Line *line = (const Line *)view; /* the view is the first field of a line */
    const DragomanTranslation *translation = translation_of(view, rank);
    const SpanList *spans = translation ? &translation->spans : NULL;
    size_t begin = 0, end;

    if (!translation && !view->count && !rank && line->kept && !demands) spans = &line->kept->items;
    end = spans ? spans->len : 0;
    if (translation && line->demands) *(demands ? &begin : &end) = spans->len - line->demands->items.len;
    if (demands && !(translation && line->demands)) begin = end;
    if (count) *count = end - begin;
    return begin < end ? spans->data + begin : NULL;
}

const Span *dragoman_line_kept(const DragomanLine *line, size_t rank, size_t *count)
{
    return spans_of(line, rank, false, count);
}

const Span *dragoman_line_demands(const DragomanLine *line, size_t rank, size_t *count)
{
    return spans_of(line, rank, true, count);
}

double dragoman_line_confidence(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->confidence : (double)NAN;
}

unsigned dragoman_line_flags(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    return translation ? translation->flags : 0;
}

bool dragoman_line_rescued(const DragomanLine *line)
{
    return line->rescued;
}
