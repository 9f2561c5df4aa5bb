/* progress_plan.h - whether and how the progress is shown. */
#ifndef DRAGOMAN_PROGRESS_PLAN_H
#define DRAGOMAN_PROGRESS_PLAN_H

#include <stdbool.h>

#include "dragoman_job.h"
#include "option_table.h"
#include "progress.h"

/* Returns the plan without its totals. `uses_terminal`: input is read from a terminal or output written to one, where a
 * bar would be in the way. */
ProgressPlan progress_plan(const Options *options, bool uses_terminal);

/* Sets the totals for these input files ("-": standard input, from its position). The number of bytes stays unknown if
 * one of them exists and is not a regular file. */
void progress_plan_set_inputs(ProgressPlan *plan, const DragomanInput *inputs, size_t count);

#endif
