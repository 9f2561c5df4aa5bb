/* keep_rules.h - finds the parts of a text that its translation must contain unchanged: parts that the user's words and
 * expressions match, and in documents also parts that the built-in patterns match or the format marks.
 *
 * Parts that overlap become one. White space at an end of a part is not kept if it separates the part from a word. */
#ifndef DRAGOMAN_KEEP_RULES_H
#define DRAGOMAN_KEEP_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "ranges.h"

/* Several threads may call the functions that find parts, when all rules are added. */
typedef struct KeepRules KeepRules; /* fields: keep_rules.c */

/* Creates rules without words, expressions and patterns. On OK the caller owns *out. */
MUST_USE Status keep_rules_new(KeepRules **out, Err *err);
void keep_rules_free(KeepRules *rules); /* NULL is allowed */

/* Adds a regular expression (PCRE2), which must stay valid. Letters, digits and \w are those of Unicode. Returns
 * ERR_USAGE, with the expression and the number of the wrong character, if it is invalid. */
MUST_USE Status keep_rules_add_expression(KeepRules *rules, const char *expression, Err *err);

/* The most bytes of a file of words. No list is so long, but reading /dev/zero must end. */
#define KEEP_FILE_BYTES ((size_t)1 << 26)

/* The longest phrase, in bytes. It bounds the time for each place in a text. */
#define KEEP_WORD_BYTES ((size_t)1000)

/* Adds the words and phrases in a file and takes it over. Each line has one; white space around it and blank lines are
 * skipped. A phrase does not match where it begins or ends inside a word: between two letters, digits, marks or
 * underscores. In scripts without spaces, such as Han and Thai, it matches everywhere. If several phrases of the file
 * begin at a place, the longest one is taken. Case matters. Returns ERR_FORMAT, with `name` and the line, if the file
 * is not UTF-8 or a phrase is too long. */
MUST_USE Status keep_rules_add_words(KeepRules *rules, const char *name, Buf *file, Err *err);

/* Whether a word of text[0..length), valid UTF-8, continues at byte `at`. */
bool keep_words_divides_word(const char *text, size_t length, size_t at);

/* Adds the built-in patterns (keep_patterns.h), which only keep_rules_find_in_unit() uses. */
MUST_USE Status keep_rules_add_patterns(KeepRules *rules, Err *err);

/* Set *out to the kept parts of a text, valid UTF-8: in order, not overlapping, not empty. Return ERR_FORMAT if an
 * expression reaches a limit; the message does not say where. keep_rules_find() uses only the user's rules. */
MUST_USE Status keep_rules_find(KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err);
MUST_USE Status keep_rules_find_in_unit(KeepRules *rules, const UnitText *text, RangeList *out, Err *err);

/* --- The parts of all units of a document that translations keep. */

/* Starts as {0} and ends with kept_items_free(). */
typedef struct {
    RangeList ranges; /* the kept parts of all units */
    size_t *ends;     /* [unit_count], the end of each unit's parts in `ranges` */
} KeptItems;

/* Finds the kept parts of the units that are to be translated. Returns ERR_FORMAT, with `name` and the line, if an
 * expression reaches a limit. */
MUST_USE Status kept_items_find(KeptItems *items, KeepRules *rules, const Document *document, const char *name,
                                Err *err);
void kept_items_free(KeptItems *items);

/* Returns the kept parts of the unit's source (keep_rules_find_in_unit()); NULL if *count is 0, as it is before
 * kept_items_find(). */
const Range *kept_items_of(const KeptItems *items, size_t unit, size_t *count);

#endif
