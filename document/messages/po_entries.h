/* po_entries.h - the entries of a PO file: what is where in the document. Obsolete entries (#~) are comments. */
#ifndef DRAGOMAN_PO_ENTRIES_H
#define DRAGOMAN_PO_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "document_formats.h"
#include "escaped_text.h"
#include "po_plurals.h"

/* A string: what is between its first and its last quote, with the quotes and line breaks between its parts. */
typedef struct {
    bool is_there;
    size_t begin; /* of its keyword */
    Range text;
} PoString;

typedef struct {
    PoString context, id, plural;
    PoString translations[PO_FORMS]; /* msgstr is the first */
    size_t count;                    /* of the translations */
    bool is_fuzzy, has_flags;
    bool is_java;           /* java-format */
    ArgumentRule arguments; /* that the flags say */
    size_t flags;           /* where a flag can be added to the line of flags */
    size_t begin;           /* of the first line after the comments */
} PoEntry;

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    size_t at, end;
} PoReader;

/* Reads the next entry. Returns false at the end of the file, and if document_builder_failed(). */
bool po_entries_next(PoReader *reader, PoEntry *entry);

/* The characters of a PoString's text. */
EscapedPart po_entries_read(const char *bytes, size_t length);

#endif
