/* line_view.c - the functions of dragoman.h that read a DragomanLine. */
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

/* An empty one for a rank that does not exist. */
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
    const TokenScores *scores = &translation_of(line, rank)->scores;

    if (count) *count = scores->len;
    return scores->data;
}

/* What a translation keeps, or its demands, which are its last spans. */
static const Span *spans_of(const DragomanLine *line, size_t rank, bool demands, size_t *count)
{
    const bool is_untranslated = !line->count && !rank && line->kept;
    const SpanList *spans = is_untranslated ? &line->kept->items : &translation_of(line, rank)->spans;
    const size_t asked = rank < line->count && line->demands ? line->demands->items.len : 0;
    const size_t found = demands ? asked : spans->len - asked;

    if (count) *count = found;
    return found ? spans->data + (demands ? spans->len - asked : 0) : NULL;
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
