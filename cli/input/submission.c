/* submission.c - see submission.h. */
#include "submission.h"

#include <stdlib.h>

#include "buf.h"

/* Finds the terms of a text that is translated. */
static Status find_terms(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    s->terms.count = 0;
    if (!s->glossary || line->to.is_copied) return OK;
    return glossary_find(s->glossary, router_language_of(s->router, line->to), text->text, text->length, text->kept,
                         text->kept_count, &s->terms, err);
}

static Status copy_kept(Submission *s, const UnitText *text, Err *err)
{
    Status st = buf_grow_list(&s->ranges, &s->capacity, 0, text->kept_count, sizeof *s->ranges, "a line", err);

    for (size_t i = 0; st == OK && i < text->kept_count; i++)
        s->ranges[i] = (DragomanRange){ text->kept[i].begin, text->kept[i].end };
    return st;
}

/* The terms are logged first, since the line may be ready as soon as it is submitted. */
Status submission_unit(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    RouterText submitted = { .text = text->text, .length = text->length };
    Status st = copy_kept(s, text, err);

    if (st == OK) st = find_terms(s, line, text, err);
    if (st == OK && s->terms.count) st = term_log_add(s->log, line->number, &s->terms, err);
    if (st != OK) return st;
    submitted.kept = s->ranges;
    submitted.kept_count = text->kept_count;
    submitted.terms = s->terms.items;
    submitted.term_count = s->terms.count;
    st = router_submit(s->router, line->to, &submitted, line->tag, err);
    if (st != OK && s->terms.count) term_log_undo(s->log, line->number);
    return st;
}

Status submission_line(Submission *s, const SubmittedLine *line, const char *text, size_t length, Err *err)
{
    Status st = s->keep ? keep_rules_find(s->keep, text, length, &s->found, err) : OK;

    if (st != OK) return st;
    return submission_unit(
        s, line, &(UnitText){ .text = text, .length = length, .kept = s->found.data, .kept_count = s->found.len }, err);
}

void submission_free(Submission *s)
{
    ranges_free(&s->found);
    term_matches_free(&s->terms);
    free(s->ranges);
}
