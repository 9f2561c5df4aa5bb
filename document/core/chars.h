/* chars.h - white space as most formats define it, and the letters and digits of ASCII. */
#ifndef DRAGOMAN_CHARS_H
#define DRAGOMAN_CHARS_H

#include <stdbool.h>

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

static inline bool char_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
