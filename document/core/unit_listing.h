/* unit_listing.h - the first pass of unit_writer.c: the text and the markup of a unit become a list of atoms. */
#ifndef DRAGOMAN_UNIT_LISTING_H
#define DRAGOMAN_UNIT_LISTING_H

#include <stddef.h>

#include "err.h"
#include "line_widths.h"
#include "mark_fit.h"
#include "spellings.h"
#include "unit_atoms.h"
#include "unit_writing.h"

/* Markup in the order of its places. At the same place, an empty element goes before a span. */
typedef struct {
    size_t parent; /* 0: none; otherwise 1 + its index */
    Range place;
    size_t index;
} Child;

typedef struct {
    const UnitWriting *writing;
    const Rendering *rendering;
    unsigned context;
    const char *quotes;  /* around the text */
    const Range *places; /* [markup_count] */
    MarkFit fit;
    Spellings spellings;
    LineWidths lines;
    Span *kept; /* [rendering->kept_count], sorted by their places */
    size_t next_kept;
    Child *children; /* [markup_count], sorted */
    size_t *first;   /* [markup_count + 2], where the children of each parent begin */
    UnitAtoms atoms;
    size_t slot;     /* of the atoms that are added */
    size_t start;    /* of the text in the output */
    size_t label;    /* where the last label begins in it */
    size_t line;     /* the break of the model after this line, if it has the same number of newlines before it */
    size_t newlines; /* written outside of line breaks */
    size_t column;   /* of the output */
    ptrdiff_t extra; /* columns by which lines are wider; negative: narrower */
} UnitWriter;

/* Makes the list of atoms anew, with the markup in w->places. */
MUST_USE Status unit_listing_make(UnitWriter *w, Err *err);

#endif
