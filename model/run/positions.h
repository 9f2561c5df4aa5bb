/* positions.h - position information: embeddings that are added to the tokens, and attention biases by
 * distance. */
#ifndef DRAGOMAN_POSITIONS_H
#define DRAGOMAN_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "err.h"

/* Returns T5's bucket for the distance, key - query. In the encoder (`both` directions) the upper half of the buckets
 * is for keys after the query; the decoder has no such keys. In each direction, half of the buckets are for one
 * distance each; the others have ranges that grow logarithmically up to max_distance. The logarithm is computed in f32
 * and truncated. Source: transformers 4.57.1, T5Attention._relative_position_bucket. */
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

/* Makes a table for the first config->positions.max positions of a computed kind or, if `rotary` is not NULL, of these
 * rotary positions: a row has the cosines of rotary->size / 2 angles, then their sines. OK: the caller owns *out. */
MUST_USE Status position_table_new(PositionTable **out, const ModelConfig *config, const RotaryConfig *rotary,
                                   Err *err);
void position_table_free(PositionTable *table); /* NULL is allowed */

/* Returns the row [d], or [rotary->size], of a position < positions.max. It stays valid until the table is freed. */
const float *position_table_row(PositionTable *table, size_t position);

#endif
