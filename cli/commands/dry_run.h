/* dry_run.h - prints what a batch would do. */
#ifndef DRAGOMAN_DRY_RUN_H
#define DRAGOMAN_DRY_RUN_H

#include "batch_plan.h"
#include "err.h"
#include "failures.h"
#include "output.h"
#include "skipped_files.h"

/* Opens standard output as *out and prints a row for each file: path, format, target and action, separated by tabs. The
 * format is "lines", that of a document or, for other files that are not UTF-8 text, "other". The action is
 * "translate", "copy", "skip" (other files), or "up to date". In names, tab, newline, carriage return and backslash are
 * written as \t, \n, \r and \\. With -v, the files to skip are added to `skipped`. Files that cannot be read are added
 * to `failures` instead. */
MUST_USE Status dry_run_print(const BatchPlan *plan, OtherFiles others, SkippedFiles *skipped, Failures *failures,
                              Output *out, Err *err);

#endif
