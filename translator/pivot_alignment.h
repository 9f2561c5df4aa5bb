/* pivot_alignment.h - continues a soft alignment with a pivot to the source of the line.
 *
 * Both models have tokens of the pivot: one wrote it, the other reads it. Token s that is read stands for the tokens u
 * that were written in proportion to the bytes that they share:
 *
 *     P(u | s) = |s and u| / sum over u' of |s and u'|
 *     P(source | target) = sum over s, u of P(s | target) P(u | s) P(source | u)
 *
 * A token without bytes stands for the nearest one without bytes, so an end token stands for the end token. A token
 * that shares no byte, or finds no other one without bytes, stands for the nearest one. */
#ifndef DRAGOMAN_PIVOT_ALIGNMENT_H
#define DRAGOMAN_PIVOT_ALIGNMENT_H

#include <stddef.h>

#include "err.h"
#include "soft_alignment.h"
#include "token_ranges.h"

/* The tokens of a pivot, and the alignment of those that were written with the source of the line. */
typedef struct {
    const SoftAlignment *alignment;
    const RangeList *written, *read;
} PivotTokens;

/* Replaces an alignment with the tokens that are read by one with the source ids of the line, of which there are
 * `source_count`. It becomes empty if no model wrote the pivot. */
MUST_USE Status pivot_alignment_pass(SoftAlignment *alignment, const PivotTokens *pivot, size_t source_count, Err *err);

#endif
