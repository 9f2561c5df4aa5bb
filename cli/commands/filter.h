/* filter.h - translates the input files and passes each translated line to a LineWriter.
 * A thread reads the input. The calling thread waits for each translated line and writes it. Before it waits, it
 * flushes the writer: many lines are thus written in large blocks, and a single line is written at once. */
#ifndef DRAGOMAN_FILTER_H
#define DRAGOMAN_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "input.h"
#include "progress.h"
#include "router.h"

typedef struct {
    size_t lines;      /* of files that are read as lines */
    size_t units;      /* of documents */
    size_t words;      /* of the source: utf8_count_words() */
    size_t pieces;     /* pieces of the source */
    size_t unreadable; /* files that could not be read; each one has been reported */
    size_t faults;     /* input_faults() */
    bool has_terms;    /* there is a glossary */
    size_t terms;      /* found in the source */
    size_t terms_met;  /* translated as the glossary says */
} FilterCounts;

/* Where the lines go: to one output or to a file for each file of the input. A function that fails
 * ends the translation. */
typedef struct {
    void *writer; /* the first argument of the functions */
    Status (*write)(void *writer, const RoutedLine *line, Err *err);
    Status (*flush)(void *writer, Err *err); /* called when the next line is not ready yet */
    /* A line of the file has failed: the others go on. NULL: a line that fails ends the translation. */
    Status (*fail)(void *writer, size_t file, const Err *reason, Err *err);
} LineWriter;

/* Translates the files of `plan`. With `router` NULL, which is for documents only, reads each file and flushes the
 * writer after it. *counts is valid on failure, too. `progress` may be NULL; the names that it gets are
 * those of `plan`. */
MUST_USE Status filter_run(Router *router, const InputPlan *plan, const LineWriter *to, Progress *progress,
                           FilterCounts *counts, Err *err);

/* Reports the counts in one line, and the terms and the detected languages in others. `opening`: the time to open the
 * model; `seconds`: that for everything after it. */
void filter_report_counts(const FilterCounts *counts, const Router *router, double opening, double seconds);

#endif
