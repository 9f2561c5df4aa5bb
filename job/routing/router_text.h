/* router_text.h - a text that is submitted, and what is asked of its translation. */
#ifndef DRAGOMAN_ROUTER_TEXT_H
#define DRAGOMAN_ROUTER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "dragoman_request.h"
#include "glossary.h"

/* A translation that is known, and the places of the kept ranges in it. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
    const Range *places; /* [kept_count] of the text */
} KnownTranslation;

/* A part of a line of the input. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
} RouterPart;

/* A text, and what is asked of its translation. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
    bool is_unit;      /* of a document: its sentences are translated one by one, unless --no-split is given */
    const Range *kept; /* [kept_count] */
    size_t kept_count;
    const TermMatch *terms; /* [term_count] */
    size_t term_count;
    RouterPart prefix;       /* .text NULL: that of --prefix */
    const RouterPart *musts; /* [must_count], texts that the translation has to contain */
    size_t must_count;
    const KnownTranslation *known; /* NULL: it is translated */
} RouterText;

/* Fills in the request. `language` is the name that the model has for that of the text; NULL: it has one already. */
MUST_USE DragomanStatus router_text_ask(const RouterText *text, const char *language, DragomanRequest *request,
                                        DragomanError *error);

#endif
