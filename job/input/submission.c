/* submission.c - see submission.h. */
#include "submission.h"

#include <stdlib.h>

#include "buf.h"

/* Sets s->closed to the parts of a text in which no terms are looked for: what chooses its language, unless that is
 * kept, and what is kept. */
static Status find_closed(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    size_t language;
    Status st = router_language_length(s->router, line->to, text->text, text->length, &language, err);

    ranges_clear(&s->closed);
    if (text->kept_count && text->kept->begin < language) language = 0;
    if (st == OK && language) st = ranges_append(&s->closed, (Range){ 0, language }, 1, err);
    return st == OK ? ranges_append_all(&s->closed, text->kept, text->kept_count, err) : st;
}

/* Finds the terms of a text that is translated. */
static Status find_terms(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    Status st;

    s->terms.count = 0;
    if (!s->glossary || line->to.is_copied) return OK;
    st = find_closed(s, line, text, err);
    if (st != OK) return st;
    return glossary_find(s->glossary, router_language_of(s->router, line->to), text->text, text->length, s->closed.data,
                         s->closed.len, &s->terms, err);
}

/* Finds what the translation of a line keeps. What chooses its language is not searched. */
static Status find_kept(Submission *s, const SubmittedLine *line, const char *text, size_t length, Err *err)
{
    size_t language;
    Status st;

    ranges_clear(&s->found);
    if (!s->keep) return OK;
    st = router_language_length(s->router, line->to, text, length, &language, err);
    if (st == OK) st = keep_rules_find(s->keep, text + language, length - language, &s->found, err);
    for (size_t i = 0; st == OK && i < s->found.len; i++) {
        s->found.data[i].begin += language;
        s->found.data[i].end += language;
    }
    return st;
}

static Status copy_ranges(Range **out, size_t *capacity, const Range *ranges, size_t count, Err *err)
{
    Status st = buf_grow_list(out, capacity, 0, count, sizeof **out, "a line", err);

    for (size_t i = 0; st == OK && i < count; i++) (*out)[i] = (Range){ ranges[i].begin, ranges[i].end };
    return st;
}

/* Looks the text up in the memory. */
static Status find_known(Submission *s, const SubmittedLine *line, const UnitText *text, bool is_unit, bool *found,
                         KnownTranslation *known, Err *err)
{
    MemoryContext context;
    MemoryHit hit;
    Status st;

    *found = false;
    if (!s->memory || line->to.is_copied) return OK;
    st = router_find_context(s->router, line->to, &context, err);
    context.is_unit = is_unit;
    context.terms = s->terms.items;
    context.term_count = s->terms.count;
    if (st == OK) st = memory_find(s->memory, &s->search, &context, text, found, &hit, err);
    if (st != OK || !*found) return st;
    *known = (KnownTranslation){ .text = hit.target.text, .length = hit.target.length };
    st = copy_ranges(&s->places, &s->place_capacity, hit.kept, text->kept_count, err);
    known->places = s->places;
    return st;
}

/* The terms are logged first, since the line may be ready as soon as it is submitted. `parts` is NULL for a unit of a
 * document. */
static Status submit(Submission *s, const SubmittedLine *line, const UnitText *text, const LineParts *parts, Err *err)
{
    RouterText submitted = { .text = text->text, .length = text->length, .is_unit = !parts };
    KnownTranslation known;
    bool is_known = false;
    Status st = copy_ranges(&s->ranges, &s->capacity, text->kept, text->kept_count, err);

    if (st == OK) st = find_terms(s, line, text, err);
    if (st == OK) st = find_known(s, line, text, submitted.is_unit, &is_known, &known, err);
    if (st == OK && s->terms.count) st = term_log_add(s->log, line->number, &s->terms, err);
    if (st != OK) return st;
    submitted.kept = s->ranges;
    submitted.kept_count = text->kept_count;
    submitted.terms = s->terms.items;
    submitted.term_count = s->terms.count;
    submitted.known = is_known ? &known : NULL;
    if (parts) {
        submitted.prefix = parts->prefix;
        submitted.musts = parts->musts;
        submitted.must_count = parts->must_count;
    }
    st = router_submit(s->router, line->to, &submitted, line->tag, err);
    if (st != OK && s->terms.count) term_log_undo(s->log, line->number);
    return st == ERR_USAGE && submitted.prefix.text ? ERR_FORMAT : st; /* a fault of the input */
}

Status submission_unit(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    return submit(s, line, text, NULL, err);
}

Status submission_line(Submission *s, const SubmittedLine *line, const LineParts *parts, Err *err)
{
    UnitText text = { .text = parts->source.text, .length = parts->source.length };
    Status st = find_kept(s, line, text.text, text.length, err);

    if (st != OK) return st;
    text.kept = s->found.data;
    text.kept_count = s->found.len;
    atomic_fetch_add(&s->other_bytes, parts->other_bytes);
    return submit(s, line, &text, parts, err);
}

size_t submission_take_other_bytes(Submission *s)
{
    return atomic_exchange(&s->other_bytes, 0);
}

void submission_free(Submission *s)
{
    ranges_free(&s->found);
    ranges_free(&s->closed);
    term_matches_free(&s->terms);
    memory_search_free(&s->search);
    free(s->ranges);
    free(s->places);
}
