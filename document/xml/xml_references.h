/* xml_references.h - character references, and the entities of XML and HTML. */
#ifndef DRAGOMAN_XML_REFERENCES_H
#define DRAGOMAN_XML_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "escaped_tags.h"
#include "html_entities.h"

/* Reads the reference at byte `at` of a well-formed document, and returns where it ends. *length is the number of bytes
 * in `text`; 0 for an entity with another name. */
size_t xml_reference_read(const char *bytes, size_t at, char text[HTML_ENTITY_BYTES], size_t *length);

/* Reads a character of such a document; an entity with another name counts as a &, and a tag, a comment or a CDATA
 * section as a NUL, which no tag in a text contains. */
EscapedPart xml_reference_part(const char *bytes, size_t length);

/* Decodes the character reference of HTML that is text at byte `at`: &amp;nbsp;, or &nbsp; in a CDATA section. Sets
 * *size to the number of bytes in out. Returns where it ends, or `at` if there is none. */
size_t xml_reference_read_escaped(const char *bytes, size_t at, size_t end, bool in_cdata, char out[HTML_ENTITY_BYTES],
                                  size_t *size);

#endif
