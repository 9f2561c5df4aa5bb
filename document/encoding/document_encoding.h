/* document_encoding.h - the encoding of a document, and the document as UTF-8.
 *
 * The encoding is, in this order,
 * - that of the byte order mark;
 * - that of the options;
 * - UTF-16 or UTF-32, if the first two characters are ASCII in it;
 * - what the format finds: a declaration in the document (DocumentFormat.find_encoding). A name of UTF-16 that can be
 *   read as ASCII, and an unknown name in a document that is valid UTF-8, count as UTF-8;
 * - UTF-8. */
#ifndef DRAGOMAN_DOCUMENT_ENCODING_H
#define DRAGOMAN_DOCUMENT_ENCODING_H

#include "document.h"
#include "document_formats.h"
#include "ranges.h"
#include "text_encoding.h"

/* Finds the encoding of a file. If it is not UTF-8, appends the file as UTF-8 to `text`, and the caller owns *out and
 * frees it with text_encoding_free(). Otherwise *out is NULL and `text` stays as it is; whether the file is valid UTF-8
 * is not checked. Returns ERR_FORMAT, with the name of the file, if the file cannot be a document of this format or is
 * not valid in its encoding. */
MUST_USE Status document_encoding_decode(TextEncoding **out, const DocumentFormat *format, const DocumentFile *file,
                                         const DocumentOptions *options, Buf *text, Err *err);

/* The encoding of the byte order mark at the beginning of a file; NULL: there is none. */
const char *document_encoding_mark(const char *bytes, size_t size);

/* The encodings that documents declare, as DocumentFormat.find_encoding finds them. */

/* That of an XML declaration: <?xml version="1.0" encoding="..."?>. */
void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* Where that name is; empty: there is no declaration. */
Range declared_encoding_place(const char *bytes, size_t size);

/* That of the header of a PO file: "Content-Type: text/plain; charset=...". CHARSET, the placeholder
 * in templates, and ASCII do not count: a translation may have any characters (document_messages.c). */
void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* That of Java .properties: ISO-8859-1, unless the bytes are valid UTF-8, which Java 9 and later read. */
void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* Guesses the encoding of a file that is not UTF-8, for a message: one name or more. NULL: the file is UTF-8. */
const char *document_encoding_guess(const DocumentFile *file);

#endif
