/* scheduler_setup.h - the input of a scheduler: the models in order, and the limits of what is in progress. */
#ifndef DRAGOMAN_SCHEDULER_SETUP_H
#define DRAGOMAN_SCHEDULER_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "line.h"
#include "model.h"
#include "search.h"
#include "shortlist.h"

/* One stage of the pipeline: a model and how to use it. */
typedef struct {
    const Model *model;
    const SearchParams *params;
    const LineRules *rules;
    const Shortlist *shortlist; /* NULL: no shortlist */
    const int32_t *prefix;      /* forced beginning of each line's translation, [prefix_len] */
    size_t prefix_len;
    size_t second;   /* index of the stage for second attempts at the segments of this one (rescue.h); 0: none */
    size_t demanded; /* of the stage for segments with demands (line_demands.h); 0: none */
    bool demands;    /* this is such a stage */
    size_t located;  /* of the stage for segments whose attention is needed (Segment.located); 0: none */
} SchedulerStage;

/* The pointers must outlive the scheduler. */
typedef struct {
    const SchedulerStage *stages; /* [stage_count]: those that every line passes, in the order of the pipeline, then
                                     those of second attempts and of located segments */
    size_t stage_count;
    size_t line_stages; /* that every line passes, at least 1 */
    size_t workers;     /* threads; 0 if no line has segments (line_new_copied()) */
    size_t team;        /* threads that share the work of the only busy worker; 0 or 1: no team */
    size_t rows;        /* hypotheses in flight per worker and stage, at least 1 */
    size_t max_lines;   /* lines in progress: submitted and not yet returned; at least 1 */
    size_t max_bytes;
} SchedulerSetup;

#endif
