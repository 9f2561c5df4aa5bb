/* filter.h - translates the input files to the output.
 * A thread reads the input. The calling thread waits for each translated line, writes it, and flushes the output
 * whenever the next line is not ready. Many lines are thus written in large blocks, and a single line is written at
 * once. */
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
    size_t pieces;     /* pieces of the source */
    size_t unreadable; /* files that could not be read; each one has been reported */
} FilterCounts;

/* Translates the files of `plan`. *counts is valid on failure, too. */
MUST_USE Status filter_run(Dragoman *dragoman, const InputPlan *plan, Formatter *formatter, Output *out,
                           FilterCounts *counts, Err *err);

#endif
