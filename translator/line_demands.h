/* line_demands.h - lines whose translations have to contain given texts: the texts as tokens for the search
 * (SearchDemands), and the texts in the finished translations. */
#ifndef DRAGOMAN_LINE_DEMANDS_H
#define DRAGOMAN_LINE_DEMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "line.h"
#include "search.h"
#include "ranges.h"
#include "tokenizer.h"

/* --- The tokens of demanded texts. */

/* What the target vocabulary says about the ends of words. It is read when it is first needed, by any thread. */
typedef struct DemandTokens DemandTokens; /* fields: line_demands.c */

/* The tokenizer must outlive *out; `vocab` is the number of target ids of the model. */
MUST_USE Status demand_tokens_new(DemandTokens **out, const Tokenizer *tokenizer, size_t vocab, Err *err);
void demand_tokens_free(DemandTokens *tokens); /* NULL is allowed */

/* --- The demands of lines and segments. */

/* The demands of a line. */
typedef struct LineDemands {
    SpanList items;   /* terms, then texts without ranges */
    size_t must_unit; /* the sentence that those without ranges went to; SIZE_MAX: none yet */
    Buf forms;        /* those of all demands: DragomanRequest.forms */
} LineDemands;

/* The demands of a segment, for the search. */
typedef struct SegmentDemands {
    SearchDemands view;
    DemandForm *forms; /* [view.form_count] */
    size_t capacity;
    IdList ids; /* of all forms */
} SegmentDemands;

/* For line.c: gives the demands whose ranges begin in a unit to its segment, the only one from `first` on. Those
 * of a unit of several segments are left to chance. Demands without ranges go to the first unit that has one segment,
 * unless an item of the line meets them. */
MUST_USE Status line_demands_attach(Line *line, size_t unit, size_t first, const LineRules *rules, Err *err);

/* Whether the line has demands without ranges, which any of its sentences could meet. */
bool line_demands_want_whole(const Line *line);

/* Whether the line has demands that the sentence at this range has to meet, or could. */
bool line_demands_concern(const Line *line, Range range);

#endif
