/* request.c - the functions of dragoman_request.h. */
#include "dragoman_request.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "line_request.h"
#include "option_fields.h"
#include "public_parts.h"
#include "token_ranges.h"
#include "translator.h"

struct DragomanRequest {
    LineText text; /* of the caller */
    Buf language, known, prefix;
    RangeList kept, known_kept;
    RequestDemand *demands; /* [demand_count], the last must_count of them without ranges */
    size_t demand_count, demand_capacity, must_count;
    Buf forms; /* each ends with NUL */
    size_t form_count;
    bool has_language, splits, is_known, has_prefix;
};

DragomanRequest *dragoman_request_new(void)
{
    return calloc(1, sizeof(DragomanRequest));
}

void dragoman_request_free(DragomanRequest *request)
{
    if (!request) return;
    buf_free(&request->language);
    buf_free(&request->known);
    buf_free(&request->prefix);
    ranges_free(&request->kept);
    ranges_free(&request->known_kept);
    free(request->demands);
    buf_free(&request->forms);
    free(request);
}

/* Replaces the text in `out`. An empty text has bytes, too. */
static Status copy_text(Buf *out, const char *text, size_t length, Err *err)
{
    buf_reuse(out);
    return buf_append(out, length ? text : "", length, err);
}

static Status copy_ranges(RangeList *out, const Range *ranges, size_t count, Err *err)
{
    Status st;

    out->len = 0;
    st = buf_grow_list(&out->data, &out->cap, 0, count, sizeof *out->data, "the kept ranges", err);
    for (size_t i = 0; st == OK && i < count; i++) out->data[out->len++] = ranges[i];
    return st;
}

static DragomanStatus answer(Status st, Err *err, DragomanError *error)
{
    return option_fields_answer(st, err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_request_begin(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    Err err = { "" };

    request->text = (LineText){ text, length };
    request->has_language = request->splits = request->is_known = request->has_prefix = false;
    request->kept.len = request->known_kept.len = 0;
    request->demand_count = request->must_count = request->form_count = 0;
    buf_reuse(&request->forms);
    return answer(OK, &err, error);
}

DragomanStatus dragoman_request_from(DragomanRequest *request, const char *language, DragomanError *error)
{
    Err err = { "" };

    request->has_language = language != NULL;
    buf_reuse(&request->language);
    return answer(language ? buf_append_text(&request->language, language, &err) : OK, &err, error);
}

DragomanStatus dragoman_request_split(DragomanRequest *request, bool split, DragomanError *error)
{
    Err err = { "" };

    request->splits = split;
    return answer(OK, &err, error);
}

DragomanStatus dragoman_request_keep(DragomanRequest *request, const Range *ranges, size_t count, DragomanError *error)
{
    Err err = { "" };

    return answer(copy_ranges(&request->kept, ranges, count, &err), &err, error);
}

DragomanStatus dragoman_request_know(DragomanRequest *request, const char *translation, size_t length,
                                     const Range *places, size_t count, DragomanError *error)
{
    Err err = { "" };
    Status st = copy_text(&request->known, translation, length, &err);

    if (st == OK) st = copy_ranges(&request->known_kept, places, count, &err);
    request->is_known = st == OK;
    return answer(st, &err, error);
}

DragomanStatus dragoman_request_prefix(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    Err err = { "" };

    request->has_prefix = text != NULL;
    return answer(text ? copy_text(&request->prefix, text, length, &err) : OK, &err, error);
}

/* Adds a demand before those without ranges, or after them if it has none itself. */
static Status add_demand(DragomanRequest *request, const RequestDemand *demand, Err *err)
{
    const size_t moved = demand->anywhere ? 0 : request->must_count;
    RequestDemand *at;
    Status st = buf_grow_list(&request->demands, &request->demand_capacity, request->demand_count, 1,
                              sizeof *request->demands, "the demands of a line", err);

    if (st != OK) return st;
    at = request->demands + request->demand_count - moved;
    memmove(at + 1, at, moved * sizeof *at);
    *at = *demand;
    request->demand_count++;
    request->must_count += demand->anywhere;
    request->form_count += demand->count;
    return OK;
}

static Status add_form(DragomanRequest *request, const char *form, size_t length, Err *err)
{
    Status st = buf_append(&request->forms, form, length, err);

    return st == OK ? buf_append(&request->forms, "", 1, err) : st;
}

static Status add_forms(DragomanRequest *request, Range range, const char *const *forms, size_t count, Err *err)
{
    const RequestDemand demand = { .range = range, .first = request->form_count, .count = count };
    const size_t end = request->forms.len;
    Status st = OK;

    if (!count)
        return err_set(err, ERR_USAGE, "demand %zu has no forms", request->demand_count - request->must_count + 1);
    for (size_t i = 0; st == OK && i < count; i++) st = add_form(request, forms[i], strlen(forms[i]), err);
    if (st == OK) st = add_demand(request, &demand, err);
    if (st != OK) request->forms.len = end;
    return st;
}

static Status add_must(DragomanRequest *request, const char *text, size_t length, Err *err)
{
    const RequestDemand demand = { .anywhere = true, .first = request->form_count, .count = 1 };
    const size_t end = request->forms.len;
    Status st;

    if (memchr(text, '\0', length)) return err_set(err, ERR_USAGE, "a required text contains a NUL byte");
    st = add_form(request, text, length, err);
    if (st == OK) st = add_demand(request, &demand, err);
    if (st != OK) request->forms.len = end;
    return st;
}

DragomanStatus dragoman_request_demand(DragomanRequest *request, Range range, const char *const *forms, size_t count,
                                       DragomanError *error)
{
    Err err = { "" };

    return answer(add_forms(request, range, forms, count, &err), &err, error);
}

DragomanStatus dragoman_request_must(DragomanRequest *request, const char *text, size_t length, DragomanError *error)
{
    Err err = { "" };

    return answer(add_must(request, text, length, &err), &err, error);
}

DragomanStatus dragoman_submit_request(Dragoman *d, const DragomanRequest *request, uintptr_t tag, DragomanError *error)
{
    const LineRequest line = { .text = request->text,
                               .language = request->has_language ? request->language.data : NULL,
                               .splits = request->splits,
                               .kept = request->kept.data,
                               .kept_count = request->kept.len,
                               .is_known = request->is_known,
                               .known = { request->known.data, request->known.len },
                               .known_kept = request->known_kept.data,
                               .known_kept_count = request->known_kept.len,
                               .has_prefix = request->has_prefix,
                               .prefix = { request->prefix.data, request->prefix.len },
                               .demands = request->demands,
                               .demand_count = request->demand_count,
                               .forms = request->forms.data };
    Err err = { "" };

    return option_fields_answer(translator_submit(d->translator, &line, tag, &err), &err, d->spelling, error);
}
