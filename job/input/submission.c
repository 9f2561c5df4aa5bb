/* submission.c - see submission.h. */
#include "submission.h"

#include "library.h"

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

/* Looks the text up in the memory. */
static Status find_known(Submission *s, const SubmittedLine *line, const UnitText *text, bool is_unit, bool *found,
                         MemoryHit *hit, Err *err)
{
    MemoryContext context;
    Status st;

    *found = false;
    if (!s->memory || line->to.is_copied) return OK;
    st = router_find_context(s->router, line->to, &context, err);
    context.is_unit = is_unit;
    context.terms = s->terms.items;
    context.term_count = s->terms.count;
    return st == OK ? memory_find(s->memory, &s->search, &context, text, found, hit, err) : st;
}

/* What a line asks besides its source. */
typedef struct {
    const LineColumns *columns; /* NULL: nothing */
    LineText whole;
} OtherColumns;

/* Makes the request. A text whose translation is known has nothing to search for. `others` is NULL for a unit of a
 * document: its sentences are translated one by one, unless --no-split is given. */
static DragomanStatus ask(Submission *s, const UnitText *text, const OtherColumns *others, const MemoryHit *known,
                          DragomanError *error)
{
    DragomanRequest *request = s->request;
    DragomanStatus st = dragoman_request_begin(request, text->text, text->length, error);

    if (st == DRAGOMAN_OK) st = dragoman_request_split(request, !others, error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(request, text->kept, text->kept_count, error);
    if (st == DRAGOMAN_OK && known)
        return dragoman_request_know(request, known->target.text, known->target.length, known->kept, text->kept_count,
                                     error);
    for (size_t i = 0; st == DRAGOMAN_OK && i < s->terms.count; i++) {
        const TermMatch *term = &s->terms.items[i];
        st = dragoman_request_demand(request, term->place, term->forms, term->form_count, error);
    }
    return st == DRAGOMAN_OK && others ? line_columns_ask(others->columns, others->whole, request, error) : st;
}

/* The terms are logged first, since the line may be ready as soon as it is submitted. */
static Status submit(Submission *s, const SubmittedLine *line, const UnitText *text, const OtherColumns *others,
                     Err *err)
{
    MemoryHit known;
    DragomanError error;
    bool is_known = false;
    Status st = find_terms(s, line, text, err);

    if (!s->request) s->request = dragoman_request_new();
    if (st == OK && !s->request) st = err_memory(err, "a line");
    if (st == OK) st = find_known(s, line, text, !others, &is_known, &known, err);
    if (st == OK && s->terms.count) st = term_log_add(s->log, line->number, &s->terms, err);
    if (st != OK) return st;
    st = library_status(ask(s, text, others, is_known ? &known : NULL, &error), &error, err);
    if (st == OK) st = router_submit(s->router, line->to, s->request, line->tag, err);
    if (st != OK && s->terms.count) term_log_undo(s->log, line->number);
    if (st == ERR_USAGE && others && others->columns && line_columns_has(others->columns, COLUMN_PREFIX))
        return ERR_FORMAT; /* a fault of the input */
    return st;
}

Status submission_unit(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    return submit(s, line, text, NULL, err);
}

Status submission_line(Submission *s, const SubmittedLine *line, const LineColumns *columns, LineText whole,
                       LineText source, Err *err)
{
    UnitText text = { .text = source.data, .length = source.len };
    Status st = find_kept(s, line, text.text, text.length, err);

    if (st != OK) return st;
    text.kept = s->found.data;
    text.kept_count = s->found.len;
    atomic_fetch_add(&s->other_bytes, whole.len - source.len);
    return submit(s, line, &text, &(OtherColumns){ columns, whole }, err);
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
    dragoman_request_free(s->request);
}
