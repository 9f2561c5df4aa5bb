/* request.c - the functions of dragoman.h that build a request, and the key of a request (line.h). */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "option_fields.h"

DragomanRequest *dragoman_request_new(void)
{
    return calloc(1, sizeof(DragomanRequest));
}

void dragoman_request_free(DragomanRequest *request)
{
    if (!request) return;
    spans_free(&request->kept);
    spans_free(&request->demands);
    buf_free(&request->forms);
    buf_free(&request->language_text);
    buf_free(&request->prefix);
    buf_free(&request->target);
    ranges_free(&request->places);
    free(request);
}

/* Replaces the text in `out`, whose data is not NULL even for an empty text. */
static Status copy_text(Buf *out, const char *text, size_t length, Err *err)
{
    buf_reuse(out);
    buf_put(out, length ? text : "", length);
    return buf_check(out, err);
}

static void put_number(Buf *out, size_t number)
{
    buf_put(out, &number, sizeof number);
}

static void put_text(Buf *out, const char *text, size_t length)
{
    put_number(out, length);
    buf_put(out, text, length);
}

static void put_spans(Buf *out, const SpanList *spans)
{
    put_number(out, spans->len);
    for (size_t i = 0; i < spans->len; i++) {
        const Span *span = &spans->data[i];
        const size_t fields[] = { (size_t)span->kind,   span->source.begin,   span->source.end, span->place.begin,
                                  span->place.end,      span->form,           span->form_count, span->first_form,
                                  (size_t)span->traits, (size_t)span->verdict };
        buf_put(out, fields, sizeof fields);
    }
}

/* A part has its length before it, so two requests with equal bytes are equal. The flags say which texts are there: a
 * request that is used again still has the memory of texts that its line does not have. */
void request_put_rest(Buf *out, const DragomanRequest *request)
{
    const bool has_target = request->is_known || request->is_given;
    const size_t flags = (request->splits ? 1u : 0) | (request->has_prefix ? 2u : 0) | (request->is_known ? 4u : 0) |
                         (request->is_given ? 8u : 0) | (request->language ? 16u : 0);

    if (!flags && !request->kept.len && !request->demands.len && !request->places.len) return;
    put_number(out, flags);
    put_spans(out, &request->kept);
    put_spans(out, &request->demands);
    put_text(out, request->forms.data, request->forms.len);
    put_number(out, request->places.len);
    buf_put(out, request->places.data, request->places.len * sizeof *request->places.data);
    if (request->language) put_text(out, request->language, strlen(request->language));
    if (request->has_prefix) put_text(out, request->prefix.data, request->prefix.len);
    if (has_target) put_text(out, request->target.data, request->target.len);
}

static DragomanStatus answer(Status st, Err *err, DragomanError *error)
{
    return option_fields_answer(st, err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_request_begin(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    request->text = (LineText){ text, length };
    request->language = NULL;
    request->splits = request->has_prefix = request->is_known = request->is_given = false;
    request->kept.len = request->demands.len = request->places.len = 0;
    buf_reuse(&request->forms);
    return answer(OK, &(Err){ "" }, error);
}

DragomanStatus dragoman_request_from(DragomanRequest *request, const char *language, DragomanError *error)
{
    Err err = { "" };
    Status st = language ? copy_text(&request->language_text, language, strlen(language), &err) : OK;

    request->language = st == OK && language ? request->language_text.data : NULL;
    return answer(st, &err, error);
}

DragomanStatus dragoman_request_split(DragomanRequest *request, bool split, DragomanError *error)
{
    request->splits = split;
    return answer(OK, &(Err){ "" }, error);
}

DragomanStatus dragoman_request_keep(DragomanRequest *request, const Range *ranges, size_t count, DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    request->kept.len = 0;
    for (size_t i = 0; st == OK && i < count; i++)
        st = spans_append(&request->kept, span_at(DRAGOMAN_SPAN_KEPT, ranges[i]), &err);
    return answer(st, &err, error);
}

DragomanStatus dragoman_request_know(DragomanRequest *request, const char *translation, size_t length,
                                     const Range *places, size_t count, DragomanError *error)
{
    Err err = { "" };
    Status st = copy_text(&request->target, translation, length, &err);

    request->places.len = 0;
    if (st == OK) st = ranges_append_all(&request->places, places, count, &err);
    request->is_known = st == OK;
    return answer(st, &err, error);
}

DragomanStatus dragoman_request_score(DragomanRequest *request, const char *target, size_t length, DragomanError *error)
{
    Err err = { "" };
    Status st = copy_text(&request->target, target, length, &err);

    request->is_given = st == OK;
    return answer(st, &err, error);
}

DragomanStatus dragoman_request_prefix(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    Err err = { "" };

    request->has_prefix = text != NULL;
    return answer(text ? copy_text(&request->prefix, text, length, &err) : OK, &err, error);
}

/* Adds a demand; terms come before demands without ranges. Its forms are already in request->forms, from
 * span.first_form on, and are removed if memory runs out. */
static Status add_demand(DragomanRequest *request, Span span, Err *err)
{
    SpanList *demands = &request->demands;
    Status st = buf_check(&request->forms, err);
    size_t at = demands->len;

    if (st == OK) st = spans_append(demands, span, err);
    if (st != OK) {
        request->forms.len = span.first_form;
        return st;
    }
    for (; at && demands->data[at - 1].kind > span.kind; at--) demands->data[at] = demands->data[at - 1];
    demands->data[at] = span;
    return OK;
}

DragomanStatus dragoman_request_demand(DragomanRequest *request, Range range, const char *const *forms, size_t count,
                                       DragomanError *error)
{
    const Span span = {
        .kind = DRAGOMAN_SPAN_TERM, .source = range, .form_count = count, .first_form = request->forms.len
    };
    Err err = { "" };
    size_t number = 1;

    if (!count) {
        while (number <= request->demands.len && request->demands.data[number - 1].kind == DRAGOMAN_SPAN_TERM) number++;
        return answer(err_set(&err, ERR_USAGE, "demand %zu has no forms", number), &err, error);
    }
    for (size_t i = 0; i < count; i++) buf_put(&request->forms, forms[i], strlen(forms[i]) + 1);
    return answer(add_demand(request, span, &err), &err, error);
}

DragomanStatus dragoman_request_must(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    const Span span = { .kind = DRAGOMAN_SPAN_MUST, .form_count = 1, .first_form = request->forms.len };
    Err err = { "" };

    if (memchr(text, '\0', length))
        return answer(err_set(&err, ERR_USAGE, "a required text contains a NUL byte"), &err, error);
    buf_put(&request->forms, text, length);
    buf_put_byte(&request->forms, '\0');
    return answer(add_demand(request, span, &err), &err, error);
}
