/* attention_record.h - the recorded attention of all rows of one sentence: [positions, beams, planes, source_len].
 * The rows of a hypothesis are found by its path through the beams (search_result_rows()), so
 * reordering beams moves no data. The memory is kept for the next sentence. */
#ifndef DRAGOMAN_ATTENTION_RECORD_H
#define DRAGOMAN_ATTENTION_RECORD_H

#include <stddef.h>

#include "err.h"

/* {0}: nothing is recorded. */
typedef struct {
    float *values;
    size_t room; /* number of floats */
    size_t planes, source_len, beams;
} AttentionRecord;

/* Begins a sentence. With 0 planes, the functions below do nothing. */
void attention_record_start(AttentionRecord *record, size_t planes, size_t source_len, size_t beams);

/* Sets the rows of a position to zero. The memory at least doubles when it grows, up to most_positions. */
MUST_USE Status attention_record_open(AttentionRecord *record, size_t position, size_t most_positions, Err *err);

/* Returns the row [planes, source_len] of a beam; NULL if nothing is recorded. */
float *attention_record_row(const AttentionRecord *record, size_t position, size_t beam);

/* Copies the rows of a hypothesis, row beams[t] at position t < len, to out[planes, len, source_len]. */
void attention_record_read(const AttentionRecord *record, const size_t *beams, size_t len, float *out);

void attention_record_free(AttentionRecord *record);

#endif
