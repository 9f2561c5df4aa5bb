/* xml_references.h - character references and the five entities of XML. */
#ifndef DRAGOMAN_XML_REFERENCES_H
#define DRAGOMAN_XML_REFERENCES_H

#include <stddef.h>

/* Reads the reference at byte `at` of a well-formed document, and returns where it ends. *length is the number of bytes
 * in `text`; 0 if an entity was declared by the document. */
size_t xml_reference_read(const char *bytes, size_t at, char text[4], size_t *length);

#endif
