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
    Buf language, known;
    TokenRanges kept, known_kept;
    RequestDemand *demands; /* [demand_count] */
    size_t demand_count, demand_capacity;
    Buf forms; /* each ends with NUL */
    size_t form_count;
    bool has_language, is_known;
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
    token_ranges_free(&request->kept);
    token_ranges_free(&request->known_kept);
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

static Status copy_ranges(TokenRanges *out, const DragomanRange *ranges, size_t count, Err *err)
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
    request->has_language = request->is_known = false;
    request->kept.len = request->known_kept.len = 0;
    request->demand_count = request->form_count = 0;
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

DragomanStatus dragoman_request_keep(DragomanRequest *request, const DragomanRange *ranges, size_t count,
                                     DragomanError *error)
{
    Err err = { "" };

    return answer(copy_ranges(&request->kept, ranges, count, &err), &err, error);
}

DragomanStatus dragoman_request_know(DragomanRequest *request, const char *translation, size_t length,
                                     const DragomanRange *places, size_t count, DragomanError *error)
{
    Err err = { "" };
    Status st = copy_text(&request->known, translation, length, &err);

    if (st == OK) st = copy_ranges(&request->known_kept, places, count, &err);
    request->is_known = st == OK;
    return answer(st, &err, error);
}

static Status add_demand(DragomanRequest *request, DragomanRange range, const char *const *forms, size_t count,
                         Err *err)
{
    const RequestDemand demand = { range, request->form_count, count };
    Status st = buf_grow_list(&request->demands, &request->demand_capacity, request->demand_count, 1,
                              sizeof *request->demands, "the demands of a line", err);

    if (!count) return err_set(err, ERR_USAGE, "demand %zu has no forms", request->demand_count + 1);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = buf_append(&request->forms, forms[i], strlen(forms[i]) + 1, err);
        request->form_count++;
    }
    if (st == OK) request->demands[request->demand_count++] = demand;
    return st;
}

DragomanStatus dragoman_request_demand(DragomanRequest *request, DragomanRange range, const char *const *forms,
                                       size_t count, DragomanError *error)
{
    Err err = { "" };

    return answer(add_demand(request, range, forms, count, &err), &err, error);
}

DragomanStatus dragoman_submit_request(Dragoman *d, const DragomanRequest *request, uintptr_t tag, DragomanError *error)
{
    const LineRequest line = { .text = request->text,
                               .language = request->has_language ? request->language.data : NULL,
                               .kept = request->kept.data,
                               .kept_count = request->kept.len,
                               .is_known = request->is_known,
                               .known = { request->known.data, request->known.len },
                               .known_kept = request->known_kept.data,
                               .known_kept_count = request->known_kept.len,
                               .demands = request->demands,
                               .demand_count = request->demand_count,
                               .forms = request->forms.data };
    Err err = { "" };

    return option_fields_answer(translator_submit(d->translator, &line, tag, &err), &err, d->spelling, error);
}
