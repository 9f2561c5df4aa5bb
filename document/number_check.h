/* number_check.h - compares the numbers of a text with those of its translation.
 *
 * Numbers are compared by value, whatever the script of their digits: 1,234.5 is 1.234,5 and 1 234,5.
 * - A separator before three digits, after one to three digits, groups them: 1.234 is 1234. A point or comma that
 *   differs from the separators before it is that of a decimal fraction, whose last zeros do not count: 5.0 is 5.
 *   If the separators of digits are neither, as in dates and versions, their parts are numbers; so are those of 10:30,
 *   of 10.30, which may be a time, too, and of 1/2. 5.50 is 5.5 if one of the texts has 5.5.
 * - Groups of two digits before one of three are Indian: 1,00,000 is 100000. .5 is 0.5. Signs are not compared.
 * - Each number counts as often as it occurs. Numbers up to 12 may be missing on one side, where they are words. So may
 *   larger ones if that side has them as English or German words: 2:30 is halb drei.
 * - If both languages are English or German, numbers from 2 to 12 have to be words on the other side: those of months,
 *   ordinals and the like count, too.
 * - A translation must not have more numbers with separators that no language writes, as 05,08.02 and 16:000, than its
 *   source.
 * - An hour from 1 to 11, before a colon or pm, may be an hour from 13 to 23, and 12 may be 0; not one before am.
 * - 1.5 million is 1,500,000. Texts in which a character multiplies a number, as in Chinese, are not compared.
 * Kept parts are in both texts, so their numbers never differ. */
#ifndef DRAGOMAN_NUMBER_CHECK_H
#define DRAGOMAN_NUMBER_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

typedef struct {
    size_t value,
        length; /* in NumberList.values: digits from 0 to 9, without leading zeros; a fraction after a point */
    size_t decimal, decimal_length; /* of an hour as in 5.50: the value as a fraction, 5.5; length 0: none */
    Range place;                    /* in the text */
    bool is_hour;                   /* followed by a colon or pm, or by minutes and pm */
    bool is_morning;                /* an hour before am */
    bool is_minute;                 /* after a colon */
    bool is_in_date;                /* beside a full stop, slash or hyphen with digits after it: 05 in 05.08 */
    bool is_month;                  /* of words: the name of a month */
    bool is_in_word;                /* after a letter of ASCII: m2, CO2 */
    bool is_multiplied;             /* followed by thousand, million ... */
} Number;

/* Digits between two separators. */
typedef struct {
    size_t value, length; /* in NumberList.values */
    Range place;
    bool is_after_space, is_after_point;
    uint32_t separator; /* before it */
} DigitGroup;

/* Starts as {0}, is reused, and ends with number_list_free(). */
typedef struct {
    Number *data; /* [len], in the order of the text */
    size_t len, cap;
    bool failed;
    Buf values;
    LIST_OF(DigitGroup) groups; /* of the number that is being read */
    size_t odd_count;           /* numbers whose separators no language writes like this: 05,08.02 and 16:000 */
    Range odd;                  /* the first of them */
    bool has_multiplier;        /* a number is followed by a character that multiplies it */
} NumberList;

/* Sets *list to the numbers of text[0..length), valid UTF-8. */
MUST_USE Status number_scan(NumberList *list, const char *text, size_t length, Err *err);
void number_list_free(NumberList *list);

/* The memory for comparisons. Starts as {0} and ends with number_check_free(). */
typedef struct {
    NumberList source, translation, words;
    Buf difference;
    bool knows_words; /* number_check_set_languages() */
} NumberCheck;

/* Sets *difference to the first numbers that differ, as "1,500 in the text, 15 in its translation"; it is valid until
 * the next call. NULL: the numbers are the same. The texts are valid UTF-8. */
MUST_USE Status number_check_compare(NumberCheck *check, const char *source, size_t source_length,
                                     const char *translation, size_t translation_length, const char **difference,
                                     Err *err);
/* Says what the languages of both texts are, as tags or codes; NULL: not known, as at the beginning. */
void number_check_set_languages(NumberCheck *check, const char *source, const char *translation);

void number_check_free(NumberCheck *check);

#endif
