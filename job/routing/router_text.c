/* router_text.c - see router_text.h. */
#include "router_text.h"

#include "term_check.h"

/* A line whose translation is known has no terms to search for. */
DragomanStatus router_text_ask(const RouterText *text, const char *language, DragomanRequest *request,
                               DragomanError *error)
{
    const KnownTranslation *known = text->known;
    DragomanStatus status = dragoman_request_begin(request, text->text, text->length, error);

    if (status == DRAGOMAN_OK && language) status = dragoman_request_from(request, language, error);
    if (status == DRAGOMAN_OK) status = dragoman_request_split(request, text->is_unit, error);
    if (status == DRAGOMAN_OK) status = dragoman_request_keep(request, text->kept, text->kept_count, error);
    if (status == DRAGOMAN_OK && known)
        return dragoman_request_know(request, known->text, known->length, known->places, text->kept_count, error);
    for (size_t i = 0; status == DRAGOMAN_OK && i < text->term_count; i++)
        status = term_demand(request, &text->terms[i], error);
    for (size_t i = 0; status == DRAGOMAN_OK && i < text->must_count; i++)
        status = dragoman_request_must(request, text->musts[i].text, text->musts[i].length, error);
    if (status == DRAGOMAN_OK) status = dragoman_request_prefix(request, text->prefix.text, text->prefix.length, error);
    return status;
}
