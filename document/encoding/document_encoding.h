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
#include "text_encoding.h"

/* Finds the encoding of a file. If it is not UTF-8, appends the file as UTF-8 to `text`, and the caller owns *out and
 * frees it with text_encoding_free(). Otherwise *out is NULL and `text` stays as it is; whether the file is valid UTF-8
 * is not checked. Returns ERR_FORMAT, with the name of the file, if the file cannot be a document of this format or is
 * not valid in its encoding. */
MUST_USE Status document_encoding_decode(TextEncoding **out, const DocumentFormat *format, const DocumentFile *file,
                                         const DocumentOptions *options, Buf *text, Err *err);

/* The encoding of the byte order mark at the beginning of a file; NULL: there is none. */
const char *document_encoding_mark(const char *bytes, size_t size);

/* Guesses the encoding of a file that is not UTF-8, for a message: one name or more. NULL: the file is UTF-8. */
const char *document_encoding_guess(const DocumentFile *file);

#endif
