/* batch_plan.h - what a batch does with each file. Nothing is written yet. */
#ifndef DRAGOMAN_BATCH_PLAN_H
#define DRAGOMAN_BATCH_PLAN_H

#include "batch_target.h"
#include "err.h"
#include "failures.h"
#include "file_list.h"
#include "option_table.h"

typedef struct {
    BatchTarget target;
    FileList files;
    bool quiet; /* no warnings */
} BatchPlan;

/* Finds the files, their formats and targets and, for --resume, those that are up to date. Files and folders that
 * cannot be examined are added to `failures`. Returns ERR_USAGE if the output folder is not a folder, or if options do
 * not fit the format of a file. `options` must stay valid. Always free *out with batch_plan_free(). batch_conflicts.h
 * checks the targets. */
MUST_USE Status batch_plan_new(BatchPlan *out, const Options *options, Failures *failures, Err *err);

void batch_plan_free(BatchPlan *plan);

#endif
