/* line_join.h - joins the translations of a line's segments, and replaces their unknown tokens. */
#ifndef DRAGOMAN_LINE_JOIN_H
#define DRAGOMAN_LINE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "line.h"
#include "ranges.h"

/* --- Replaces the unknown tokens of a translation by tokens of its source, as CTranslate2's replace_unknowns does:
 * by the one with the most attention; of equal ones, by the first. Special tokens and tokens of kept ranges are not
 * used, since a translation contains each kept range exactly once. The ids of the translation do not change. */

/* Whether the rules replace unknown tokens and the result has some. */
bool line_unknowns_any(const SegmentResult *result, const LineRules *rules);

/* Sets result->unknowns from result->attention. */
MUST_USE Status line_unknowns_find(SegmentResult *result, const Segment *segment, const LineRules *rules, Err *err);

/* Appends the unknowns of a result whose ids begin at `first` of a translation. In `list`, sources are ids of the
 * line. */
MUST_USE Status line_unknowns_add(UnknownList *list, const Segment *segment, const SegmentResult *result, size_t first,
                                  Err *err);

/* The text of the ids data[first, end) as tokenizer_decode() returned it, with ranges[end - first]. */
typedef struct {
    const int32_t *data;
    size_t first, end;
    Buf *text;
    Range *ranges;
} DecodedIds;

/* Replaces the text of the ids that are in the list, and changes the ranges accordingly. */
MUST_USE Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules,
                                  const DecodedIds *ids, Err *err);

#endif
