/* submission.c - see submission.h. */
#include "submission.h"

#include <stdlib.h>

#include "buf.h"

static Status copy_ranges(DragomanRange **out, size_t *capacity, const ByteRange *ranges, size_t count, Err *err)
{
    Status st = buf_grow_list(out, capacity, 0, count, sizeof **out, "a line", err);

    for (size_t i = 0; st == OK && i < count; i++) (*out)[i] = (DragomanRange){ ranges[i].begin, ranges[i].end };
    return st;
}

/* Looks the text up in the memory. */
static Status find_known(Submission *s, Destination to, const UnitText *text, bool *found, KnownTranslation *known,
                         Err *err)
{
    MemoryContext context;
    MemoryHit hit;
    Status st = router_find_context(s->router, to, &context, err);

    if (st == OK) st = memory_find(s->memory, &s->search, &context, text, found, &hit, err);
    if (st != OK || !*found) return st;
    st = copy_ranges(&s->places, &s->place_capacity, hit.kept, text->kept_count, err);
    *known = (KnownTranslation){ hit.target.text, hit.target.length, s->places };
    return st;
}

Status submission_unit(Submission *s, Destination to, const UnitText *text, uintptr_t tag, Err *err)
{
    KnownTranslation known;
    bool found = false;
    Status st = copy_ranges(&s->ranges, &s->capacity, text->kept, text->kept_count, err);

    if (st == OK && s->memory && !to.is_copied) st = find_known(s, to, text, &found, &known, err);
    if (st != OK) return st;
    if (found)
        return router_submit_known(s->router, to, text->text, text->length, s->ranges, text->kept_count, &known, tag,
                                   err);
    return router_submit(s->router, to, text->text, text->length, s->ranges, text->kept_count, tag, err);
}

Status submission_line(Submission *s, Destination to, const char *text, size_t length, uintptr_t tag, Err *err)
{
    Status st = s->keep ? keep_rules_find(s->keep, text, length, &s->found, err) : OK;

    if (st != OK) return st;
    return submission_unit(
        s, to, &(UnitText){ .text = text, .length = length, .kept = s->found.data, .kept_count = s->found.len }, tag,
        err);
}

void submission_free(Submission *s)
{
    ranges_free(&s->found);
    memory_search_free(&s->search);
    free(s->ranges);
    free(s->places);
}
