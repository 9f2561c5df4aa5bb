/* unit_order.c - the order of the units and changes of a document: by their places. */
#include <stdlib.h>

#include "document_parts.h"

static int compare_places(const ByteRange *a, const ByteRange *b)
{
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* A unit in the markup of another one is added before it, but begins after it. */
static int compare_units(const void *a, const void *b)
{
    const UnitPart *x = a, *y = b;

    if (x->place.begin != y->place.begin) return x->place.begin < y->place.begin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* An empty place at the end of a unit is not inside. */
static bool is_inside(ByteRange place, ByteRange outer)
{
    return place.begin > outer.begin && place.begin < outer.end && place.end <= outer.end;
}

/* Moves units that are inside another unit before it. */
static void move_inner_units(Document *doc)
{
    UnitPart open[TEXT_DEPTH]; /* those around the next unit, the innermost last; they follow when they end */
    size_t depth = 0, count = 0;

    for (size_t i = 0; i < doc->unit_count; i++) {
        const UnitPart unit = doc->units[i];
        while (depth && (depth == TEXT_DEPTH || !is_inside(unit.place, open[depth - 1].place)))
            doc->units[count++] = open[--depth];
        open[depth] = unit;
        open[depth].is_inside = depth > 0;
        depth++;
    }
    while (depth) doc->units[count++] = open[--depth];
}

/* Changes at the same place stay in the order of their texts, which is that of adding. */
static int compare_changes(const void *a, const void *b)
{
    const ChangePart *x = a, *y = b;
    const int order = compare_places(&x->bytes, &y->bytes);

    return order ? order : x->text.at < y->text.at ? -1 : x->text.at > y->text.at;
}

static bool is_sorted(const Document *doc)
{
    for (size_t i = 1; i < doc->unit_count; i++)
        if (doc->units[i - 1].place.begin > doc->units[i].place.begin) return false;
    return true;
}

/* Sorts the units by place. The changes then refer to the new order. Most formats add them in this order; sorting would
 * need memory for a second list. */
Status document_parts_sort(Document *doc, Err *err)
{
    size_t *indices;

    if (doc->change_count) qsort(doc->changes, doc->change_count, sizeof *doc->changes, compare_changes);
    if (!doc->unit_count) return OK;
    indices = malloc(doc->unit_count * sizeof *indices);
    if (!indices) return err_memory(err, doc->file.name);
    if (!is_sorted(doc)) qsort(doc->units, doc->unit_count, sizeof *doc->units, compare_units);
    move_inner_units(doc);
    for (size_t i = 0; i < doc->unit_count; i++) indices[doc->units[i].number] = i;
    for (size_t i = 0; i < doc->change_count; i++)
        if (doc->changes[i].unit != LABEL_UNIT) doc->changes[i].unit = indices[doc->changes[i].unit];
    free(indices);
    return OK;
}
