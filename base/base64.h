/* base64.h - decoding of base64 (RFC 4648, section 4). */
#ifndef DRAGOMAN_BASE64_H
#define DRAGOMAN_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Decodes text[0..len) and appends the bytes. If a character or the padding ('=' to a multiple of 4)
 * is invalid, *valid is false and nothing is appended. */
MUST_USE Status base64_append(Buf *out, const char *text, size_t len, bool *valid, Err *err);

#endif
