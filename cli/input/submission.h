/* submission.h - submits texts with the parts that their translations keep and with their terms. */
#ifndef DRAGOMAN_SUBMISSION_H
#define DRAGOMAN_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "err.h"
#include "keep_rules.h"
#include "line_columns.h"
#include "memory.h"
#include "ranges.h"
#include "router.h"
#include "term_log.h"
#include "document.h"

/* Starts as { .router, .keep, .memory, .glossary, .log } and ends with submission_free(). */
typedef struct {
    Router *router;
    const KeepRules *keep; /* NULL: translations of lines keep nothing */
    const Memory *memory;  /* NULL: no translation is known */
    Glossary *glossary;    /* NULL: none */
    TermLog *log;          /* receives the terms of each text */
    RangeList found;
    TermMatches terms;
    DragomanRange *ranges; /* [capacity] */
    size_t capacity;
    MemorySearch search;
    DragomanRange *places; /* [place_capacity] */
    size_t place_capacity;
} Submission;

/* A text that is submitted. */
typedef struct {
    Destination to;
    size_t number; /* of the line, in the input */
    uintptr_t tag;
} SubmittedLine;

/* Submits the source of a line, with what else it asks. Returns ERR_FORMAT, without a place, if an expression of `keep` reaches a limit, else the status of
 * router_submit(). */
MUST_USE Status submission_line(Submission *submission, const SubmittedLine *line, const LineParts *parts, Err *err);

/* Submits a text whose translation keeps these parts. */
MUST_USE Status submission_unit(Submission *submission, const SubmittedLine *line, const UnitText *text, Err *err);

void submission_free(Submission *submission);

#endif
