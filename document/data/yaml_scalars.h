/* yaml_scalars.h - the scalars of YAML: how texts are spelled in them, and which words and numbers are not texts. */
#ifndef DRAGOMAN_YAML_SCALARS_H
#define DRAGOMAN_YAML_SCALARS_H

#include <stdbool.h>

#include "document_formats.h"

typedef enum {
    YAML_PLAIN,      /* gets double quotes if a translation needs them */
    YAML_PLAIN_FLOW, /* inside [ ] or { } */
    YAML_SINGLE_QUOTED,
    YAML_DOUBLE_QUOTED,
    YAML_LITERAL, /* | */
    YAML_FOLDED,  /* > */
    YAML_BARE,    /* a plain one as it is in the document */
    YAML_KINDS = 8
} YamlScalarKind;

/* Reports the texts of a scalar with the bytes [begin, end): with quotes, or with the header of a block. */
void yaml_scalars_report(DocumentBuilder *builder, YamlScalarKind kind, size_t begin, size_t end);

/* Returns the length of the line break at bytes[0], or 0. libyaml also ends lines at U+0085, U+2028 and U+2029. */
size_t yaml_scalars_break(const char *bytes, size_t length);

/* Whether a plain scalar is not a string in YAML 1.1 or 1.2, or in Ruby: true, no, null, 1e3, 2001-12-14, :day.
 * Newlines in a row count as a space, because the lines of a plain scalar are one text. */
bool yaml_scalars_is_reserved(const char *text, size_t length);

extern const SpellingRules yaml_spelling;

#endif
