/* line_judge.h - how good a translation is: signs that it is bad (flags), and the confidence in it. */
#ifndef DRAGOMAN_LINE_JUDGE_H
#define DRAGOMAN_LINE_JUDGE_H

#include <stddef.h>

#include "buf.h"
#include "calibration.h"
#include "dragoman.h"
#include "ranges.h"
#include "search.h"

/* --- Numbers that say how certain a model was of a translation, and the confidence that follows from them. They are
 * sums over tokens, so those of a line are added from its segments. Tokens that were forced, because no other token
 * was allowed, do not count; end tokens do. */

typedef struct {
    float mean, least, deviation; /* of the log-probabilities of the tokens */
    float margin, entropy;        /* means of the TokenSpread */
} LineFeatures;

/* Starts as {0}. */
typedef struct {
    size_t tokens;
    double sum, squares, margin, entropy;
    float least;
} FeatureSums;

/* Adds a segment: the log-probabilities scores[count] of its tokens and their spread[count]. */
void line_features_add(FeatureSums *sums, const float *scores, const TokenSpread *spread, size_t count);
void line_features_join(FeatureSums *sums, const FeatureSums *other);

/* All 0 if no token counts. */
LineFeatures line_features(const FeatureSums *sums);

/* The probability that the translation is good (ConfidenceFit). NaN without a fit, or if no token counts. */
double line_features_confidence(const FeatureSums *sums, const ConfidenceFit *fit);

/* --- Signs that a translation is bad. Each one is a DragomanFlag, and the functions return a set of them.
 *
 * A flag should be wrong almost never, so that it is worth a look: the limits are set such that at most one of a
 * thousand translations made by people has a flag. They were measured on 22,900 English-German pairs (technical
 * texts, news, everyday sentences) with the tokens of the embedded model; the numbers are in line_judge.c. */

/* DRAGOMAN_FLAG_LOOP, _CUT, _SHORT and _LONG: compares the ids of a segment with those of its translation, which may
 * have at most `limit`. */
unsigned line_flags_of_ids(const IdList *source, const IdList *target, size_t limit);

/* DRAGOMAN_FLAG_COPY. Both texts are valid UTF-8. */
unsigned line_flags_of_texts(const Buf *source, const Buf *target);

/* DRAGOMAN_FLAG_UNCOVERED: totals[count] are the sums of the attention that each source token gets from all target
 * tokens, ranges[count] the bytes of the tokens in the source. */
unsigned line_flags_of_attention(const float *totals, const Range *ranges, size_t count, const Buf *source);

/* The number of flags in a set. */
size_t line_flags_count(unsigned flags);

#endif
