/* utf8.h - Unicode text as bytes. */
#ifndef DRAGOMAN_UTF8_H
#define DRAGOMAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first code point of text[0..len), len > 0. Returns the bytes it
 * takes; *code is its value. For a byte sequence that is not well-formed
 * (Unicode 15, table 3-7) *code is UTF8_INVALID, and the return value is the
 * length of the maximal ill-formed subpart, at least 1: one U+FFFD each is
 * what the Unicode standard (3.9, "best practice") and browsers do. */
#define UTF8_INVALID UINT32_MAX
size_t utf8_next(const char *text, size_t len, uint32_t *code);

/* Writes the bytes of a code point (no surrogate) and returns their number. */
size_t utf8_put(uint32_t code, char out[4]);

/* White space, as Python's str.split() and str.strip() know it. */
bool utf8_is_space(uint32_t code);

/* The bytes of text[0..len) before the first one that buf_append_clean() replaces; len: none. */
size_t utf8_clean_length(const char *text, size_t len);

/* The bytes of white space (utf8_is_space()) at the ends of text[0..len). */
size_t utf8_leading_space(const char *text, size_t len);
size_t utf8_trailing_space(const char *text, size_t len);

#endif
