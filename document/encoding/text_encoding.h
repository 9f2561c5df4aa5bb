/* text_encoding.h - converts documents from other encodings to UTF-8 and back, with ICU. Only one thread may use a
 * TextEncoding at a time. */
#ifndef DRAGOMAN_TEXT_ENCODING_H
#define DRAGOMAN_TEXT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* Size of a buffer for the name of an encoding, with its NUL. */
#define ENCODING_NAME 48

typedef enum {
    ENCODING_UNKNOWN,
    ENCODING_UTF8,
    ENCODING_UTF16, /* with unknown byte order; UTF-16LE and UTF-16BE are ENCODING_OTHER */
    ENCODING_UTF32, /* with unknown byte order; UTF-32LE and UTF-32BE are ENCODING_OTHER */
    ENCODING_OTHER
} EncodingKind;

/* Sets a name to text[0..length) without the white space around it. A long name is cut and so becomes unknown. */
void text_encoding_set_name(char name[ENCODING_NAME], const char *text, size_t length);

/* Finds the kind of the encoding with this name. Ignores case; '_' counts as '-'. Fails only with ERR_MEMORY. */
MUST_USE Status text_encoding_kind(EncodingKind *out, const char *name, Err *err);

typedef struct TextEncoding TextEncoding; /* fields: text_encoding.c */

/* Opens an encoding of the kind ENCODING_OTHER. On OK the caller owns *out and frees it with text_encoding_free(). */
MUST_USE Status text_encoding_open(TextEncoding **out, const char *name, Err *err);
void text_encoding_free(TextEncoding *encoding); /* NULL is allowed */

/* Returns the name with which the encoding was opened. */
const char *text_encoding_name(const TextEncoding *encoding);

/* Whether the encoding has the character. NULL means UTF-8, which has all characters. */
bool text_encoding_holds(const TextEncoding *encoding, uint32_t code);

/* A file in memory, in any encoding. */
typedef struct {
    const char *name; /* for messages */
    const char *bytes;
    size_t size;
} DocumentFile;

/* Appends the file in UTF-8; a byte order mark becomes the one of UTF-8. Returns ERR_FORMAT, with file name and line,
 * if the file is invalid, if converting it back would give other bytes, or if the result exceeds `limit` bytes. */
MUST_USE Status text_encoding_decode(TextEncoding *encoding, const DocumentFile *file, size_t limit, Buf *out,
                                     Err *err);

/* Converts a part of a document to the encoding and appends it; after the last part, which may be empty, also appends
 * the bytes that the encoding needs at the end. Parts may be divided inside a character: only the whole document must
 * be valid UTF-8. Returns ERR_FORMAT and names the character if the encoding does not have it. */
MUST_USE Status text_encoding_append(TextEncoding *encoding, const char *text, size_t length, bool is_last, Buf *out,
                                     Err *err);

#endif
