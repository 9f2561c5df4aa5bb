/* batch_conflicts.h - whether writing the targets of a batch would destroy something. */
#ifndef DRAGOMAN_BATCH_CONFLICTS_H
#define DRAGOMAN_BATCH_CONFLICTS_H

#include "batch_plan.h"
#include "err.h"

/* Returns ERR_USAGE if two files have the same target, if a target would have to be both a file and a folder, if two
 * targets are links to the same file, or if a target is a file of the batch. */
MUST_USE Status batch_conflicts_check(const BatchPlan *plan, Err *err);

#endif
