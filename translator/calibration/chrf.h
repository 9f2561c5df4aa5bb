/* chrf.h - chrF2 of a translation (Popovic 2015, "chrF: character n-gram F-score"), from 0 to 100, as sacrebleu's
 * sentence_chrf() with its defaults: the n-grams of 1 to 6 characters without white space, beta 2, and the mean over
 * the orders that both texts have. Checked: tests/unit/test_confidence.c. */
#ifndef DRAGOMAN_CHRF_H
#define DRAGOMAN_CHRF_H

#include <stddef.h>

#include "err.h"

/* Both texts are valid UTF-8. */
MUST_USE Status chrf(double *out, const char *translation, size_t len, const char *reference, size_t reference_len,
                     Err *err);

#endif
