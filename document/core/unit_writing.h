/* unit_writing.h - what unit_writer.c writes, for its two passes. */
#ifndef DRAGOMAN_UNIT_WRITING_H
#define DRAGOMAN_UNIT_WRITING_H

#include <stddef.h>

#include "document.h"
#include "document_formats.h"

typedef struct {
    const DocumentFile *file;
    const SpellingRules *rules;   /* NULL: texts are written as they are */
    const TextEncoding *encoding; /* that the document will have; NULL: UTF-8 */
    const UnitText *model;        /* whose spellings, lines and markup are used */
    Range prefix, suffix;         /* bytes of the document to write around the text, inside its quotes */
    const char *after;            /* [after_length], the bytes after the text */
    size_t after_length;
    const char *inner;            /* the bytes of these: */
    const InnerUnit *inner_units; /* [inner_count], written in place of parts of the markup; in order */
    size_t inner_count;
} UnitWriting;

#endif
