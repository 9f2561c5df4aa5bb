/* po_plurals.h - languages in the headers of PO files: their names, and their plural forms. */
#ifndef DRAGOMAN_PO_PLURALS_H
#define DRAGOMAN_PO_PLURALS_H

#include <stddef.h>

/* The largest number of forms that a language has. */
#define PO_FORMS 6

typedef struct {
    const char *languages; /* their codes, each between spaces */
    size_t count;          /* of forms */
    size_t singular;       /* the form for 1; PO_FORMS: there is only one form */
    const char *rule;      /* the value of Plural-Forms */
} PoPlurals;

/* The plural forms of a language in BCP 47 or with an underscore; NULL: unknown. */
const PoPlurals *po_plurals_find(const char *language);

/* Writes a language in BCP 47 as gettext does: pt-BR as pt_BR, zh-Hans as zh_CN, sr-Latn as sr@latin. */
void po_plurals_name(const char *language, char *out, size_t size);

#endif
