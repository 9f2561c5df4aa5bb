/* segment_results.h - what becomes of a segment: the results of a session, those of a given translation, and second
 * attempts. */
#ifndef DRAGOMAN_SEGMENT_RESULTS_H
#define DRAGOMAN_SEGMENT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "calibration.h"
#include "err.h"
#include "line.h"
#include "scheduler.h"
#include "scorer.h"
#include "search_params.h"
#include "session.h"
#include "team.h"

/* Lets the session record what the rules ask for, besides the translations. Call it when nothing is in flight. */
MUST_USE Status segment_results_record(Session *session, const LineRules *rules, Err *err);

/* Appends a copy of session_result(session, i), and of what was recorded for it, to the results of the segment. Call it
 * best first, with `room` as the total number of results. */
MUST_USE Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules,
                                    Err *err);

/* Moves each row of values[rows, columns] up by `shift`: token t gets the attention of step t + shift. The last rows
 * stay. */
void segment_results_shift(float *values, size_t rows, size_t columns, size_t shift);

/* --- Scores the segments whose translation is given (GivenTarget of line.h). A worker has one for each stage. */

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

/* --- A second attempt at a segment whose best translation repeats itself.
 *
 * The second attempt has twice the beam, at least RESCUE_BEAMS, and never repeats RESCUE_NGRAM tokens; it cannot loop
 * (line_judge.c): a run has at most two copies, or three of a single token. Only the segment is translated again, not
 * the whole line. If the segment has demands, the attempt that meets more of them is better, whatever its flags and
 * confidence are. */

#define RESCUE_BEAMS 8
#define RESCUE_NGRAM 3

/* Sets *out, which starts as {0}, to the parameters of a second attempt. On OK the caller frees it with
 * search_params_free(). */
MUST_USE Status rescue_params(SearchParams *out, const SearchParams *from, Err *err);

/* Whether the first attempt, which has just been read, calls for a second one. */
bool rescue_is_wanted(const Segment *segment);

/* Puts the results of the first attempt aside. */
void rescue_begin(Segment *segment);

/* Keeps the results of the better attempt, as dragoman_line_rescued() describes. A second attempt without results is
 * never better. */
void rescue_end(Segment *segment, const ConfidenceFit *fit);

#endif
