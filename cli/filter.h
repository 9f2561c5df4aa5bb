/* filter.h - from the files through the translator to the output.
 * The input has a thread of its own; this one waits for each translated line,
 * writes it, and flushes whenever the next one is not ready yet: many lines
 * go out in large writes, a single one at once. */
#ifndef DRAGOMAN_FILTER_H
#define DRAGOMAN_FILTER_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "format.h"
#include "input.h"
#include "output.h"

typedef struct {
    size_t lines;
    size_t pieces;     /* of the source */
    size_t unreadable; /* files; each has been reported */
} FilterCounts;

/* Translates what `plan` says. *counts is filled in any case. */
MUST_USE Status filter_run(Dragoman *dragoman, const InputPlan *plan, Formatter *formatter, Output *out,
                           FilterCounts *counts, Err *err);

#endif
