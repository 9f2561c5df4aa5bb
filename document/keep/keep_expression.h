/* keep_expression.h - a regular expression (PCRE2) whose matches in a text are kept.
 *
 * An expression that backtracks too much fails instead of taking forever: each attempt to match has a limit of steps
 * and a limit of depth. */
#ifndef DRAGOMAN_KEEP_EXPRESSION_H
#define DRAGOMAN_KEEP_EXPRESSION_H

#include <stddef.h>

#include "err.h"
#include "ranges.h"

typedef struct KeepExpression KeepExpression; /* fields: keep_expression.c */

/* Letters, digits and \w are those of Unicode. Returns ERR_USAGE, with the expression and the number of the wrong
 * character, if the expression is invalid. `expression` must stay valid. On OK the caller owns *out. */
MUST_USE Status keep_expression_new(KeepExpression **out, const char *expression, Err *err);
void keep_expression_free(KeepExpression *expression); /* NULL is allowed */

/* Appends the matches in text[0..length), valid UTF-8, that are not empty. Returns ERR_FORMAT if a limit is reached.
 * Not for several threads at once. */
MUST_USE Status keep_expression_find(KeepExpression *expression, const char *text, size_t length, RangeList *out,
                                     Err *err);

#endif
