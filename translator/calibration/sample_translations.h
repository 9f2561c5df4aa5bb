/* sample_translations.h - translates the sources of a sample, and compares the translations with the targets. */
#ifndef DRAGOMAN_SAMPLE_TRANSLATIONS_H
#define DRAGOMAN_SAMPLE_TRANSLATIONS_H

#include "confidence_fit.h"
#include "err.h"
#include "option_fields.h"
#include "pair_sample.h"

/* A translation is good if its chrF is at least this. */
#define SAMPLE_GOOD_CHRF 50

/* Sets *out to the features of the translations with these options, and whether each is good: *count examples, at most
 * one for each pair. The caller frees *out with free(). */
MUST_USE Status sample_translations(ConfidenceExample **out, size_t *count, const PairSample *sample,
                                    const DragomanOptions *options, Err *err);

#endif
