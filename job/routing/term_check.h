/* term_check.h - asks for the translations of terms, and tells whether a line has them. */
#ifndef DRAGOMAN_TERM_CHECK_H
#define DRAGOMAN_TERM_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "dragoman_request.h"
#include "glossary.h"

/* Asks for one of the forms of the term. */
DRAGOMAN_CHECKED DragomanStatus term_demand(DragomanRequest *request, const TermMatch *term, DragomanError *error);

/* Whether a translation of the line has one of the forms of this term, which was asked for as number `index`. Sets
 * *found to its bytes in the translation. */
bool term_check(const DragomanLine *line, size_t rank, size_t index, const TermMatch *term, Range *found);

#endif
