/* chars.h - white space as most formats define it. */
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

#endif
