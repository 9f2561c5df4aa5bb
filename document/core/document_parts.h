/* document_parts.h - the fields of a Document, for the files of document/core that make, read and write it. Numbers and
 * offsets of parts fit in 32 bits, because there are so many parts: DOCUMENT_BYTES. */
#ifndef DRAGOMAN_DOCUMENT_PARTS_H
#define DRAGOMAN_DOCUMENT_PARTS_H

#include <stdint.h>

#include "document.h"

/* A UnitText as indices, because the lists move while they grow. */
typedef struct {
    uint32_t text, length; /* in Document.text */
    uint32_t run, run_count;
    uint32_t markup, markup_count;
    uint32_t markup_with_hints, markup_with_hints_count; /* the same list if the text has no hints */
    uint32_t accelerator;                                /* 1 + index in the markup; 0: none */
    uint32_t more;                                       /* so many texts after it are the rest of a divided one */
    Range prefix, bytes, suffix;
    ArgumentRule arguments;
    unsigned context;
    const SpellingRules *embedded; /* the rules of the data that contain it; NULL: those of the format */
} TextPart;

/* A string in Document.strings. */
typedef struct {
    uint32_t at, length;
} StringPart;

typedef struct {
    uint32_t number;      /* in the order of adding */
    uint32_t source, own; /* TextParts; the same in a format with one language */
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
    size_t unit; /* in the order of adding, later an index; LABEL_UNIT: in every translation */
} ChangePart;

#define LABEL_UNIT ((size_t)-1)

struct Document {
    const DocumentFormat *format;
    DocumentFile file;
    const DocumentOptions *options;
    const TextEncoding *encoding;
    Buf text, strings;
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

/* The line of byte `at` if byte `begin` is in line 1. */
static inline size_t document_parts_line(const DocumentFile *file, size_t begin, size_t at)
{
    size_t line = 1;

    for (size_t i = begin; i < at; i++) line += file->bytes[i] == '\n';
    return line;
}

#endif
