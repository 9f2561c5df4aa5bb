/* calibrate.h - the steps of learning from a text and its translation: dragoman_calibrate(). */
#ifndef DRAGOMAN_CALIBRATE_H
#define DRAGOMAN_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "calibration.h"
#include "config.h"
#include "err.h"
#include "lexicon.h"
#include "text_file.h"
#include "tokenizer.h"

/* The most tokens on each side of a pair; of a prompt, only those of its text count. Longer pairs teach little, and the
 * time for a pair grows with the product of both lengths. */
#define PARALLEL_TEXT_LONGEST 200

/* A line of the source and its translation. */
typedef struct {
    Buf source, target; /* valid UTF-8 */
    Encoding encoding;  /* of the source */
    IdList target_ids;  /* without special tokens */
} TextPair;

/* A text and its translation, read line by line. */
typedef struct {
    TextPair pair; /* the current one */
    const Tokenizer *tokenizer;
    bool pieces;
    const char *source_name, *target_name; /* for messages */
    TextFile *source_file, *target_file;
} ParallelText;

/* --- A sample of the pairs of a parallel text, spread evenly over all of it, because files may be sorted. It has the
 * pairs whose number is a multiple of a power of two. When full, it drops every second pair and doubles the power. */

/* Starts as {0} with `most`, an even limit for the pairs. From `most` pairs on, at least half as many are kept. */
typedef struct {
    size_t most;
    TextPair *pairs; /* [count] */
    size_t count, cap;
    size_t seen, stride; /* stride 0 stands for 1 */
} PairSample;

/* Copies the pair if it belongs to the sample; each pair of the text is given once, in order. */
MUST_USE Status pair_sample_add(PairSample *sample, const TextPair *pair, Err *err);
void pair_sample_free(PairSample *sample);

/* --- Links between the tokens of pairs, the reference that attention is compared with. They are learned from the
 * pairs: a lexicon (IBM model 1, lexicon.h) in each direction, and the links on which both agree. On the embedded
 * model's held-out pairs, this intersection is closer to eflomal's links than either direction or their grown union. */

/* Starts as {0} and ends with link_lexicon_free(). */
typedef struct {
    Lexicon *forward, *backward; /* source to target, and target to the source without its special tokens */
    int32_t end;                 /* a target id that stands for no word: source tokens without a translation are linked
                                    to it; target tokens without one are linked to special tokens of the source */
    IdList ended;                /* the target of a pair with its end */
    bool prompts;                /* the sources are prompts: of their ids, the lexicon learns from those of the text */
} LinkLexicon;

/* source_size and target_size are the sizes of the vocabularies. */
MUST_USE Status link_lexicon_init(LinkLexicon *out, size_t source_size, size_t target_size, int32_t end, Err *err);
void link_lexicon_free(LinkLexicon *lexicon);

/* Copies a pair; `target` has no special tokens. Sets *full instead when there is no room for it. */
MUST_USE Status link_lexicon_add(LinkLexicon *lexicon, const Encoding *source, const IdList *target, bool *full,
                                 Err *err);
MUST_USE Status link_lexicon_learn(LinkLexicon *lexicon, Err *err);

/* links[target->len]: the index in source->ids that each target token is linked to, or -1. */
MUST_USE Status link_lexicon_links(LinkLexicon *lexicon, const Encoding *source, const IdList *target, int32_t *links,
                                   Err *err);

/* --- The attention that agrees best with reference links. The candidates are every head and the mean of the heads of
 * each layer, both with shift 0 and 1 (AlignmentConfig). A candidate links each target token with the source token of
 * its largest weight, unless that is a special token. Its agreement is the F1 of its links and those of the reference:
 * 2 |A and R| / (|A| + |R|). */

typedef struct {
    size_t common, links; /* `common`: links that the reference also has; `links`: all links */
} LinkCounts;

typedef struct {
    size_t layers, heads, reference; /* `reference`: the number of links of the reference so far */
    LinkCounts *counts; /* [layers, heads + 1, shifts]; the last head of a layer is the mean of the others */
} HeadChoice;

/* The caller frees out->counts with free(). */
MUST_USE Status head_choice_init(HeadChoice *out, size_t layers, size_t heads, Err *err);

/* A sentence pair. The source tokens [body, body + pieces) are not special. */
typedef struct {
    const float *attention; /* [layers * heads, target_len + 1, source_len] */
    const int32_t *links;   /* [target_len]: the source token that the reference links with a target token, or -1 */
    size_t source_len, target_len, body, pieces;
} HeadChoicePair;

void head_choice_add(HeadChoice *choice, const HeadChoicePair *pair);

/* Sets *out to the best candidate, or the first of equally good ones: layers in order, the mean of each after its
 * heads. Returns the agreement of the candidate; 0 if there are no links. */
double head_choice_best(const HeadChoice *choice, AlignmentConfig *out);

/* --- ChrF2 of a translation (Popovic 2015, "chrF: character n-gram F-score"), from 0 to 100, as sacrebleu's
 * sentence_chrf() with its defaults: the n-grams of 1 to 6 characters without white space, beta 2, and the mean over
 * the orders that both texts have. Checked: tests/unit/test_confidence.c. */

/* Both texts are valid UTF-8. */
MUST_USE Status chrf(double *out, const char *translation, size_t len, const char *reference, size_t reference_len,
                     Err *err);

/* --- Fits the confidence (ConfidenceFit) to translations that are known to be good or bad: logistic regression by
 * Newton's method (iteratively reweighted least squares). */

typedef struct {
    double features[CALIBRATION_FEATURES];
    bool good;
} ConfidenceExample;

/* At least this number of good and of bad translations is needed. */
#define CONFIDENCE_FIT_LEAST 100

/* Maximizes, for features that are standardized to mean 0 and deviation 1,
 *     sum over all examples of log(estimated probability of their label, good or bad) - RIDGE / 2 * sum of weights^2;
 * the ridge keeps the weights finite if the features separate good from bad. The weights of *out apply to features that
 * are not standardized. Returns false, and sets nothing, if there are too few good or too few bad examples. */
bool confidence_fit(ConfidenceFit *out, const ConfidenceExample *examples, size_t count);

#endif
