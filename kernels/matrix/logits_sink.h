/* logits_sink.h - who wants logits passes a sink, which takes them as they are computed.
 * Logits come as blocks: some columns of some rows. A block is in the cache when it is taken,
 * and its memory is used again for the next one. */
#ifndef DRAGOMAN_LOGITS_SINK_H
#define DRAGOMAN_LOGITS_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* Rows [row, row + rows) of all that are computed, columns [first, first + count) of them. */
typedef struct {
    size_t row, rows;
    size_t first, count;
    size_t stride; /* from row to row */
    float *logits; /* [rows, stride]; the sink may overwrite them */
} LogitsBlock;

/* Rows come in ascending order; of the same rows, columns do. All blocks of a row but the last one have a
 * multiple of ROW_BLOCK columns. */
typedef struct {
    void (*take)(void *context, const LogitsBlock *block);
    void *context;
    bool whole_rows; /* each block has all columns of its rows */
} LogitsSink;

#endif
