/* escaped_tags.h - HTML in the text of an XML document: &lt;b&gt; and &amp;nbsp;, or <b> and &nbsp; in a CDATA
 * section. */
#ifndef DRAGOMAN_ESCAPED_TAGS_H
#define DRAGOMAN_ESCAPED_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "html_entities.h"
#include "ranges.h"

typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

typedef struct {
    EscapedKind kind;
    ByteRange name;
} EscapedTag;

/* Reads the tag at byte `at` of the text [at, end) of a well-formed document: a name, and attributes with values.
 * Returns where it ends, or `at` if there is no tag or it has more than 1000 bytes: reading must take linear time. */
size_t escaped_tag_read(const char *bytes, size_t at, size_t end, bool in_cdata, EscapedTag *tag);

/* Decodes the character reference of HTML at byte `at`, and sets *size to the number of bytes in out. Returns where it
 * ends, or `at` if there is none. */
size_t escaped_reference_read(const char *bytes, size_t at, size_t end, bool in_cdata, char out[HTML_ENTITY_BYTES],
                              size_t *size);

/* Whether the tag separates words: <br> and the tags of blocks. */
bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag);

#endif
