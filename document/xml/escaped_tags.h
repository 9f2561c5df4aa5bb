/* escaped_tags.h - tags in the text of an XML document: &lt;b&gt;, or <b> in a CDATA section. */
#ifndef DRAGOMAN_ESCAPED_TAGS_H
#define DRAGOMAN_ESCAPED_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "ranges.h"

typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

typedef struct {
    EscapedKind kind;
    ByteRange name;
} EscapedTag;

/* Reads the tag at byte `at` of the text [at, end) of a well-formed document: a name, and attributes with values.
 * Returns where it ends, or `at` if there is none, or one of more than 1000 bytes: reading must take linear time. */
size_t escaped_tag_read(const char *bytes, size_t at, size_t end, bool in_cdata, EscapedTag *tag);

#endif
