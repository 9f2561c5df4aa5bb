/* xml_references.h - character references, and the entities of XML and HTML. */
#ifndef DRAGOMAN_XML_REFERENCES_H
#define DRAGOMAN_XML_REFERENCES_H

#include <stddef.h>

#include "html_entities.h"

/* Reads the reference at byte `at` of a well-formed document, and returns where it ends. *length is the number of bytes
 * in `text`; 0 for an entity with another name. */
size_t xml_reference_read(const char *bytes, size_t at, char text[HTML_ENTITY_BYTES], size_t *length);

#endif
