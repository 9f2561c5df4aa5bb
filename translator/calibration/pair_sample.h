/* pair_sample.h - some pairs of a parallel text, spread evenly over all of it. Files may be sorted, so the first pairs
 * are not representative. The number of pairs need not be known: those whose number is a multiple of a power of two
 * are kept, and when there are too many, every second one is dropped. */
#ifndef DRAGOMAN_PAIR_SAMPLE_H
#define DRAGOMAN_PAIR_SAMPLE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "parallel_text.h"
#include "tokenizer.h"

typedef struct {
    Encoding encoding; /* of the source */
    IdList target_ids;
    Buf source, target;
} SamplePair;

/* {0} with `most`, the largest number of pairs, which is even. From `most` pairs on, at least half as many are kept. */
typedef struct {
    size_t most;
    SamplePair *pairs; /* [count] */
    size_t count, cap;
    size_t seen, stride; /* stride 0 stands for 1 */
} PairSample;

/* Copies the current pair of `text`, if it belongs to the sample. */
MUST_USE Status pair_sample_add(PairSample *sample, const ParallelText *text, Err *err);
void pair_sample_free(PairSample *sample);

#endif
