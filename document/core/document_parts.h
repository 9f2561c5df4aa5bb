/* document_parts.h - the fields of a Document, for the files of document/core that make, read and write it. Numbers and
 * offsets have 32 bits, which save memory in the many parts and suffice for DOCUMENT_BYTES. */
#ifndef DRAGOMAN_DOCUMENT_PARTS_H
#define DRAGOMAN_DOCUMENT_PARTS_H

#include <stdint.h>

#include "document_builder.h"

/* A UnitText as indices, because the lists move while they grow. The bytes of a text of an ICU message are in
 * Document.strings. */
typedef struct {
    uint32_t text, length; /* in Document.text */
    uint32_t run, run_count;
    uint32_t markup, markup_count;
    uint32_t markup_with_hints, markup_with_hints_count; /* equal to `markup` in a text without hints */
    uint32_t accelerator;                                /* 1 + index in the markup; 0: none */
    uint32_t more;                                       /* in the first part of a divided text: how many follow */
    Range prefix, bytes, suffix;
    ArgumentRule arguments;
    MessageRule message;
    unsigned context;
    const SpellingRules *embedded; /* the rules of the embedded data around the text; NULL: those of the format */
} TextPart;

/* A string in Document.strings. */
typedef struct {
    uint32_t at, length;
} StringPart;

typedef struct {
    uint32_t number;      /* units are numbered in the order in which they are added */
    uint32_t source, own; /* indices of TextParts; equal in a format with one language */
    Range place;
    StringPart before, after;
    bool is_done;
    bool is_copy;   /* the source has nothing to translate: it is its own translation */
    bool is_inside; /* in the markup of a unit after it */
} UnitPart;

/* Bytes that are replaced if the unit is translated. */
typedef struct {
    Range bytes;
    StringPart text;
    size_t unit; /* UnitPart.number; after sort_parts(), an index in `units`; or EVERY_TRANSLATION */
} ChangePart;

/* Where a part of a composed text begins, and where it is in the document: document_builder_compose(). */
typedef struct {
    uint32_t at, origin;
} ComposedPart;

struct Document {
    const DocumentFormat *format;
    DocumentFile file; /* its bytes are those of `composed`, unless that is empty */
    Buf composed;      /* the document, and after it the composed texts */
    LIST_OF(ComposedPart) origins;
    const DocumentOptions *options;
    Buf text, strings;
    Buf warnings; /* document_warnings() */
    LIST_OF(Run) runs;
    LIST_OF(Markup) markup;
    LIST_OF(TextPart) texts;
    LIST_OF(UnitPart) units;
    LIST_OF(ChangePart) changes;
    LIST_OF(DocumentFault) faults;
    DocumentLanguages languages;
};

/* Whether a unit gets a translation, which may be a copy of its source. */
static inline bool document_parts_changes(const Document *doc, const UnitPart *unit)
{
    return !unit->is_done || doc->options->retranslate;
}

/* Returns the place in the document of byte `at`, which may be in a composed text. */
static inline size_t document_parts_origin(const Document *doc, size_t at)
{
    size_t next;

    FIND_FIRST(next, at > doc->file.size ? doc->origins.len : 0, doc->origins.data[next].at > at);
    return next ? doc->origins.data[next - 1].origin + (at - doc->origins.data[next - 1].at) : at;
}

/* Returns the line of byte `at`, if byte `begin` is in line 1. */
static inline size_t document_parts_line(const DocumentFile *file, size_t begin, size_t at)
{
    size_t line = 1;

    for (size_t i = begin; i < at; i++) line += file->bytes[i] == '\n';
    return line;
}

#endif
