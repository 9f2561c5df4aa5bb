/* placeholders.h - finds placeholders, such as %d, {count} and ${n}, in the messages of a program, and whether they
 * stand for numbers. In German, "{count} files" is "{count} Dateien", but "{name} files" is "{name}-Dateien". */
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
    VALUE_MESSAGE /* an ICU message: {n, plural, one {# file} other {# files}} */
} PlaceholderValue;

/* Returns the kind of the placeholder at the end of a text; VALUE_NONE: there is none, or it stands for a text (%s). */
PlaceholderValue placeholders_at_end(const char *text, size_t len);

/* Appends the placeholders that stand for numbers or are ICU messages, in order. Takes time linear in `len`. */
MUST_USE Status placeholders_find(RangeList *out, const char *text, size_t len, Err *err);

#endif
