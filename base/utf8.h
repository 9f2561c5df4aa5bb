/* utf8.h - decoding and encoding of UTF-8. */
#ifndef DRAGOMAN_UTF8_H
#define DRAGOMAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first code point of text[0..len), len > 0, to *code and returns its length in bytes. If the bytes are not
 * well-formed (Unicode 15, table 3-7), *code is UTF8_INVALID and the return value is the length of the maximal
 * ill-formed subpart, at least 1. Replace each such subpart by one U+FFFD, as the Unicode standard (3.9, "best
 * practice") and browsers do. */
#define UTF8_INVALID UINT32_MAX
size_t utf8_next(const char *text, size_t len, uint32_t *code);

/* Decodes the code point that ends before byte `at`, which is above 0, as utf8_next() does, and returns where it
 * begins. */
size_t utf8_previous(const char *text, size_t at, uint32_t *code);

/* The code point that begins at byte `at` of text[0..len); 0: the text ends there. */
uint32_t utf8_code_at(const char *text, size_t len, size_t at);

/* The code point that ends before byte `at`; 0: the text begins there. */
uint32_t utf8_code_before(const char *text, size_t at);

/* Writes a code point (not a surrogate) as UTF-8 and returns the number of bytes. */
size_t utf8_put(uint32_t code, char out[4]);

/* Whether the code point has the property White_Space of Unicode 15. */
bool utf8_is_white_space(uint32_t code);

/* Whether Python's str.split() and str.strip() treat the code point as white space: utf8_is_white_space(), and the
 * separators U+001C to U+001F. */
bool utf8_is_space(uint32_t code);

/* Returns the number of bytes before the first ill-formed sequence; `len` if there is none. */
size_t utf8_valid_length(const char *text, size_t len);
/* Like utf8_valid_length(), but also stops before a NUL byte: before the first byte that buf_put_clean() replaces. */
size_t utf8_clean_length(const char *text, size_t len);

/* Return the number of bytes of white space (utf8_is_space()) at the beginning and end of text[0..len). */
size_t utf8_leading_space(const char *text, size_t len);
size_t utf8_trailing_space(const char *text, size_t len);
/* Whether text[0..len) is empty or only white space. */
bool utf8_is_blank(const char *text, size_t len);

/* Returns the number of words in text[0..len): runs of code points that are not white space (utf8_is_space()). A run
 * of Chinese, Japanese or Thai, which put no space between words, is one word. */
size_t utf8_count_words(const char *text, size_t len);

#endif
