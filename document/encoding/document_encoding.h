/* document_encoding.h - finds the encoding of a document, and converts the document to UTF-8.
 *
 * The first of these that applies is the encoding:
 * - the encoding of the byte order mark;
 * - the encoding that the user has named (DocumentOptions.encoding);
 * - UTF-16 or UTF-32, if the document begins with ASCII characters in this encoding;
 * - the encoding that the document declares (DocumentFormat.find_encoding). UTF-8 replaces two wrong declarations:
 *   UTF-16 or UTF-32 in a declaration that can be read as ASCII, and an unknown name in a document that is valid UTF-8;
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

/* Returns the encoding of the byte order mark at the beginning of a file; NULL: the file has no mark. */
const char *document_encoding_mark(const char *bytes, size_t size);

/* Functions for DocumentFormat.find_encoding, which find the encoding that a document declares. */

/* The encoding of an XML declaration: <?xml version="1.0" encoding="..."?>. */
void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* Returns the place of the name in an XML declaration; empty: there is no declaration. */
Range declared_encoding_place(const char *bytes, size_t size);

/* The encoding in the header of a PO file: "Content-Type: text/plain; charset=...". CHARSET, the placeholder in
 * templates, and ASCII count as no encoding, because a translation may need any character. */
void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* The encoding of Java .properties: none if the bytes are valid UTF-8, which Java 9 reads; else ISO-8859-1. */
void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME]);

/* Guesses which encodings a file may have, and returns their names for a message; NULL if the file is valid UTF-8. */
const char *document_encoding_guess(const DocumentFile *file);

#endif
