/* known_line.h - lines that are submitted with a translation that is known. */
#ifndef DRAGOMAN_KNOWN_LINE_H
#define DRAGOMAN_KNOWN_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "dragoman.h"
#include "dragoman_request.h"
#include "err.h"

/* A translation that is known, and the places of the kept ranges in it. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
    const DragomanRange *places; /* [count of the kept ranges] */
} KnownTranslation;

/* A line to submit. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
    const DragomanRange *kept; /* [count] */
    size_t count;
    const KnownTranslation *known; /* NULL: it is translated */
} SubmittedLine;

/* Submits a line with a known translation. *request starts as NULL and ends with dragoman_request_free(). */
MUST_USE Status known_line_submit(DragomanRequest **request, Dragoman *dragoman, const SubmittedLine *line,
                                  uintptr_t tag, Err *err);

#endif
