/* confidence_fit.h - fits the confidence (ConfidenceFit) to translations of which it is known whether they are good:
 * logistic regression, by Newton's method (iteratively reweighted least squares). */
#ifndef DRAGOMAN_CONFIDENCE_FIT_H
#define DRAGOMAN_CONFIDENCE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "calibration.h"

typedef struct {
    double features[CALIBRATION_FEATURES];
    bool good;
} ConfidenceExample;

/* Of good and of bad translations, at least this number is needed. */
#define CONFIDENCE_FIT_LEAST 20

/* Maximizes, for features that are standardized to mean 0 and deviation 1,
 *     sum of log(probability of what the translation is) - RIDGE / 2 * sum of weights^2;
 * the ridge keeps the weights finite where the features separate good from bad. The weights of *out are those for the
 * features as they are. Returns false, and sets nothing, if there are too few examples of a kind. */
bool confidence_fit(ConfidenceFit *out, const ConfidenceExample *examples, size_t count);

#endif
