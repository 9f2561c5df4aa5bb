/* escaped_part.h - a character of a string, as the document spells it: see escaped_text.h. */
#ifndef DRAGOMAN_ESCAPED_PART_H
#define DRAGOMAN_ESCAPED_PART_H

#include <stddef.h>

#include "ranges.h"

#define ESCAPED_PART_TEXT 8

typedef struct {
    size_t length; /* bytes of the document, at least 1 */
    size_t size;   /* of the text; 0: no text, as between two lines that are joined */
    char text[ESCAPED_PART_TEXT];
} EscapedPart;

/* Reads the character that begins at bytes[0], of length > 0 bytes. */
typedef EscapedPart EscapedReader(const char *bytes, size_t length);

/* A tag that is written in text (escaped_tags.h). */
typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

typedef struct {
    EscapedKind kind;
    Range name;
} EscapedTag;

#endif
