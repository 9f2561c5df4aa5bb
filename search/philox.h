/* philox.h - random numbers that are a function of a key and a counter, so that any of them can be computed without the
 * ones before it.
 * Source   Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011)
 * Checked  tests/unit/test_sampling.c, with the known answers of the authors' Random123 library */
#ifndef DRAGOMAN_PHILOX_H
#define DRAGOMAN_PHILOX_H

#include <stdint.h>

typedef struct {
    uint32_t words[4];
} PhiloxBlock;

/* The 128 random bits of a counter. */
PhiloxBlock philox(uint64_t key, PhiloxBlock counter);

/* A number above 0 and below 1, one of 2^52 that are equally probable. */
double philox_unit(uint64_t key, PhiloxBlock counter);

#endif
