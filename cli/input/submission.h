/* submission.h - submits texts with the parts that their translations keep. */
#ifndef DRAGOMAN_SUBMISSION_H
#define DRAGOMAN_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "err.h"
#include "keep_rules.h"
#include "memory.h"
#include "ranges.h"
#include "router.h"
#include "document.h"

/* Starts as { .router, .keep, .memory } and ends with submission_free(). */
typedef struct {
    Router *router;
    const KeepRules *keep; /* NULL: translations of lines keep nothing */
    const Memory *memory;  /* NULL: no translation is known */
    RangeList found;
    DragomanRange *ranges; /* [capacity] */
    size_t capacity;
    MemorySearch search;
    DragomanRange *places; /* [place_capacity] */
    size_t place_capacity;
} Submission;

/* Submits a line. Returns ERR_FORMAT, without a place, if an expression of `keep` reaches a limit, else the status of
 * router_submit(). */
MUST_USE Status submission_line(Submission *submission, Destination to, const char *text, size_t length, uintptr_t tag,
                                Err *err);

/* Submits a text whose translation keeps these parts. */
MUST_USE Status submission_unit(Submission *submission, Destination to, const UnitText *text, uintptr_t tag, Err *err);

void submission_free(Submission *submission);

#endif
