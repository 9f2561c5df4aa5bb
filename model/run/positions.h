/* positions.h - what tells a model where a token stands: tables that are
 * added to the embeddings, and biases of attention scores by distance. */
#ifndef DRAGOMAN_POSITIONS_H
#define DRAGOMAN_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>

/* out[count, d]: sine half, then cosine half (not interleaved),
 *   out[p][i]        = sin(p / 10000^(2i/d))      i < ceil(d/2)
 *   out[p][half + i] = cos(p / 10000^(2i/d))      i < floor(d/2)
 * Source: transformers 4.57.1, MarianSinusoidalPositionalEmbedding. */
void positions_halves(float *out, size_t count, size_t d);

/* out[count, d] for the positions first, first + 1, ...; half = floor(d/2):
 *   out[p][i]        = sin(p / 10000^(i/(half - 1)))
 *   out[p][half + i] = cos(p / 10000^(i/(half - 1))); of an odd d the last is 0
 * Source: Tensor2Tensor, and transformers 4.57.1,
 * M2M100SinusoidalPositionalEmbedding, whose f32 angles are followed: at
 * position 1000 they are off by up to 3e-5. */
void positions_tensor2tensor(float *out, size_t first, size_t count, size_t d);

/* out[count, d], sine and cosine side by side:
 *   out[p][2i]     = sin(p / 10000^(2i/d))
 *   out[p][2i + 1] = cos(p / 10000^(2i/d))
 * as in "Attention Is All You Need" and the Annotated Transformer; or, with
 * two exponents, each column j with its own wave, as in some tutorials:
 *   out[p][j] = sin (j even) or cos (j odd) of p / 10000^(2j/d) */
void positions_interleaved(float *out, size_t count, size_t d, bool two_exponents);

/* T5's bucket of the distance key - query. In the encoder (`both` directions)
 * the upper half of the buckets is for keys behind the query; in the decoder
 * those do not occur. Half of what is left are exact distances, the others
 * grow logarithmically up to max_distance; the logarithm is computed in f32
 * and cut off. Source: transformers 4.57.1, T5Attention._relative_position_bucket. */
size_t positions_bucket(long distance, bool both, size_t buckets, size_t max_distance);

/* The biases of one layer, by distance. */
typedef struct {
    size_t max_distance; /* beyond it nothing changes */
    size_t heads;
    float *values; /* [heads, 2 max_distance + 1]: distances from -max_distance on */
} RelativeBias;

/* out[j] = the bias of `head` for keys 0 .. count) seen from `query`. */
void positions_bias_row(const RelativeBias *bias, size_t head, size_t query, size_t count, float *out);

#endif
