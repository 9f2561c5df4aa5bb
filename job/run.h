/* run.h - one pass over inputs: dragoman_job.h describes its items.
 *
 * A thread reads the inputs (input.h). The thread that calls run_next() receives the lines, warns of what is to be
 * said about them, writes documents, and adds what was translated to the memory. */
#ifndef DRAGOMAN_RUN_H
#define DRAGOMAN_RUN_H

#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "input.h"

/* What an input is. */
typedef struct {
    const DocumentFormat *format; /* NULL: it is read as lines */
    const char *other;            /* what it is instead of text to translate; NULL: nothing is known */
} InputKind;

/* For dragoman_run_start(). `kinds`: of the inputs; NULL: as DragomanInput says. */
MUST_USE Status run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs, size_t count,
                          DragomanRunRules rules, const InputKind *kinds, Err *err);
MUST_USE Status run_next(DragomanRun *run, DragomanItem *item, Err *err);

/* What the input thread has found out about the file of an item. */
const InputResult *run_result(const DragomanRun *run, size_t file);

/* Appends the best translation of the line of an item, with the ending of the line. Newlines, which a model may
 * produce, become spaces. */
MUST_USE Status run_append_line(Buf *out, const DragomanItem *item, Err *err);

#endif
