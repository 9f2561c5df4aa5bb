/* glossary_entries.h - the terms of glossaries with what they are to be translated as.
 * A term is found by its exact key if it is short and in capitals, such as US, else by its folded key (term_text.h). */
#ifndef DRAGOMAN_GLOSSARY_ENTRIES_H
#define DRAGOMAN_GLOSSARY_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "term_index.h"
#include "term_text.h"

/* The most forms of a term, and the most bytes of a term or a form. */
#define TERM_FORMS ((size_t)64)
#define TERM_BYTES ((size_t)1000)
/* The most terms. */
#define GLOSSARY_ENTRIES ((size_t)1 << 25)

typedef struct {
    const char *source;
    const char **forms; /* [form_count], of the translation, in the order of the file */
    uint32_t form_count, form_room;
    int32_t next;      /* the next entry with the same key, for another language; TERM_NONE: there is none */
    uint16_t language; /* of the source: an index of GlossaryEntries.languages */
    uint16_t file;     /* number of the file, from 1 */
    bool is_exact;     /* found by the exact key alone */
} GlossaryEntry;

/* The language of entries for all languages. */
#define LANGUAGE_ANY 0

/* Starts as {0} and ends with glossary_entries_free(). */
typedef struct {
    GlossaryEntry *items; /* [count] */
    size_t count, capacity;
    char **languages; /* [language_count], tags; [LANGUAGE_ANY] is NULL */
    size_t language_count, language_capacity;
    size_t files;        /* that were begun */
    TermIndex by_key[2]; /* KEY_EXACT and KEY_FOLDED */
    TermText scratch;
    Arena *memory; /* of the strings */
    char *room;    /* [room_left], unused */
    size_t room_left;
} GlossaryEntries;

/* A text that need not end in NUL. */
typedef struct {
    const char *data;
    size_t length;
} TermString;

/* Begins another file: its terms do not replace those of earlier files. */
MUST_USE Status glossary_entries_begin_file(GlossaryEntries *entries, Err *err);

/* Finds the number of a language, or adds it. */
MUST_USE Status glossary_entries_language(GlossaryEntries *entries, const char *tag, uint16_t *out, Err *err);

/* Adds a term of the file. If the file has it already, the form is added to its forms. The texts are valid UTF-8
 * without a NUL. Returns ERR_FORMAT with the reason, but not the place, if one of them is too long or empty. */
MUST_USE Status glossary_entries_add(GlossaryEntries *entries, TermString source, uint16_t language, TermString form,
                                     Err *err);
void glossary_entries_free(GlossaryEntries *entries);

#endif
