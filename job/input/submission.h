/* submission.h - submits texts with the parts that their translations keep and with their terms. */
#ifndef DRAGOMAN_SUBMISSION_H
#define DRAGOMAN_SUBMISSION_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "document.h"
#include "dragoman.h"
#include "err.h"
#include "keep_rules.h"
#include "line_columns.h"
#include "memory.h"
#include "ranges.h"
#include "router.h"

/* Starts as { .router, .keep, .memory, .glossary } and ends with submission_free(). */
typedef struct {
    Router *router;
    const KeepRules *keep; /* NULL: translations of lines keep nothing */
    const Memory *memory;  /* NULL: no translation is known */
    Glossary *glossary;    /* NULL: none */
    DragomanRequest
        *request;     /* the text that is being submitted, with everything that is asked; NULL before the first */
    RangeList found;  /* what the line keeps */
    RangeList closed; /* where the text has no terms */
    TermMatches terms;
    MemorySearch search;
    atomic_size_t other_bytes; /* of the columns of lines that are not translated (submission_take_other_bytes()) */
} Submission;

/* A text that is submitted. */
typedef struct {
    Destination to;
    uintptr_t tag;
} SubmittedLine;

/* Submits the source of a line, with what else its columns ask. Returns ERR_FORMAT, without a place, if an expression
 * of `keep` reaches a limit or the line has a prefix that the model cannot write, else the status of router_submit().
 * */
MUST_USE Status submission_line(Submission *submission, const SubmittedLine *line, const LineColumns *columns,
                                LineText whole, LineText source, Err *err);

/* Submits a text whose translation keeps these parts. */
MUST_USE Status submission_unit(Submission *submission, const SubmittedLine *line, const UnitText *text, Err *err);

/* Returns how many bytes of lines were not in their sources since the last call. Any thread may call it. */
size_t submission_take_other_bytes(Submission *submission);

void submission_free(Submission *submission);

#endif
