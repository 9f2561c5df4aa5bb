/* keep_rules.h - finds the parts of a text that its translation has to contain as they are: what the user names, and in
 * documents also what the built-in patterns find and what the format marks.
 *
 * Parts that overlap become one. White space at an end of a part is not kept if it separates the part from a word. */
#ifndef DRAGOMAN_KEEP_RULES_H
#define DRAGOMAN_KEEP_RULES_H

#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "ranges.h"

/* Not for several threads at once. */
typedef struct KeepRules KeepRules; /* fields: keep_rules.c */

/* Rules without a pattern. On OK the caller owns *out. */
MUST_USE Status keep_rules_new(KeepRules **out, Err *err);
void keep_rules_free(KeepRules *rules); /* NULL is allowed */

/* Adds a regular expression (keep_expression.h), which must stay valid. Returns ERR_USAGE if it is invalid. */
MUST_USE Status keep_rules_add_expression(KeepRules *rules, const char *expression, Err *err);

/* The most bytes of a file of words: far more than any list, but /dev/zero ends there. */
#define KEEP_FILE_BYTES ((size_t)1 << 26)

/* Adds the words in a file and takes it over (keep_words.h). Returns ERR_FORMAT, with the name and the line. */
MUST_USE Status keep_rules_add_words(KeepRules *rules, const char *name, Buf *file, Err *err);

/* Adds the built-in patterns (keep_patterns.h), which apply to units only. */
MUST_USE Status keep_rules_add_patterns(KeepRules *rules, Err *err);

/* Set *out to the parts of a text, valid UTF-8: in order, apart from each other, not empty. Return ERR_FORMAT if an
 * expression reaches a limit; the message does not say where. */
MUST_USE Status keep_rules_find(const KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err);
MUST_USE Status keep_rules_find_in_unit(const KeepRules *rules, const UnitText *text, RangeList *out, Err *err);

#endif
