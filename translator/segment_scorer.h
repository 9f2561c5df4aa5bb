/* segment_scorer.h - scores the segments whose translation is given (GivenTarget of line.h). A worker has one for each
 * stage. */
#ifndef DRAGOMAN_SEGMENT_SCORER_H
#define DRAGOMAN_SEGMENT_SCORER_H

#include <stddef.h>

#include "err.h"
#include "line.h"
#include "scheduler_setup.h"
#include "scorer.h"
#include "team.h"

/* Starts as {0}. The memory is kept from batch to batch. */
typedef struct {
    Scorer *scorer;     /* NULL until it is needed */
    ScorerPair *pairs;  /* [count] */
    Segment **segments; /* [count], of each pair */
    size_t count, pair_room, segment_room;
    size_t done; /* pairs that are scored */
} SegmentScorer;

void segment_scorer_free(SegmentScorer *scorer);

/* Adds a segment. */
MUST_USE Status segment_scorer_add(SegmentScorer *scorer, Segment *segment, const SchedulerStage *stage, Err *err);

/* Scores the next batch of pairs, up to `rows` tokens at a time, stores the results in their segments and adds their
 * number to `done`. The caller reads `segments` and pairs[].broken; when all are done, it sets `count` and `done` to
 * 0. */
MUST_USE Status segment_scorer_run(SegmentScorer *scorer, const SchedulerStage *stage, size_t rows, Team *team,
                                   Err *err);

#endif
