/* message_format.h - the apostrophes of Java's MessageFormat: '' is one, and a single one quotes what follows up to the
 * next: '{'name'}' is {name}. */
#ifndef DRAGOMAN_MESSAGE_FORMAT_H
#define DRAGOMAN_MESSAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "escaped_tags.h"

/* Whether a string has an argument, {0}, and single apostrophes only around braces or what is in braces. Others say
 * that a program does not read it with MessageFormat: Can't open {0}. */
bool message_format_is_one(EscapedReader *read, const char *bytes, size_t length);

/* Reads a character of such a string: '' is an apostrophe; one that quotes a brace is one part with it. */
EscapedPart message_format_read(EscapedReader *read, const char *bytes, size_t length);

/* Whether the part has the apostrophes that the string needs around it, whatever is beside it. */
bool message_format_keeps(const char *spelling, size_t length);

#endif
