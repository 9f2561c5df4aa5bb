/* chars.h - white space as most formats define it, the letters and digits of ASCII, hexadecimal digits, words, hints
 * (soft hyphens and word joiners), and cursors, with which formats read texts. */
#ifndef DRAGOMAN_CHARS_H
#define DRAGOMAN_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "ranges.h"

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

/* Whether the character is in the list; NUL never is. */
static inline bool char_is_among(char c, const char *list)
{
    return c && strchr(list, c);
}

/* Whether the byte continues a character of UTF-8 that began before it. */
static inline bool char_goes_on(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The value of a hexadecimal digit; -1: not a hexadecimal digit. */
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

/* Whether text[0..length) is one of the words of a list, which are separated by spaces. */
static inline bool chars_are_among(const char *text, size_t length, const char *list)
{
    while (*list) {
        size_t size = 0; /* for words this short, strcspn() takes twice as long as the whole loop */
        while (list[size] && list[size] != ' ') size++;
        if (size == length && memcmp(text, list, size) == 0) return true;
        for (list += size; *list == ' ';) list++;
    }
    return false;
}

/* Like chars_are_among(), for words in lower case and a text in upper or lower case. */
static inline bool chars_are_in(const char *text, size_t length, const char *list)
{
    while (*list) {
        size_t size = 0;
        while (list[size] && list[size] != ' ') size++;
        if (size == length && strncasecmp(text, list, size) == 0) return true;
        for (list += size; *list == ' ';) list++;
    }
    return false;
}

/* Whether text[at..end) begins with `prefix`. */
static inline bool chars_begin(const char *text, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return at <= end && end - at >= length && memcmp(text + at, prefix, length) == 0;
}

/* Whether text[at..end) ends with `suffix`. */
static inline bool chars_end(const char *text, size_t at, size_t end, const char *suffix)
{
    const size_t length = strlen(suffix);

    return at <= end && end - at >= length && memcmp(text + end - length, suffix, length) == 0;
}

/* Whether two texts are the same. A text without bytes may be NULL. */
static inline bool chars_are_equal(LineText one, LineText other)
{
    return one.len == other.len && (!one.len || memcmp(one.data, other.data, one.len) == 0);
}

/* Like chars_begin(), but ignores the case of ASCII letters. */
static inline bool chars_begin_case(const char *text, size_t at, size_t end, const char *prefix)
{
    const size_t length = strlen(prefix);

    return at <= end && end - at >= length && strncasecmp(text + at, prefix, length) == 0;
}

/* Returns the place of the first `c` in text[at..end), or `end`. */
static inline size_t chars_find(const char *text, size_t at, size_t end, char c)
{
    const char *found = memchr(text + at, c, end - at);

    return found ? (size_t)(found - text) : end;
}

/* Returns the byte after the line at text[at] and its newline; at most `end`. */
static inline size_t chars_next_line(const char *text, size_t at, size_t end)
{
    const size_t newline = chars_find(text, at, end, '\n');

    return newline + (newline < end);
}

/* Returns the byte after the first `mark` in text[at..end), or `none`. */
static inline size_t chars_after(const char *text, size_t at, size_t end, const char *mark, size_t none)
{
    for (; at < end && (at = chars_find(text, at, end, mark[0])) < end; at++)
        if (chars_begin(text, at, end, mark)) return at + strlen(mark);
    return none;
}

/* Returns the byte after a byte order mark of UTF-8 at the beginning of text[at..end), or `at`. */
static inline size_t chars_skip_mark(const char *text, size_t at, size_t end)
{
    return at + (chars_begin(text, at, end, "\xef\xbb\xbf") ? 3 : 0);
}

/* Return the byte after the blanks, or after all white space, at the beginning of text[at..end). */
static inline size_t chars_skip_blanks(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_blank(text[at])) at++;
    return at;
}

static inline size_t chars_skip_space(const char *text, size_t at, size_t end)
{
    while (at < end && char_is_space(text[at])) at++;
    return at;
}

/* Returns the first byte of text[at..end) that is not in the list, or `end`. */
static inline size_t chars_skip(const char *text, size_t at, size_t end, const char *list)
{
    while (at < end && char_is_among(text[at], list)) at++;
    return at;
}

/* Returns the length of the line break that begins at text[at]: LF, CR or CR LF; 0: there is none. */
static inline size_t chars_break_length(const char *text, size_t at, size_t end)
{
    if (at >= end || !char_is_newline(text[at])) return 0;
    return at + 1 < end && text[at] == '\r' && text[at + 1] == '\n' ? 2 : 1;
}

/* Returns the end of text[at..end) without the white space at its end. */
static inline size_t chars_trimmed_end(const char *text, size_t at, size_t end)
{
    while (end > at && char_is_space(text[end - 1])) end--;
    return end;
}

/* Returns text[at..end) without the white space at its ends. */
static inline Range chars_trimmed(const char *text, size_t at, size_t end)
{
    at = chars_skip_space(text, at, end);
    return (Range){ at, chars_trimmed_end(text, at, end) };
}

/* Writes text[0..length) in lower case to out[most], and returns its length; 0 if it is longer than `most`. */
static inline size_t chars_lower(const char *text, size_t length, char *out, size_t most)
{
    if (length > most) return 0;
    for (size_t i = 0; i < length; i++) out[i] = (char)(char_is_upper(text[i]) ? text[i] | 0x20 : text[i]);
    return length;
}

/* Returns `end`, but at most `most` bytes after byte `at`: a limit for reading, so that it takes linear time. */
static inline size_t chars_limit(size_t at, size_t end, size_t most)
{
    return end - at < most ? end : at + most;
}

/* Returns the number of characters of a text in UTF-8. */
static inline size_t chars_count(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) count += !char_goes_on(text[i]);
    return count;
}

/* Returns the length of the hint at the beginning of a text, a soft hyphen or a word joiner; 0: there is none. Hints
 * are not part of a text, because models do not know words with hints, and a translation has other words. */
static inline size_t char_hint_length(const char *text, size_t length)
{
    if (length >= 2 && memcmp(text, "\xc2\xad", 2) == 0) return 2;
    return length >= 3 && memcmp(text, "\xe2\x81\xa0", 3) == 0 ? 3 : 0;
}

/* --- A text and the byte at which the functions read on. */

typedef struct {
    const char *text;
    size_t at, end;
} TextCursor;

/* The next character; NUL: the text has ended. */
static inline char cursor_char(const TextCursor *c)
{
    return c->at < c->end ? c->text[c->at] : '\0';
}

static inline bool cursor_begins(const TextCursor *c, const char *prefix)
{
    return chars_begin(c->text, c->at, c->end, prefix);
}

/* If the next character is in the list, moves over it and returns true. */
static inline bool cursor_take(TextCursor *c, const char *list)
{
    const bool is_there = char_is_among(cursor_char(c), list);

    c->at += is_there;
    return is_there;
}

/* Moves over all characters in the list, and returns how many there were. */
static inline size_t cursor_skip(TextCursor *c, const char *list)
{
    const size_t begin = c->at;

    c->at = chars_skip(c->text, c->at, c->end, list);
    return c->at - begin;
}

#define CURSOR_DIGITS "0123456789"

#endif
