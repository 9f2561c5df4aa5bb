/* segment_results.h - moves what a session found for a segment to the segment. */
#ifndef DRAGOMAN_SEGMENT_RESULTS_H
#define DRAGOMAN_SEGMENT_RESULTS_H

#include "err.h"
#include "line.h"
#include "session.h"

/* Lets the session record what the rules ask for, besides the translations; `given`: its translations are given, and
 * nothing is found out about their unknown tokens and their confidence. Call it when nothing is in flight. */
MUST_USE Status segment_results_record(Session *session, const LineRules *rules, bool given, Err *err);

/* Appends a copy of session_result(session, i), and of what was recorded for it, to the results of the segment. Call it
 * best first, with `room` as the total number of results. */
MUST_USE Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules,
                                    Err *err);

#endif
