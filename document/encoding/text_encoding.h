/* text_encoding.h - an encoding other than UTF-8, through ICU: the bytes of a document become UTF-8, and UTF-8 becomes
 * bytes again. An encoding is used by one thread at a time. */
#ifndef DRAGOMAN_TEXT_ENCODING_H
#define DRAGOMAN_TEXT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The most bytes of a name, with its NUL. */
#define ENCODING_NAME 48

typedef enum {
    ENCODING_UNKNOWN,
    ENCODING_UTF8,
    ENCODING_UTF16, /* in either order of bytes: choose UTF-16LE or UTF-16BE */
    ENCODING_UTF32, /* likewise */
    ENCODING_OTHER
} EncodingKind;

/* Sets a name to text[0..length) without white space around it; a name that is too long is cut, and so unknown. */
void text_encoding_set_name(char name[ENCODING_NAME], const char *text, size_t length);

/* Finds the kind of the encoding with this name. Case does not matter, and '-' equals '_'. Returns ERR_MEMORY without
 * memory. */
MUST_USE Status text_encoding_kind(EncodingKind *out, const char *name, Err *err);

typedef struct TextEncoding TextEncoding; /* fields: text_encoding.c */

/* Opens an encoding of the kind ENCODING_OTHER. On OK the caller owns *out and frees it with text_encoding_free(). */
MUST_USE Status text_encoding_open(TextEncoding **out, const char *name, Err *err);
void text_encoding_free(TextEncoding *encoding); /* NULL is allowed */

/* The name with which it was opened. */
const char *text_encoding_name(const TextEncoding *encoding);

/* Whether the encoding has the character. NULL is UTF-8, which has all. */
bool text_encoding_holds(const TextEncoding *encoding, uint32_t code);

/* A file in memory, in any encoding. */
typedef struct {
    const char *name; /* for messages */
    const char *bytes;
    size_t size;
} DocumentFile;

/* Appends the file as UTF-8; a byte order mark becomes that of UTF-8. Returns ERR_FORMAT, with the name of the file and
 * the line, if the file is not valid in the encoding, if text_encoding_append() would make other bytes of the result,
 * or if the result has more than `limit` bytes. */
MUST_USE Status text_encoding_decode(TextEncoding *encoding, const DocumentFile *file, size_t limit, Buf *out,
                                     Err *err);

/* Appends a part of a document, which is valid UTF-8 as a whole, in the encoding. Returns ERR_FORMAT and names the
 * character if the encoding does not have it. */
MUST_USE Status text_encoding_append(TextEncoding *encoding, const char *text, size_t length, Buf *out, Err *err);

/* Appends what belongs after the last part; the next one begins another document. */
MUST_USE Status text_encoding_end(TextEncoding *encoding, Buf *out, Err *err);

#endif
