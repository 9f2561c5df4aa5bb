/* line_features.h - numbers that say how certain a model was of a translation, and the confidence that follows from
 * them. They are sums over tokens, so those of a line are added from its segments. Tokens that were forced, because no
 * other token was allowed, do not count; end tokens do. */
#ifndef DRAGOMAN_LINE_FEATURES_H
#define DRAGOMAN_LINE_FEATURES_H

#include <stddef.h>

#include "calibration.h"
#include "search.h"

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

#endif
