/* document_order.h - the units of a document and its changes in the order in which they are written. */
#ifndef DRAGOMAN_DOCUMENT_ORDER_H
#define DRAGOMAN_DOCUMENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "document_parts.h"
#include "err.h"

/* Sorts the units and the changes by their places; a unit that is inside another one comes before it. */
MUST_USE Status document_order_sort(Document *document, Err *err);

/* Whether two units or changes overlap, which is an error of the format. *place: where. */
bool document_order_overlaps(const Document *document, size_t *place);

#endif
