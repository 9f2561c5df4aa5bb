/* placeholders.h - finds the placeholders in a message of a program, %d, {count} or ${n}, and whether their value is a
 * number. In German, "{count} files" is "{count} Dateien", but "{name} files" is "{name}-Dateien". */
#ifndef DRAGOMAN_PLACEHOLDERS_H
#define DRAGOMAN_PLACEHOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

typedef enum {
    VALUE_NONE,   /* no placeholder */
    VALUE_ANY,    /* {0}, %1: a number or a text */
    VALUE_NUMBER, /* %d, {0:N0}, and names such as {count} and {totalPages} */
    VALUE_MESSAGE /* of ICU: {n, plural, one {# file} other {# files}} */
} PlaceholderValue;

/* The value of the placeholder at the end of a text. It is VALUE_NONE for {name} and %s, whose value is a text. */
PlaceholderValue placeholders_at_end(const char *text, size_t len);

/* Appends the numbers and messages in a text, in order. Takes time linear in `len`. */
MUST_USE Status placeholders_find(RangeList *out, const char *text, size_t len, Err *err);

#endif
