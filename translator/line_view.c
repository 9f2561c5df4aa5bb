/* line_view.c - functions that read the properties of a line: those of line.h, and those of dragoman.h. */
#include <math.h>

#include "line.h"

const Buf *line_text(const Line *line)
{
    return line->pivot_count ? &line->pivots[line->pivot_count - 1].text : &line->source;
}

IdList *line_source_ids(const Line *line)
{
    return line->pivot_count ? &line->pivots[line->pivot_count - 1].source_ids : (IdList *)&line->source_ids;
}

RangeList *line_source_ranges(const Line *line)
{
    return line->pivot_count ? &line->pivots[line->pivot_count - 1].source_ranges : (RangeList *)&line->source_ranges;
}

bool line_is_split(const Line *line, const LineRules *rules)
{
    return rules->sentences && (line->asks_to_split || !rules->splits_asked_only);
}

Range line_unit_segments(const Line *line, const Unit *unit)
{
    return (Range){ unit == line->units ? 0 : unit[-1].segments_end, unit->segments_end };
}

const Unit *line_unit_of(const Segment *segment)
{
    const Line *line = segment->line;
    size_t unit;

    FIND_FIRST(unit, line->unit_count, line->units[unit].segments_end > segment->index);
    return &line->units[unit];
}

SegmentResult *line_result_of(const Segment *segment, size_t rank)
{
    return &segment->results.data[rank < segment->results.len ? rank : 0];
}

size_t line_count_results(const Line *line, const LineRules *rules)
{
    size_t count = line->segment_count ? line->segments[0].results.len : 0;

    if (rules->params->alternatives) return count;
    for (size_t i = 0; i < line->segment_count; i++)
        if (line->segments[i].results.len < count) count = line->segments[i].results.len;
    return count;
}

const IdList *line_own_prefix(const Line *line, const LineRules *rules)
{
    if (line->kept_prefix.len) return &line->kept_prefix;
    return line->has_prefix && rules->is_last ? &line->prefix : NULL;
}

LineText line_prefix_text(const Line *line, const LineRules *rules)
{
    const Buf *own = &line->prefix_text;

    return line->has_prefix && rules->is_last ? (LineText){ own->data, own->len } : rules->prefix_text;
}

/* --- The functions of dragoman.h. */

size_t dragoman_line_number(const DragomanLine *line)
{
    return line->number;
}

uintptr_t dragoman_line_tag(const DragomanLine *line)
{
    return line->tag;
}

static const char *text_of(const Buf *text, size_t *length)
{
    if (length) *length = text->len;
    return text->data ? text->data : "";
}

static const int32_t *ids_of(const IdList *ids, size_t *count)
{
    if (count) *count = ids->len;
    return ids->data;
}

static const Range *ranges_of(const RangeList *ranges, size_t *count)
{
    if (count) *count = ranges->len;
    return ranges->data;
}

/* Returns an empty translation for a rank that does not exist. */
static const DragomanTranslation *translation_of(const DragomanLine *line, size_t rank)
{
    static const DragomanTranslation none = { .confidence = (double)NAN };

    return rank < line->count ? &line->translations[rank] : &none;
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
    return line->most_segments;
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
    static const Buf none;

    return text_of(index < line->pivot_count ? &line->pivots[index].text : &none, length);
}

size_t dragoman_line_count(const DragomanLine *line)
{
    return line->count;
}

const char *dragoman_line_translation(const DragomanLine *line, size_t rank, size_t *length)
{
    return text_of(&translation_of(line, rank)->text, length);
}

float dragoman_line_score(const DragomanLine *line, size_t rank)
{
    return translation_of(line, rank)->score;
}

float dragoman_line_sum(const DragomanLine *line, size_t rank)
{
    return translation_of(line, rank)->sum;
}

const int32_t *dragoman_line_ids(const DragomanLine *line, size_t rank, size_t *count)
{
    return ids_of(&translation_of(line, rank)->ids, count);
}

size_t dragoman_line_forced(const DragomanLine *line, size_t rank)
{
    return translation_of(line, rank)->forced;
}

const Range *dragoman_line_ranges(const DragomanLine *line, size_t rank, size_t *count)
{
    return ranges_of(&translation_of(line, rank)->ranges, count);
}

const float *dragoman_line_token_scores(const DragomanLine *line, size_t rank, size_t *count)
{
    const DragomanTranslation *translation = translation_of(line, rank);

    if (count) *count = translation->scores.len;
    return translation->scores.data;
}

static const Span *spans_of(const SpanList *spans, size_t *count)
{
    if (count) *count = spans->len;
    return spans->len ? spans->data : NULL;
}

const Span *dragoman_line_kept(const DragomanLine *line, size_t rank, size_t *count)
{
    return spans_of(!line->count && !rank ? &line->kept : &translation_of(line, rank)->items, count);
}

const Span *dragoman_line_demands(const DragomanLine *line, size_t rank, size_t *count)
{
    return spans_of(&translation_of(line, rank)->demands, count);
}

double dragoman_line_confidence(const DragomanLine *line, size_t rank)
{
    return translation_of(line, rank)->confidence;
}

unsigned dragoman_line_flags(const DragomanLine *line, size_t rank)
{
    return translation_of(line, rank)->flags;
}

bool dragoman_line_rescued(const DragomanLine *line)
{
    return line->rescued;
}

bool dragoman_line_reused(const DragomanLine *line)
{
    return line->repeats;
}
