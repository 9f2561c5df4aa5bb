/* request_support.h - submits texts of which a test asks one thing. */
#ifndef DRAGOMAN_TESTS_REQUEST_SUPPORT_H
#define DRAGOMAN_TESTS_REQUEST_SUPPORT_H

#include "dragoman.h"

/* A text in this language (NULL: that of the model), with kept ranges. */
static inline DragomanStatus submit_kept(Dragoman *d, const char *text, size_t length, const char *language,
                                         const DragomanRange *kept, size_t count, uintptr_t tag, DragomanError *error)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanStatus st = request ? dragoman_request_begin(request, text, length, error) : DRAGOMAN_ERROR_MEMORY;

    if (st == DRAGOMAN_OK) st = dragoman_request_from(request, language, error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(request, kept, count, error);
    if (st == DRAGOMAN_OK) st = dragoman_submit(d, request, tag, error);
    dragoman_request_free(request);
    return st;
}

/* A text with its translation, which is scored. */
static inline DragomanStatus submit_pair_of(Dragoman *d, const char *source, size_t source_length, const char *target,
                                            size_t target_length, uintptr_t tag, DragomanError *error)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanStatus st = request ? dragoman_request_begin(request, source, source_length, error) : DRAGOMAN_ERROR_MEMORY;

    if (st == DRAGOMAN_OK) st = dragoman_request_score(request, target, target_length, error);
    if (st == DRAGOMAN_OK) st = dragoman_submit(d, request, tag, error);
    dragoman_request_free(request);
    return st;
}

#endif
