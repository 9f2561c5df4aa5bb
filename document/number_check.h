/* number_check.h - compares the numbers of a text with those of its translation.
 *
 * Numbers are compared by value, whatever the script of their digits: 1,234.5 is 1.234,5 and 1 234,5.
 * - A separator after one to three digits and before three digits groups them: 1.234 is 1234. A point or comma that
 *   differs from the separators before it begins a decimal fraction. Zeros at its end do not count: 5.0 is 5.
 * - With other separators, each run of digits is a number: in dates, versions, 1/2, 10:30, and 10.30, which may be a
 *   time. But 5.50 is 5.5 if one of the texts has 5.5.
 * - Two-digit groups before a three-digit group are Indian: 1,00,000 is 100000. .5 is 0.5. Signs are not compared.
 * - Each number counts as often as it occurs. Numbers up to 12 may be missing on one side, because they may be words
 *   there. Larger numbers may be missing if that side has them as English or German words: 2:30 is halb drei.
 * - Exception: if both languages are English or German, a number from 2 to 12 may be missing only if the other side has
 *   it as a word. The names of months, ordinals and the like count as numbers.
 * - A translation must not have more numbers with odd separators, such as 05,08.02 and 16:000, than its source.
 * - An hour from 1 to 11 before a colon or pm, but not before am, may be 13 to 23 in the other text, and 12 may be 0.
 * - 1.5 million is 1,500,000. Texts in which a character multiplies a number, as in Chinese, are not compared.
 * Kept parts are in both texts, so their numbers never differ. */
#ifndef DRAGOMAN_NUMBER_CHECK_H
#define DRAGOMAN_NUMBER_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Starts as {0}; its owner frees `difference`. */
typedef struct {
    bool knows_words; /* number_check_set_languages() */
    Buf difference;   /* the text that number_check_compare() returns */
} NumberCheck;

/* Sets *difference to the first numbers that differ, as "1,500 in the text, but 15 in the translation", or to NULL if
 * the numbers are the same. It is valid until the next call. The texts are valid UTF-8. */
MUST_USE Status number_check_compare(NumberCheck *check, const char *source, size_t source_length,
                                     const char *translation, size_t translation_length, const char **difference,
                                     Err *err);
/* Sets the languages of both texts, as tags or codes. NULL: not known, as before the first call. */
void number_check_set_languages(NumberCheck *check, const char *source, const char *translation);

#endif
