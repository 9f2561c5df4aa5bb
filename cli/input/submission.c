/* submission.c - see submission.h. */
#include "submission.h"

#include <stdlib.h>

#include "buf.h"

Status submission_unit(Submission *s, Destination to, const UnitText *text, uintptr_t tag, Err *err)
{
    Status st = buf_grow_list(&s->ranges, &s->capacity, 0, text->kept_count, sizeof *s->ranges, "a line", err);

    if (st != OK) return st;
    for (size_t i = 0; i < text->kept_count; i++)
        s->ranges[i] = (DragomanRange){ text->kept[i].begin, text->kept[i].end };
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
    free(s->ranges);
}
