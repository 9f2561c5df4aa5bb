/* kept_functions.c - public functions (dragoman.h, dragoman_memory.h): what lines and their translations keep. */
#include "dragoman_memory.h"
#include "line_kept.h"

/* All that was kept, that which the caller asked for first. */
static const RangeList *kept_of(const DragomanLine *line, size_t rank)
{
    const DragomanTranslation *translation = rank < line->count ? &line->translations[rank] : NULL;

    if (translation) return &translation->kept;
    return !line->count && !rank ? &line->kept : NULL;
}

const Range *dragoman_line_kept(const DragomanLine *line, size_t rank, size_t *count)
{
    const RangeList *kept = kept_of(line, rank);
    const size_t asked = kept && kept->len ? kept->len - line->kept_unknown : 0;

    if (count) *count = asked;
    return asked ? kept->data : NULL;
}

const Range *dragoman_line_unknown(const DragomanLine *line, size_t rank, size_t *count)
{
    const RangeList *kept = kept_of(line, rank);
    const size_t unknown = kept && kept->len ? line->kept_unknown : 0;

    if (count) *count = unknown;
    return unknown ? kept->data + kept->len - unknown : NULL;
}

/* The first of the source ranges that are kept are those that the caller asked for. */
static const RangeList *kept_sources(const DragomanLine *line)
{
    const LineKept *kept = ((const Line *)line)->kept; /* the view is the first field of a line */

    return kept ? &kept->source : NULL;
}

const Range *dragoman_line_kept_sources(const DragomanLine *line, size_t *count)
{
    const RangeList *sources = kept_sources(line);
    const size_t asked = sources ? sources->len - line->kept_unknown : 0;

    if (count) *count = asked;
    return asked ? sources->data : NULL;
}

const Range *dragoman_line_unknown_sources(const DragomanLine *line, size_t *count)
{
    const RangeList *sources = kept_sources(line);

    if (count) *count = line->kept_unknown;
    return line->kept_unknown ? sources->data + sources->len - line->kept_unknown : NULL;
}
