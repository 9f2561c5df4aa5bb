/* logits_sink.h - a callback that consumes logits while they are computed. Logits arrive as blocks:
 * some columns of some rows. A block is still in the cache when the callback receives it, and its
 * memory is reused for the next block. */
#ifndef DRAGOMAN_LOGITS_SINK_H
#define DRAGOMAN_LOGITS_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* Rows [row, row + rows) of all computed rows, columns [first, first + count). */
typedef struct {
    size_t row, rows;
    size_t first, count;
    size_t stride; /* floats between rows */
    float *logits; /* [rows, stride]; the sink may overwrite them */
} LogitsBlock;

/* Rows arrive in ascending order, and so do the columns of a row. Every block of a row except the
 * last one has a multiple of ROW_BLOCK columns. */
typedef struct {
    void (*take)(void *context, const LogitsBlock *block);
    void *context;
    bool whole_rows; /* each block has all columns of its rows */
} LogitsSink;

#endif
