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

/* The file in a model's folder, and inside a packed model. */
#define CALIBRATION_FILE "dragoman-calibration.json"

/* Mean, minimum and standard deviation of the log-probabilities of the tokens, mean margin, mean entropy. */
#define CALIBRATION_FEATURES 5

/* The probability that a translation with these features has a chrF of at least 50:
 * 1 / (1 + exp(-(bias + sum of weights[i] * features[i]))). */
typedef struct {
    double weights[CALIBRATION_FEATURES];
    double bias;
    size_t pairs, good; /* translations that the weights were fitted to; those with a chrF of at least 50 */
} ConfidenceFit;

typedef struct {
    uint64_t model; /* model_hash() */
    AlignmentConfig alignment;
    double agreement; /* F1 of the alignments with the links of a lexicon */
    size_t pairs;     /* sentence pairs on which `agreement` was measured */
    bool has_confidence;
    ConfidenceFit confidence;
} Calibration;

/* Reads a file. ERR_FORMAT: a value is missing, has another type, or the model has no such layer or head;
 * ERR_UNSUPPORTED: the file has another version. Whether *out belongs to the model is not checked. */
MUST_USE Status calibration_read(Calibration *out, JsonObject json, const ModelConfig *config, Err *err);

/* Appends the content of the file. `decoder` is the decoder of the model. */
MUST_USE Status calibration_append(Buf *out, const Calibration *calibration, const StackConfig *decoder, Err *err);

#endif
