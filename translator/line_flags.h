/* line_flags.h - signs that a translation is bad. Each one is a DragomanFlag, and the functions return a set of them.
 *
 * A flag should be wrong almost never, so that it is worth a look: the limits are set such that at most one of a
 * thousand translations made by people has a flag. They were measured on 22,900 English-German pairs (technical texts,
 * news, everyday sentences) with the tokens of the embedded model; the numbers are in line_flags.c. */
#ifndef DRAGOMAN_LINE_FLAGS_H
#define DRAGOMAN_LINE_FLAGS_H

#include <stddef.h>

#include "ranges.h"
#include "buf.h"
#include "dragoman.h"

/* DRAGOMAN_FLAG_LOOP, _CUT, _SHORT and _LONG: compares the ids of a segment with those of its translation, which may
 * have at most `limit`. */
unsigned line_flags_of_ids(const IdList *source, const IdList *target, size_t limit);

/* DRAGOMAN_FLAG_COPY. Both texts are valid UTF-8. */
unsigned line_flags_of_texts(const Buf *source, const Buf *target);

/* DRAGOMAN_FLAG_UNCOVERED: totals[count] are the sums of the attention that each source token gets from all target
 * tokens, ranges[count] the bytes of the tokens in the source. */
unsigned line_flags_of_attention(const float *totals, const Range *ranges, size_t count, const Buf *source);

/* The number of flags in a set. */
size_t line_flags_count(unsigned flags);

#endif
