/* segment_results.h - what becomes of a segment: the results of a session, and second attempts. */
#ifndef DRAGOMAN_SEGMENT_RESULTS_H
#define DRAGOMAN_SEGMENT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "calibration.h"
#include "err.h"
#include "line.h"
#include "ranges.h"
#include "search_params.h"
#include "session.h"

/* Lets the session record what the rules ask for, besides the translations; `given`: its translations are given, and
 * nothing is found out about their unknown tokens and their confidence. Call it when nothing is in flight. */
MUST_USE Status segment_results_record(Session *session, const LineRules *rules, bool given, Err *err);

/* Appends a copy of session_result(session, i), and of what was recorded for it, to the results of the segment. Call it
 * best first, with `room` as the total number of results. */
MUST_USE Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules,
                                    Err *err);

/* --- Replaces the unknown tokens of a translation by tokens of its source, as CTranslate2's replace_unknowns does:
 * by the one with the most attention; of equal ones, by the first. Special tokens and tokens of kept ranges are not
 * used, since a translation contains each kept range exactly once. The ids of the translation do not change. */

/* Appends the ids of a result to those of a translation, and its unknown tokens, by their indices in it and in the
 * source ids of the line. */
MUST_USE Status line_append_result(IdList *ids, UnknownList *unknowns, const Segment *segment, size_t rank,
                                   const LineRules *rules, Err *err);

/* The entry of the id `target`, or NULL. *next, 0 at first, moves on; the targets of successive calls ascend. */
const UnknownToken *line_unknowns_next(const UnknownList *list, size_t *next, size_t target);

/* Puts the piece of a source token, as the user gave it. (Sticky: buf_check().) */
void line_unknowns_put_piece(Buf *out, const Line *line, size_t source, const LineRules *rules);

/* The text of the last ids of a translation, from index `first` on. */
typedef struct {
    const IdList *ids;
    size_t first;
    Buf *text;
    RangeList *ranges; /* of these ids in the text; NULL: not asked for */
} DecodedIds;

/* Decodes the ids. The text and the ranges start empty. The tokens in the list are replaced by those of the source. */
MUST_USE Status line_decode(const UnknownList *list, const Line *line, const LineRules *rules,
                            const DecodedIds *decoded, Err *err);

/* Replaces the text of the ids that are in the list, and changes the ranges accordingly. */
MUST_USE Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules,
                                  const DecodedIds *decoded, Err *err);

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
