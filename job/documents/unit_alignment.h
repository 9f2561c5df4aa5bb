/* unit_alignment.h - where the markup of a unit goes in its translation. */
#ifndef DRAGOMAN_UNIT_ALIGNMENT_H
#define DRAGOMAN_UNIT_ALIGNMENT_H

#include "document.h"
#include "dragoman.h"
#include "err.h"

/* Sets places[text->markup_count] to the words of `made` that translate those inside the markup of `text`. `made` is
 * the best translation of the line; its kept parts are known. */
MUST_USE Status unit_alignment_place(const UnitText *text, const DragomanLine *line, const Rendering *made,
                                     Range *places, Err *err);

/* The same for a translation by a person, without the attention of a model: by equal words, and by the order of the
 * others. */
MUST_USE Status unit_alignment_guess(const UnitText *text, const Rendering *made, Range *places, Err *err);

#endif
