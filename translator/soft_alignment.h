/* soft_alignment.h - the soft alignment of a translation with its source: for each target token, the probability that
 * each source token is the one it translates.
 * A token is aligned only with source tokens of its own segment. The values are therefore stored segment by segment, so
 * that their memory grows with the length of a line and not with its square. */
#ifndef DRAGOMAN_SOFT_ALIGNMENT_H
#define DRAGOMAN_SOFT_ALIGNMENT_H

#include <stddef.h>

#include "err.h"

/* The rows of a segment: those of the target tokens [first, first + targets). */
typedef struct {
    size_t first, targets;
    size_t *sources; /* [source_count], ascending; all other source tokens have the probability 0 */
    size_t source_count;
    float *values; /* [targets, source_count] */
} AlignmentBlock;

/* Starts as {0}, owns its memory and ends with soft_alignment_free(). The blocks follow each other and cover all target
 * tokens. */
typedef struct {
    AlignmentBlock *blocks; /* [count] */
    size_t count, room;
} SoftAlignment;

/* The probabilities of a target token: values[i] is that of the source token sources[i]. */
typedef struct {
    const size_t *sources; /* [count] */
    const float *values;   /* [count] */
    size_t count;
} AlignmentRow;

/* Moves the block to the end of the alignment. It becomes {0}, or stays the caller's if this fails. */
MUST_USE Status soft_alignment_take(SoftAlignment *alignment, AlignmentBlock *block, Err *err);
void soft_alignment_free(SoftAlignment *alignment);
void alignment_block_free(AlignmentBlock *block); /* {0} is allowed */

/* The block of a target token, or NULL if the alignment has no such token. */
const AlignmentBlock *soft_alignment_block(const SoftAlignment *alignment, size_t target);
/* The row of a target token; an empty one if the alignment has no such token. */
AlignmentRow soft_alignment_row(const SoftAlignment *alignment, size_t target);

#endif
