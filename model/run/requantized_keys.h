/* requantized_keys.h - keys and values of a self-attending decoder that are computed anew.
 * Marian's decoder keeps the inputs of earlier positions and multiplies all of them at
 * every step. In 8 bits without a stored scale they are rounded by the largest
 * number of all that a sentence's beam looks back at, so that keys and values of
 * earlier positions change with it; while it stays, they stay. */
#ifndef DRAGOMAN_REQUANTIZED_KEYS_H
#define DRAGOMAN_REQUANTIZED_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder_row.h"
#include "layers.h"

bool requantized_keys_needed(const Model *model);

/* Scratch for `rows` inputs at a time. */
typedef struct {
    size_t rows;
    float *inputs; /* [rows, d] */
    float *kv;     /* [rows, 2a] */
} RequantizedKeys;

/* Writes the keys and values of one layer into the caches of the rows, those of one
 * sentence together; x[count, d] are the inputs at the positions opened last. */
void requantized_keys_write(const RequantizedKeys *keys, const Layers *layers, size_t layer, const DecoderRow *rows,
                            size_t count, const float *x);

#endif
