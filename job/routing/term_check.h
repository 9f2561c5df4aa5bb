/* term_check.h - tells whether a line has the translations of its terms. */
#ifndef DRAGOMAN_TERM_CHECK_H
#define DRAGOMAN_TERM_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "glossary.h"

/* Whether a translation of the line has one of the forms of this term, which was asked for as number `index`. Sets
 * *found to its bytes in the translation. */
bool term_check(const DragomanLine *line, size_t rank, size_t index, const TermMatch *term, Range *found);

#endif
