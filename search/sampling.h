/* sampling.h - draws a token of a row at random: the random numbers, the filters that limit the choice, and the draw.
 * The filters are those of transformers 4.57.1 (generation/logits_process.py, the classes *LogitsWarper), in the order
 * in which generate() applies them. */
#ifndef DRAGOMAN_SAMPLING_H
#define DRAGOMAN_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "kernels.h"
#include "search_params.h"

/* --- Random numbers that are a function of a key and a counter: each can be computed without the others.
 * Source   Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011)
 * Checked  tests/unit/test_sampling.c, with the known answers of the authors' Random123 library */

typedef struct {
    uint32_t words[4];
} PhiloxBlock;

/* The 128 random bits of a counter. */
PhiloxBlock philox(uint64_t key, PhiloxBlock counter);

/* Returns a number between 0 and 1, both excluded. It has 2^52 possible values, all equally probable. */
double philox_unit(uint64_t key, PhiloxBlock counter);

/* The key of a sentence's random numbers, which depends only on the seed and the ids of the source. */
uint64_t sampling_key(uint64_t seed, const int32_t *source, size_t length);

/* --- Filters and draws. */

/* A value of a row, and its index. */
typedef struct {
    float key;
    uint32_t at;
} SamplingItem;

/* Scratch memory for rows of at most `room` values. */
typedef struct {
    const Kernels *kernels;
    float *values;       /* [room] */
    SamplingItem *items; /* [room] */
} Sampler;

/* Takes the memory from an arena; arena_check() tells whether there was enough. */
Sampler sampler_in(Arena *arena, size_t room);

/* Divides x[count] by the temperature, and sets the values that the filters exclude to minus infinity. At least `least`
 * values stay, the largest ones. Of equal values at a limit, top-p keeps those with the lowest indices. */
void sampling_filter(Sampler *sampler, const Sampling *sampling, float *x, size_t count, size_t least);

/* Returns the index i at which the sum of softmax(x)[0..i] exceeds `unit`, a number in [0, 1). */
size_t sampling_draw(Sampler *sampler, const float *x, size_t count, double unit);

#endif
