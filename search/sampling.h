/* sampling.h - which tokens of a row can be drawn, and which of them is drawn.
 * The filters are those of transformers 4.57.1 (generation/logits_process.py, the classes *LogitsWarper), in the order
 * in which generate() applies them. */
#ifndef DRAGOMAN_SAMPLING_H
#define DRAGOMAN_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "search_params.h"

/* A value of a row, and its index. */
typedef struct {
    float key;
    uint32_t at;
} SamplingItem;

/* Scratch memory for rows of at most `room` values. {0} until sampler_init(). */
typedef struct {
    const Kernels *kernels;
    float *values;       /* [room] */
    SamplingItem *items; /* [room] */
    size_t room;
} Sampler;

/* The caller frees *out with sampler_free() in every case. */
MUST_USE Status sampler_init(Sampler *out, size_t room, Err *err);
void sampler_free(Sampler *sampler); /* {0} is allowed */

/* Divides x[count] by the temperature, and sets the values that the filters exclude to minus infinity. At least `least`
 * values stay, the largest ones. Of equal values at a limit, top-p keeps those with the lowest indices. */
void sampling_filter(Sampler *sampler, const Sampling *sampling, float *x, size_t count, size_t least);

/* Returns the index i at which the sum of softmax(x)[0..i] exceeds `unit`, a number from 0 to below 1. */
size_t sampling_draw(Sampler *sampler, const float *x, size_t count, double unit);

/* The key of the random numbers for a sentence: they depend only on the seed and its ids. */
uint64_t sampling_key(uint64_t seed, const int32_t *source, size_t length);

#endif
