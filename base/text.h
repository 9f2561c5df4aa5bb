/* text.h - small functions on NUL-terminated strings. */
#ifndef DRAGOMAN_TEXT_H
#define DRAGOMAN_TEXT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static inline bool text_begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static inline bool text_ends_with(const char *text, const char *suffix)
{
    const size_t len = strlen(text), size = strlen(suffix);

    return len >= size && memcmp(text + len - size, suffix, size) == 0;
}

/* Like text_ends_with(), but ignores case. */
static inline bool text_ends_with_case(const char *text, const char *suffix)
{
    const size_t len = strlen(text), size = strlen(suffix);

    return len >= size && strcasecmp(text + len - size, suffix) == 0;
}

/* Removes blanks and carriage returns at the end of the text. Returns the text after those at its beginning. */
static inline char *text_trim(char *text)
{
    static const char spaces[] = " \t\r";
    size_t len;

    text += strspn(text, spaces);
    len = strlen(text);
    while (len && strchr(spaces, text[len - 1])) len--;
    text[len] = '\0';
    return text;
}

/* Orders versions, such as "1.9" before "1.10": below 0 if `a` is older than `b`, above 0 if it is newer. */
static inline int text_compare_versions(const char *a, const char *b)
{
    for (;;) {
        char *a_end, *b_end;
        const long x = strtol(a, &a_end, 10), y = strtol(b, &b_end, 10);
        if (x != y) return x > y ? 1 : -1;
        if (*a_end != '.' || *b_end != '.') return (*a_end == '.') - (*b_end == '.');
        a = a_end + 1;
        b = b_end + 1;
    }
}

/* Returns the plural ending of a noun: "%zu line%s", count, plural(count). */
static inline const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

#endif
