/* number_text.h - numbers in texts, and other parts that no language writes differently. Texts are valid UTF-8. */
#ifndef DRAGOMAN_NUMBER_TEXT_H
#define DRAGOMAN_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* Appends the parts of the text that are the same in every language, in ascending order: numbers of five or more digits
 * without separators; telephone numbers, IBANs, dates of ISO 8601 and versions of three parts; codes of capitals and at
 * least three digits (KB5034441, AB-1234); coordinates (52.5200, 13.4050; 52°31'12") and signs of degrees (°C); URLs,
 * mail addresses and names of files; paths (C:\dir\x, %NAME%\x, /usr/x). A part whose digits a language may write
 * otherwise, such as 12,500 or 3:45 pm, is none. */
MUST_USE Status number_text_find_fixed(RangeList *parts, LineText text, Err *err);

/* Appends all numbers of the text, in ascending order, each with its separators: 1,234.5, 10:30, 2010-2015. "pm" and
 * the like belong to the number before them, and so do units and single letters (5km, 12a). Another number that is a
 * part of a word (2nd, 20er, MP3) is none. */
MUST_USE Status number_text_find_numbers(RangeList *parts, LineText text, Err *err);

bool number_text_has_digits(LineText text);

/* How a language writes 1,234.5. */
typedef enum { NUMBERS_UNKNOWN, NUMBERS_WITH_POINT, NUMBERS_WITH_COMMA } NumberStyle;

NumberStyle number_text_style(const char *language); /* a tag or a code; NULL: not known */

/* Replaces the separators of a number in the first style by those of the second one: 1,234.5 becomes 1.234,5. Text that
 * is no such number does not change. */
void number_text_adapt(char *number, size_t len, NumberStyle from, NumberStyle to);

#endif
