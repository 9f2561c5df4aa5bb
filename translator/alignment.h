/* alignment.h - the bytes that the tokens of a line stand for, and which tokens translate which. */
#ifndef DRAGOMAN_ALIGNMENT_H
#define DRAGOMAN_ALIGNMENT_H

#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* --- The bytes that the tokens of a line stand for, one range per token. */

/* Where a piece of text comes from in a line: its first `head` bytes are a language request, which is at byte `request`
 * of the line; its other bytes are at byte `begin`. */
typedef struct {
    size_t request, head, begin;
} TextPlace;

/* Appends ranges of a piece of text, converted to ranges of the line. If a range begins in the language request and
 * ends after it, only the part after the request counts. */
MUST_USE Status token_ranges_add(RangeList *list, const Range *ranges, size_t count, TextPlace place, Err *err);

/* Sets *offsets to an array [text->len + 1], which the caller frees: for each byte of the text, and for its end, where
 * this byte is in the text that buf_put_clean() makes of it. */
MUST_USE Status clean_offsets_new(size_t **offsets, const Buf *text, Err *err);
/* The range in the clean text that matches a range of the text. */
Range clean_offsets_range(const size_t *offsets, Range range);

/* --- The soft alignment of a translation with its source: for each target token, the probability that each source
 * token is the one that it translates. A token is aligned only with source tokens of its own segment. The values are
 * stored segment by segment, so that their memory grows with the length of a line and not with its square. */

/* The rows of a segment, one for each of the target tokens [first, first + targets). */
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

/* The probabilities of a target token: values[i] belongs to the source token sources[i]. */
typedef struct {
    const size_t *sources; /* [count] */
    const float *values;   /* [count] */
    size_t count;
} AlignmentRow;

/* Moves the block to the end of the alignment. The block becomes {0}; after a failure, the caller still owns it. */
MUST_USE Status soft_alignment_take(SoftAlignment *alignment, AlignmentBlock *block, Err *err);
void soft_alignment_free(SoftAlignment *alignment);
/* The block of a target token, or NULL if the alignment has no such token. */
const AlignmentBlock *soft_alignment_block(const SoftAlignment *alignment, size_t target);
/* The row of a target token; an empty one if the alignment has no such token. */
AlignmentRow soft_alignment_row(const SoftAlignment *alignment, size_t target);

/* --- Combines the alignment of a translation with a pivot and that of the pivot with the source of the line.
 *
 * The pivot has two kinds of tokens: those of the model that wrote it, u, and those of the model that reads it, s.
 * Token s stands for the tokens u in proportion to the bytes that they share:
 *
 *     P(u | s) = |s and u| / sum over u' of |s and u'|
 *     P(source | target) = sum over s, u of P(s | target) P(u | s) P(source | u)
 *
 * A token s without bytes, such as the end token, stands for the nearest token u without bytes. If there is none, or if
 * a token s with bytes shares them with no u, it stands for the nearest u. */

/* The two kinds of tokens of a pivot, and the alignment of the written ones with the source of the line. */
typedef struct {
    const SoftAlignment *alignment;
    const RangeList *written, *read;
} PivotTokens;

/* Replaces *alignment, which links a translation with the tokens pivot->read, by the alignment of that translation with
 * the `source_count` source ids of the line, or by an empty one if no model wrote the pivot. */
MUST_USE Status pivot_alignment_pass(SoftAlignment *alignment, const PivotTokens *pivot, size_t source_count, Err *err);

#endif
