/* known_line.c - see known_line.h. */
#include "known_line.h"

#include "library.h"

Status known_line_submit(DragomanRequest **request, Dragoman *d, const SubmittedLine *line, uintptr_t tag, Err *err)
{
    const KnownTranslation *known = line->known;
    DragomanError error;
    DragomanStatus st;

    if (!*request) *request = dragoman_request_new();
    if (!*request) return err_memory(err, "a line");
    st = dragoman_request_begin(*request, line->text, line->length, &error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(*request, line->kept, line->count, &error);
    if (st == DRAGOMAN_OK)
        st = dragoman_request_know(*request, known->text, known->length, known->places, line->count, &error);
    if (st == DRAGOMAN_OK) st = dragoman_submit_request(d, *request, tag, &error);
    return library_status(st, &error, err);
}
