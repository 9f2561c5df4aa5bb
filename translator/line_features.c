/* line_features.c - see line_features.h. */
#include "line_features.h"

#include <math.h>

void line_features_add(FeatureSums *sums, const float *scores, const TokenSpread *spread, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        const double score = (double)scores[t];
        if (isinf(spread[t].margin)) continue;
        if (!sums->tokens || scores[t] < sums->least) sums->least = scores[t];
        sums->tokens++;
        sums->sum += score;
        sums->squares += score * score;
        sums->margin += (double)spread[t].margin;
        sums->entropy += (double)spread[t].entropy;
    }
}

void line_features_join(FeatureSums *sums, const FeatureSums *other)
{
    if (!other->tokens) return;
    if (!sums->tokens || other->least < sums->least) sums->least = other->least;
    sums->tokens += other->tokens;
    sums->sum += other->sum;
    sums->squares += other->squares;
    sums->margin += other->margin;
    sums->entropy += other->entropy;
}

LineFeatures line_features(const FeatureSums *sums)
{
    const double n = (double)sums->tokens, mean = sums->tokens ? sums->sum / n : 0;
    double variance;

    if (!sums->tokens) return (LineFeatures){ .mean = 0 };
    variance = sums->squares / n - mean * mean;
    return (LineFeatures){ .mean = (float)mean,
                           .least = sums->least,
                           .deviation = variance > 0 ? (float)sqrt(variance) : 0,
                           .margin = (float)(sums->margin / n),
                           .entropy = (float)(sums->entropy / n) };
}

double line_features_confidence(const FeatureSums *sums, const ConfidenceFit *fit)
{
    const LineFeatures f = line_features(sums);
    const float values[CALIBRATION_FEATURES] = { f.mean, f.least, f.deviation, f.margin, f.entropy };
    double z;

    if (!fit || !sums->tokens) return NAN;
    z = fit->bias;
    for (size_t i = 0; i < CALIBRATION_FEATURES; i++) z += fit->weights[i] * (double)values[i];
    return 1 / (1 + exp(-z));
}
