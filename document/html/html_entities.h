/* html_entities.h - character references as the HTML standard reads them (13.2.5.72 and following). */
#ifndef DRAGOMAN_HTML_ENTITIES_H
#define DRAGOMAN_HTML_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that a reference stands for, and the most bytes of a name. */
#define HTML_ENTITY_BYTES 8
#define HTML_ENTITY_NAME  31

/* Decodes the reference at the beginning of text[0..length), which begins with "&". Returns the number of bytes that it
 * has in the document, and sets *size to the number of bytes in out. Returns 0 if it is not a reference: the & is
 * plain. In an attribute, one without a semicolon before "=", a letter or a digit is not a reference. */
size_t html_entity_read(const char *text, size_t length, bool in_attribute, char out[HTML_ENTITY_BYTES], size_t *size);

#endif
