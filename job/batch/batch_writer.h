/* batch_writer.h - the LineWriter of a batch: writes the lines or the document of each file of the input to a file.
 * A file that fails is added to the failures; its other lines are dropped. */
#ifndef DRAGOMAN_BATCH_WRITER_H
#define DRAGOMAN_BATCH_WRITER_H

#include <stddef.h>

#include "batch_plan.h"
#include "document_output.h"
#include "err.h"
#include "failures.h"
#include "file_finisher.h"
#include "filter.h"
#include "format.h"
#include "input.h"
#include "progress.h"
#include "skipped_files.h"

typedef struct {
    const BatchPlan *plan;
    const size_t *todo; /* [todo_count], the files of the input as indices of plan->files, in order */
    size_t todo_count;
    Formatter formatter; /* of each file with lines */
    Documents *documents;
    DocumentContent content; /* of documents */
    OtherFiles others;
    SkippedFiles *skipped; /* receives the files that are skipped because they are not text */
    Progress *progress;    /* NULL: none */
    const Reporter *reporter;
} BatchJob;

typedef struct BatchWriter BatchWriter; /* fields: batch_writer.c */

/* `job`, `failures` and `finisher` must stay valid. On OK the caller owns *out and frees it with
 * batch_writer_free(). */
MUST_USE Status batch_writer_new(BatchWriter **out, const BatchJob *job, Failures *failures, FileFinisher *finisher,
                                 Err *err);

/* The functions for input_start(), called on the thread of the input, and those for filter_run(), called on the thread
 * that calls it. */
InputWatch batch_writer_watch(BatchWriter *writer);
LineWriter batch_writer_line_writer(BatchWriter *writer);

/* Removes an unfinished file. NULL is allowed. */
void batch_writer_free(BatchWriter *writer);

#endif
