/* line_demands.h - lines whose translations have to contain given texts (dragoman_request.h): the texts as tokens for
 * the search (SearchDemands), and the texts in the finished translations. */
#ifndef DRAGOMAN_LINE_DEMANDS_H
#define DRAGOMAN_LINE_DEMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "demand_tokens.h"
#include "err.h"
#include "line.h"
#include "line_request.h"
#include "search.h"

/* The demands of a line. */
typedef struct LineDemands {
    RequestDemand *items; /* [count] */
    size_t count;
    size_t musts;     /* how many of them, the last ones, have no range */
    size_t must_unit; /* the sentence that they went to; SIZE_MAX: none yet */
    Buf texts;        /* the forms, each with a NUL */
    size_t *forms;    /* [form_count], where each begins in `texts` */
    size_t form_count;
} LineDemands;

/* The demands of a segment, for the search. */
typedef struct SegmentDemands {
    SearchDemands view;
    DemandForm *forms; /* [view.form_count] */
    size_t capacity;
    int32_t *ids; /* of all forms */
    size_t id_count, id_capacity;
} SegmentDemands;

/* line.h declares what line.c and line_known.c need. */

/* For line_read.c: gives the demands whose ranges begin in a unit to its segment, the only one from `first` on. Those
 * of a unit of several segments are left to chance. Demands without ranges go to the first unit that has one segment,
 * unless an item of the line meets them. */
MUST_USE Status line_demands_attach(Line *line, size_t unit, size_t first, const LineRules *rules, Err *err);

/* Whether the line has demands without ranges, which any of its sentences could meet. */
bool line_demands_want_whole(const Line *line);

/* Whether the line has demands that the sentence at this range has to meet, or could. */
bool line_demands_concern(const Line *line, Range range);

/* The text of a form of a demand; NULL if there is none. `demands` may be NULL. */
const char *line_demands_form(const LineDemands *demands, size_t demand, size_t form);

#endif
