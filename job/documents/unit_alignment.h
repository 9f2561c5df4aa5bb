/* unit_alignment.h - where the markup of a unit goes in its translation. */
#ifndef DRAGOMAN_UNIT_ALIGNMENT_H
#define DRAGOMAN_UNIT_ALIGNMENT_H

#include "document.h"
#include "dragoman.h"
#include "err.h"

/* Sets places[text->markup_count] to the words of `made` that translate those inside the markup of `text`. `made` is
 * the best translation of the line. kept[count] are the spans that the translation keeps, in the order of the source.
 * `line` is NULL for a translation by a person, without the attention of a model: then equal words, and the order of
 * the others, say what translates what. */
MUST_USE Status unit_alignment_place(const UnitText *text, const DragomanLine *line, const Rendering *made,
                                     const Span *kept, size_t count, Range *places, Err *err);

#endif
