/* part_order.h - corrects the order of parts that must stay in order: placeholders without numbers (%s, {}), which a
 * program replaces by its arguments one after the other, statements of templates, and tags without a partner.
 *
 * If a translation has placeholders in another order, all placeholders of the same kind get numbers where the format
 * allows it: %2$s. Other parts are put back: they exchange their places until they are in the order of the source. A
 * program can then read the text, but its meaning may be wrong. */
#ifndef DRAGOMAN_PART_ORDER_H
#define DRAGOMAN_PART_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "err.h"

/* A part that gets another place or a number. */
typedef struct {
    Range place, made; /* in the translation before and after the edit */
    size_t part;       /* the kept part that comes there */
    size_t number;     /* from 1; 0: none */
} PartEdit;

/* Memory that is reused for each translation. Starts as {0} and ends with part_order_free(). */
typedef struct {
    Buf text;
    LIST_OF(PartEdit) edits;
    SpanList kept;
    RangeList places; /* of the markup */
} PartOrder;

/* Changes the rendering of a text if the order of its parts requires it. The rendering is valid until the next call. */
MUST_USE Status part_order_restore(PartOrder *memory, const UnitText *text, Rendering *rendering, Err *err);
void part_order_free(PartOrder *memory);

/* Sets *puts_back to whether part_order_restore() puts kept parts back. `source` is the text of the unit. */
MUST_USE Status part_order_puts_back(PartOrder *memory, const char *source, ArgumentRule rule, const Span *kept,
                                     size_t count, bool *puts_back, Err *err);

#endif
