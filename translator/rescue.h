/* rescue.h - a second attempt at a segment whose best translation repeats itself.
 *
 * The second attempt has twice the beam, at least RESCUE_BEAMS, and never repeats RESCUE_NGRAM tokens; it cannot loop
 * (line_flags.c): a run has at most two copies, or three of a single token. Only the segment is translated again,
 * not the whole line. If the segment has demands, the attempt that meets more of them is better, whatever its flags
 * and confidence are. */
#ifndef DRAGOMAN_RESCUE_H
#define DRAGOMAN_RESCUE_H

#include <stdbool.h>

#include "calibration.h"
#include "err.h"
#include "line.h"
#include "search_params.h"

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
