/* base64.h - bytes written as text (RFC 4648, section 4). */
#ifndef DRAGOMAN_BASE64_H
#define DRAGOMAN_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Appends the bytes that text[0..len) stands for. *valid is false, and nothing
 * is appended, when a character or the padding ('=' to a multiple of 4) is
 * wrong. */
MUST_USE Status base64_append(Buf *out, const char *text, size_t len, bool *valid, Err *err);

#endif
