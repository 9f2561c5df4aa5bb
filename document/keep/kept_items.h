/* kept_items.h - the parts of all units of a document that translations keep. */
#ifndef DRAGOMAN_KEPT_ITEMS_H
#define DRAGOMAN_KEPT_ITEMS_H

#include <stddef.h>

#include "document.h"
#include "err.h"
#include "keep_rules.h"
#include "ranges.h"

/* Starts as {0} and ends with kept_items_free(). */
typedef struct {
    RangeList ranges; /* those of all units */
    size_t *ends;     /* [unit_count], where those of each unit end */
} KeptItems;

/* Finds them in the units that are to be translated. Returns ERR_FORMAT, with `name` and the line, if an expression
 * reaches a limit. */
MUST_USE Status kept_items_find(KeptItems *items, const KeepRules *rules, const Document *document, const char *name,
                                Err *err);
void kept_items_free(KeptItems *items);

/* The parts of the unit's source (keep_rules_find_in_unit()); NULL if *count is 0. Nothing is kept before they were
 * searched for. */
const Range *kept_items_of(const KeptItems *items, size_t unit, size_t *count);

#endif
