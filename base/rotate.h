/* rotate.h - rotation of 64-bit words, for hashes. */
#ifndef DRAGOMAN_ROTATE_H
#define DRAGOMAN_ROTATE_H

#include <stdint.h>

/* 0 < bits < 64 */
static inline uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

#endif
