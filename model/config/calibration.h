/* calibration.h - the results of `dragoman calibrate`, measured on sentence pairs: which cross-attention aligns
 * translations with their sources, and how to compute the confidence in a translation. docs/calibration.md describes
 * the file. */
#ifndef DRAGOMAN_CALIBRATION_H
#define DRAGOMAN_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "config.h"
#include "err.h"
#include "json.h"

/* The name of the file, in a model's folder and in a packed model. */
#define CALIBRATION_FILE "dragoman-calibration.json"

/* The features: mean, minimum, standard deviation of the tokens' log-probabilities, mean margin, mean entropy. */
#define CALIBRATION_FEATURES 5

/* The probability that a translation with these features has a chrF of at least 50:
 * 1 / (1 + exp(-(bias + sum of weights[i] * features[i]))). */
typedef struct {
    double weights[CALIBRATION_FEATURES];
    double bias;
    size_t pairs, good; /* number of translations in the fit; number of those with a chrF of at least 50 */
} ConfidenceFit;

typedef struct {
    uint64_t model; /* model_hash() */
    AlignmentConfig alignment;
    double agreement; /* F1 of the alignments with the links of a lexicon */
    size_t pairs;     /* sentence pairs on which `agreement` was measured */
    bool has_confidence;
    ConfidenceFit confidence;
} Calibration;

/* Reads the file that was parsed as `json`. ERR_FORMAT: a value is missing, has another type, or the model has no such
 * layer or head; ERR_UNSUPPORTED: the file has another version. Does not check out->model. */
MUST_USE Status calibration_read(Calibration *out, JsonObject json, const ModelConfig *config, Err *err);

/* Appends the calibration as JSON, the content of its file. `decoder` is the configuration of the model's decoder. */
MUST_USE Status calibration_append(Buf *out, const Calibration *calibration, const StackConfig *decoder, Err *err);

#endif
