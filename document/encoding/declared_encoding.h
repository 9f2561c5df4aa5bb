/* declared_encoding.h - the encodings that documents declare, as DocumentFormat.find_encoding finds them. */
#ifndef DRAGOMAN_DECLARED_ENCODING_H
#define DRAGOMAN_DECLARED_ENCODING_H

#include <stddef.h>

#include "text_encoding.h"

/* That of an XML declaration: <?xml version="1.0" encoding="..."?>. */
void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* That of the header of a PO file: "Content-Type: text/plain; charset=...". CHARSET, which stands in templates, and
 * ASCII are none: a translation may have any characters (document_po.c). */
void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* That of Java .properties: ISO-8859-1, if they are not UTF-8 as from Java 9 on. */
void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME]);

#endif
