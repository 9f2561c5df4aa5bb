/* position_table.h - computed position embeddings. A row is computed when it is first needed: most sentences are far
 * shorter than the maximum, and all rows of a model take longer than a short translation. All threads share a table. */
#ifndef DRAGOMAN_POSITION_TABLE_H
#define DRAGOMAN_POSITION_TABLE_H

#include <stddef.h>

#include "config.h"
#include "err.h"

typedef struct PositionTable PositionTable; /* fields: position_table.c */

/* For config->positions.max positions of a computed kind. OK: the caller owns *out. */
MUST_USE Status position_table_new(PositionTable **out, const ModelConfig *config, Err *err);
void position_table_free(PositionTable *table); /* NULL is allowed */

/* Returns the row [d] of a position < positions.max. It stays valid until the table is freed. */
const float *position_table_row(PositionTable *table, size_t position);

#endif
