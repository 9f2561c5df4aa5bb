/* confidence_fit.h - fits the confidence (ConfidenceFit) to translations that are known to be good or bad: logistic
 * regression by Newton's method (iteratively reweighted least squares). */
#ifndef DRAGOMAN_CONFIDENCE_FIT_H
#define DRAGOMAN_CONFIDENCE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "calibration.h"

typedef struct {
    double features[CALIBRATION_FEATURES];
    bool good;
} ConfidenceExample;

/* At least this number of good and of bad translations is needed. */
#define CONFIDENCE_FIT_LEAST 100

/* Maximizes, for features that are standardized to mean 0 and deviation 1,
 *     sum of log(probability of what the translation is) - RIDGE / 2 * sum of weights^2;
 * the ridge keeps the weights finite where the features separate good from bad. The weights of *out are those for the
 * features as they are. Returns false, and sets nothing, if there are too few examples of a kind. */
bool confidence_fit(ConfidenceFit *out, const ConfidenceExample *examples, size_t count);

#endif
