/* positions.h - position information: embeddings that are added to the tokens, and attention biases by
 * distance. */
#ifndef DRAGOMAN_POSITIONS_H
#define DRAGOMAN_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "err.h"

/* The next three functions compute out[count, d] for the positions p = first, first + 1, ...
 *
 * Sines, then cosines (not interleaved),
 *   out[p][i]        = sin(p / 10000^(2i/d))      i < ceil(d/2)
 *   out[p][half + i] = cos(p / 10000^(2i/d))      i < floor(d/2)
 * Source: transformers 4.57.1, MarianSinusoidalPositionalEmbedding. */
void positions_halves(float *out, size_t first, size_t count, size_t d);

/* Like positions_halves(), with half = floor(d/2) and other frequencies:
 *   out[p][i]        = sin(p / 10000^(i/(half - 1)))
 *   out[p][half + i] = cos(p / 10000^(i/(half - 1))); if d is odd, the last element is 0
 * Source: Tensor2Tensor and transformers 4.57.1, M2M100SinusoidalPositionalEmbedding. Like transformers, it
 * computes the angles in f32: at position 1000 they are off by up to 3e-5. */
void positions_tensor2tensor(float *out, size_t first, size_t count, size_t d);

/* Sine and cosine alternating:
 *   out[p][2i]     = sin(p / 10000^(2i/d))
 *   out[p][2i + 1] = cos(p / 10000^(2i/d))
 * as in "Attention Is All You Need" and the Annotated Transformer. With two_exponents each column j has its own
 * exponent, as in some tutorials:
 *   out[p][j] = sin (j even) or cos (j odd) of p / 10000^(2j/d) */
void positions_interleaved(float *out, size_t first, size_t count, size_t d, bool two_exponents);

/* T5's bucket of the distance key - query. In the encoder (`both` directions) the upper half of the buckets is
 * for keys after the query; the decoder has no such keys. Half of the remaining buckets are exact distances; the
 * others grow logarithmically up to max_distance. The logarithm is computed in f32 and truncated.
 * Source: transformers 4.57.1, T5Attention._relative_position_bucket. */
size_t positions_bucket(long distance, bool both, size_t buckets, size_t max_distance);

/* The biases of one layer by distance. */
typedef struct {
    size_t max_distance; /* larger distances have the bias of this one */
    size_t heads;
    float *values; /* [heads, 2 max_distance + 1]: from distance -max_distance on */
} RelativeBias;

/* out[j] = the bias of `head` between `query` and key j, for j < count. */
void positions_bias_row(const RelativeBias *bias, size_t head, size_t query, size_t count, float *out);

/* Computed position embeddings. A row is computed when it is first needed, because most sentences are far shorter
 * than the maximum, and computing all rows takes longer than a short translation. All threads share a table. */
typedef struct PositionTable PositionTable; /* fields: positions.c */

/* For config->positions.max positions of a computed kind. OK: the caller owns *out. */
MUST_USE Status position_table_new(PositionTable **out, const ModelConfig *config, Err *err);
void position_table_free(PositionTable *table); /* NULL is allowed */

/* Returns the row [d] of a position < positions.max. It stays valid until the table is freed. */
const float *position_table_row(PositionTable *table, size_t position);

#endif
