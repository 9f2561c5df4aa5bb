/* json_string.h - text as a string of JSON. */
#ifndef DRAGOMAN_JSON_STRING_H
#define DRAGOMAN_JSON_STRING_H

#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Appends `text` as a JSON string with its quotes; the text is valid UTF-8. */
MUST_USE Status json_string_append(Buf *out, const char *text, size_t len, Err *err);

#endif
