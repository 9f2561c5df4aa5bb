/* requantized_keys.h - keys and values of self-attention that must be recomputed.
 * Marian's decoder keeps the inputs of earlier positions and computes their keys and values again at
 * every step. In int8 without a stored scale it quantizes the inputs by the largest absolute value
 * of all inputs that a sentence's beams look back at. When that value changes, the keys and values
 * of earlier positions change; until then they are kept. */
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

/* Writes one layer's keys and values into the caches of the rows, of which those of a sentence are adjacent.
 * x[count, d] are the inputs at the current positions. */
void requantized_keys_write(const RequantizedKeys *keys, const Layers *layers, size_t layer, const DecoderRow *rows,
                            size_t count, const float *x);

#endif
