/* alignment.h - the bytes that the tokens of a line stand for, and which tokens translate which. */
#ifndef DRAGOMAN_ALIGNMENT_H
#define DRAGOMAN_ALIGNMENT_H

#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* --- The bytes that the tokens of a line stand for, one range per token. */

/* Where a piece of text lies in a line: first a language request of `head` bytes, which begins at `request`, then the
 * bytes from `begin` on. */
typedef struct {
    size_t request, head, begin;
} TextPlace;

/* Appends ranges of a piece of text as ranges of the line. One that begins in the language request and ends after it
 * loses its part of the request. */
MUST_USE Status token_ranges_add(RangeList *list, const Range *ranges, size_t count, TextPlace place, Err *err);

/* Changes a range of `text` to the same range of what buf_put_clean() makes of the text. */
MUST_USE Status token_ranges_clean(Range *range, const char *text, Err *err);

/* --- The soft alignment of a translation with its source: for each target token, the probability that each source
 * token is the one that it translates. A token is aligned only with source tokens of its own segment. The values are
 * stored segment by segment, so that their memory grows with the length of a line and not with its square. */

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
/* The block of a target token, or NULL if the alignment has no such token. */
const AlignmentBlock *soft_alignment_block(const SoftAlignment *alignment, size_t target);
/* The row of a target token; an empty one if the alignment has no such token. */
AlignmentRow soft_alignment_row(const SoftAlignment *alignment, size_t target);

/* --- Continues a soft alignment with a pivot to the source of the line.
 *
 * Both models have tokens of the pivot: one wrote it, the other reads it. Token s that is read stands for the tokens
 * u that were written in proportion to the bytes that they share:
 *
 *     P(u | s) = |s and u| / sum over u' of |s and u'|
 *     P(source | target) = sum over s, u of P(s | target) P(u | s) P(source | u)
 *
 * A token without bytes stands for the nearest one without bytes, so an end token stands for the end token. A token
 * that shares no byte, or finds no other one without bytes, stands for the nearest one. */

/* The tokens of a pivot, and the alignment of those that were written with the source of the line. */
typedef struct {
    const SoftAlignment *alignment;
    const RangeList *written, *read;
} PivotTokens;

/* *alignment is one with the tokens pivot->read. Replaces it by one with the `source_count` source ids of the line. It
 * becomes empty if no model wrote the pivot. */
MUST_USE Status pivot_alignment_pass(SoftAlignment *alignment, const PivotTokens *pivot, size_t source_count, Err *err);

#endif
