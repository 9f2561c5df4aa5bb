/* number_scan.h - finds the numbers of a text: the rules are in number_check.h. */
#ifndef DRAGOMAN_NUMBER_SCAN_H
#define DRAGOMAN_NUMBER_SCAN_H

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
    bool is_month;                  /* of number_scan_words(): the name of a month */
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
    Buf values;
    Number *items; /* [count], in the order of the text */
    size_t count, capacity;
    DigitGroup *groups; /* [group_count], of the number that is being read */
    size_t group_count, group_capacity;
    size_t odd_count;    /* numbers whose separators no language writes like this: 05,08.02 and 16:000 */
    Range odd;           /* the first of them */
    bool has_multiplier; /* a number is followed by a character that multiplies it */
} NumberList;

/* Sets *list to the numbers of text[0..length), valid UTF-8. */
MUST_USE Status number_scan(NumberList *list, const char *text, size_t length, Err *err);
/* Sets *list to the numbers that are written as English or German words, months among them; half and halb are 2, and
 * 30 as minutes; a quarter and Viertel are 4, and 15 and 45. */
MUST_USE Status number_scan_words(NumberList *list, const char *text, size_t length, Err *err);
void number_list_free(NumberList *list);

#endif
