/* chars.h - white space as most formats define it, the letters and digits of ASCII, hexadecimal digits, words, columns,
 * and the hints in words. */
#ifndef DRAGOMAN_CHARS_H
#define DRAGOMAN_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool char_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool char_is_newline(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool char_is_space(char c)
{
    return char_is_blank(c) || char_is_newline(c);
}

static inline bool char_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool char_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool char_is_letter(char c)
{
    return char_is_lower(c) || char_is_upper(c);
}

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool char_is_alphanumeric(char c)
{
    return char_is_letter(c) || char_is_digit(c);
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int char_hex_value(char c)
{
    if (char_is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Whether text[0..length) is `word`. */
static inline bool chars_are(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Whether text[0..length) is one of the words, which end with NULL. */
static inline bool chars_are_among(const char *text, size_t length, const char *const *words)
{
    while (*words && !chars_are(text, length, *words)) words++;
    return *words;
}

/* Whether text[at..end) begins with `prefix`. */
static inline bool chars_begin(const char *text, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return at <= end && end - at >= length && memcmp(text + at, prefix, length) == 0;
}

/* Returns the byte after the first `mark` in text[at..end), or `none`. */
static inline size_t chars_after(const char *text, size_t at, size_t end, const char *mark, size_t none)
{
    while (at < end) {
        const char *found = memchr(text + at, mark[0], end - at);
        if (!found) break;
        at = (size_t)(found - text);
        if (chars_begin(text, at, end, mark)) return at + strlen(mark);
        at++;
    }
    return none;
}

/* The columns of bytes in UTF-8 without line breaks: their code points. */
static inline size_t char_columns(const char *bytes, size_t length)
{
    size_t columns = 0;

    for (size_t i = 0; i < length; i++) columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return columns;
}

/* Returns the length of the hint at the beginning of a text, a soft hyphen or a word joiner; 0: there is none. Models
 * do not know words with hints, and a translation has other words, so hints are no part of a text. */
static inline size_t char_hint_length(const char *text, size_t length)
{
    if (length >= 2 && memcmp(text, "\xc2\xad", 2) == 0) return 2;
    return length >= 3 && memcmp(text, "\xe2\x81\xa0", 3) == 0 ? 3 : 0;
}

#endif
