/* kept_items.c - see kept_items.h. */
#include "kept_items.h"

#include <stdlib.h>

static Status add_unit(KeptItems *items, const KeepRules *rules, const Document *document, size_t unit,
                       RangeList *found, Err *err)
{
    const UnitText text = document_source(document, unit);
    Status st = keep_rules_find_in_unit(rules, &text, found, err);

    return st == OK ? ranges_append_all(&items->ranges, found->data, found->len, err) : st;
}

Status kept_items_find(KeptItems *items, const KeepRules *rules, const Document *document, const char *name, Err *err)
{
    const size_t count = document_unit_count(document);
    RangeList found = { 0 };
    Err reason;
    Status st;

    items->ends = malloc((count + 1) * sizeof *items->ends);
    st = items->ends ? OK : err_memory(err, "a document");
    for (size_t i = 0; st == OK && i < count; i++) {
        if (document_is_wanted(document, i)) st = add_unit(items, rules, document, i, &found, &reason);
        if (st != OK) {
            const DocumentPlace place = document_place(document, i);
            (void)err_set(err, st, DOCUMENT_PLACE ": %s", name, place.slash, place.part, place.line, reason.text);
        }
        items->ends[i] = items->ranges.len;
    }
    ranges_free(&found);
    return st;
}

void kept_items_free(KeptItems *items)
{
    ranges_free(&items->ranges);
    free(items->ends);
    items->ends = NULL;
}

const Range *kept_items_of(const KeptItems *items, size_t unit, size_t *count)
{
    const size_t begin = unit && items->ends ? items->ends[unit - 1] : 0;

    *count = items->ends ? items->ends[unit] - begin : 0;
    return *count ? items->ranges.data + begin : NULL;
}
