/* scheduler_setup.h - what a scheduler works with: the models on a line's way, and how much at a time. */
#ifndef DRAGOMAN_SCHEDULER_SETUP_H
#define DRAGOMAN_SCHEDULER_SETUP_H

#include <stddef.h>
#include <stdint.h>

#include "line.h"
#include "model.h"
#include "search.h"
#include "shortlist.h"

/* What a line meets on its way: a model, and how it is used. */
typedef struct {
    const Model *model;
    const SearchParams *params;
    const LineRules *rules;
    const Shortlist *shortlist; /* NULL: none */
    const int32_t *prefix;      /* forced beginning of each line's translation */
    size_t prefix_len;
} SchedulerStage;

/* The pointers must outlive the scheduler. */
typedef struct {
    const SchedulerStage *stages; /* [stage_count], in the order of the way; at least 1 */
    size_t stage_count;
    size_t workers;   /* threads, at least 1 */
    size_t team;      /* threads that share the steps of the only worker with work; below 2: none do */
    size_t rows;      /* hypotheses in flight a worker and stage, at least 1 */
    size_t max_lines; /* under way: submitted and not yet taken; at least 1 */
    size_t max_bytes;
} SchedulerSetup;

#endif
