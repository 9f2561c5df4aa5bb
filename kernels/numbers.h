/* numbers.h - the types that numbers of a model are held in.
 * F16  IEEE half: 1 sign, 5 exponent (bias 15), 10 fraction bits.
 * BF16 the upper half of an f32.
 * In memory they have the CPU's byte order. */
#ifndef DRAGOMAN_NUMBERS_H
#define DRAGOMAN_NUMBERS_H

#include <stddef.h>

typedef enum { NUMBER_F32, NUMBER_F16, NUMBER_BF16 } NumberType;

static inline size_t number_bytes(NumberType type)
{
    return type == NUMBER_F32 ? 4 : 2;
}

#endif
