/* alignment_format.h - how --alignment writes alignments: in the notation of marian-decoder or as JSON. */
#ifndef DRAGOMAN_ALIGNMENT_FORMAT_H
#define DRAGOMAN_ALIGNMENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"

typedef enum { ALIGNMENT_NONE, ALIGNMENT_LINKS, ALIGNMENT_SOFT } AlignmentKind;

typedef struct {
    AlignmentKind kind;
    float threshold; /* of ALIGNMENT_LINKS, see dragoman_alignment_links() */
} AlignmentStyle;

/* The words for an AlignmentStyle besides a threshold, and those for a DragomanUnit, in its order. End with NULL. */
extern const char *const alignment_words[];
extern const char *const alignment_units[];

/* Reads the value of --alignment: hard, soft or a threshold above 0 and at most 1; hard is 1. Returns ERR_USAGE for
 * anything else. */
MUST_USE Status alignment_style_read(AlignmentStyle *out, const char *text, Err *err);

/* Appends the alignment of a translation; nothing for ALIGNMENT_NONE or if the line has no such translation.
 * - links: SOURCE-TARGET pairs with spaces between them; in JSON, an array of arrays [SOURCE, TARGET]
 * - soft: a row of numbers for each target, with commas between them and spaces between rows; in JSON, an array of
 *   arrays. Numbers have six digits, as C++ prints them */
MUST_USE Status alignment_append(Buf *out, const DragomanLine *line, size_t rank, AlignmentStyle style,
                                 DragomanUnit unit, bool json, Err *err);

#endif
