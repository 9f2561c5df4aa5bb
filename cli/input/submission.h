/* submission.h - submits texts with the parts that their translations keep. */
#ifndef DRAGOMAN_SUBMISSION_H
#define DRAGOMAN_SUBMISSION_H

#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "err.h"
#include "keep_rules.h"
#include "ranges.h"

/* Starts as { .dragoman, .keep } and ends with submission_free(). */
typedef struct {
    Dragoman *dragoman;
    const KeepRules *keep; /* NULL: translations of lines keep nothing */
    RangeList found;
    DragomanRange *ranges; /* [capacity] */
    size_t capacity;
} Submission;

/* Submits a line. Returns ERR_FORMAT, without a place, if an expression of `keep` reaches a limit, else the status of
 * dragoman_submit(). */
MUST_USE Status submission_line(Submission *submission, const char *text, size_t length, uintptr_t tag, Err *err);

/* Submits a text whose translation keeps these parts. */
MUST_USE Status submission_unit(Submission *submission, const UnitText *text, uintptr_t tag, Err *err);

void submission_free(Submission *submission);

#endif
