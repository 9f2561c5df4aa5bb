/* submission.c - see submission.h. */
#include "submission.h"

#include "public_status.h"

/* Finds the terms of a text that is translated. They are looked for neither in what is kept nor in what chooses the
 * language of the text (its first `language` bytes), unless that is kept. */
static Status find_terms(Submission *s, const SubmittedLine *line, const UnitText *text, size_t language, Err *err)
{
    Status st = OK;

    s->terms.count = 0;
    if (!s->glossary || line->to.is_copied) return OK;
    ranges_clear(&s->closed);
    if (text->kept_count && text->kept->begin < language) language = 0;
    if (language) st = ranges_append(&s->closed, (Range){ 0, language }, 1, err);
    if (st == OK) st = ranges_append_all(&s->closed, text->kept, text->kept_count, err);
    if (st != OK) return st;
    return glossary_find(s->glossary, router_language_of(s->router, line->to), text->text, text->length, s->closed.data,
                         s->closed.len, &s->terms, err);
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

static Status submit(Submission *s, const SubmittedLine *line, const UnitText *text, size_t language,
                     const OtherColumns *others, Err *err)
{
    MemoryHit known;
    DragomanError error;
    bool is_known = false;
    Status st = find_terms(s, line, text, language, err);

    if (!s->request) s->request = dragoman_request_new();
    if (st == OK && !s->request) st = err_memory(err, "a line");
    if (st == OK) st = find_known(s, line, text, !others, &is_known, &known, err);
    if (st != OK) return st;
    st = public_status(ask(s, text, others, is_known ? &known : NULL, &error), &error, err);
    if (st == OK) st = router_submit(s->router, line->to, s->request, line->tag, &s->terms, err);
    if (st == ERR_USAGE && others && others->columns && line_columns_has(others->columns, COLUMN_PREFIX))
        return ERR_FORMAT; /* a fault of the input */
    return st;
}

Status submission_unit(Submission *s, const SubmittedLine *line, const UnitText *text, Err *err)
{
    size_t language = 0;
    Status st = OK;

    if (s->glossary) st = router_language_length(s->router, line->to, text->text, text->length, &language, err);
    return st == OK ? submit(s, line, text, language, NULL, err) : st;
}

/* What chooses the language of a line is not searched for what its translation keeps. */
Status submission_line(Submission *s, const SubmittedLine *line, const LineColumns *columns, LineText whole,
                       LineText source, Err *err)
{
    UnitText text = { .text = source.data, .length = source.len };
    size_t language = 0;
    Status st = OK;

    ranges_clear(&s->found);
    if (s->keep || s->glossary)
        st = router_language_length(s->router, line->to, source.data, source.len, &language, err);
    if (st == OK && s->keep)
        st = keep_rules_find(s->keep, source.data + language, source.len - language, &s->found, err);
    if (st != OK) return st;
    for (size_t i = 0; i < s->found.len; i++) {
        s->found.data[i].begin += language;
        s->found.data[i].end += language;
    }
    text.kept = s->found.data;
    text.kept_count = s->found.len;
    atomic_fetch_add(&s->other_bytes, whole.len - source.len);
    return submit(s, line, &text, language, &(OtherColumns){ columns, whole }, err);
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
