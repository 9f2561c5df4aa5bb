/* positions.h - tables of positional encodings. */
#ifndef DRAGOMAN_POSITIONS_H
#define DRAGOMAN_POSITIONS_H

#include <stddef.h>

/* out[count, d]: sine half, then cosine half (not interleaved),
 *   out[p][i]        = sin(p / 10000^(2i/d))      i < ceil(d/2)
 *   out[p][half + i] = cos(p / 10000^(2i/d))      i < floor(d/2)
 * Source: transformers 4.57.1, MarianSinusoidalPositionalEmbedding. */
void positions_sinusoidal(float *out, size_t count, size_t d);

#endif
