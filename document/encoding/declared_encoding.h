/* declared_encoding.h - the encodings that documents declare, as DocumentFormat.find_encoding finds them. */
#ifndef DRAGOMAN_DECLARED_ENCODING_H
#define DRAGOMAN_DECLARED_ENCODING_H

#include <stddef.h>

#include "ranges.h"
#include "text_encoding.h"

/* That of an XML declaration: <?xml version="1.0" encoding="..."?>. */
void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* Where that name is; empty: there is no declaration. */
Range declared_encoding_place(const char *bytes, size_t size);

/* That of the header of a PO file: "Content-Type: text/plain; charset=...". CHARSET, the placeholder
 * in templates, and ASCII do not count: a translation may have any characters (document_po.c). */
void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* That of Java .properties: ISO-8859-1, unless the bytes are valid UTF-8, which Java 9 and later read. */
void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME]);

#endif
