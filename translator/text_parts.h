/* text_parts.h - parts of a text that a model should not translate: numbers, text that is the same in every language,
 * and text that the vocabulary lacks. Texts are valid UTF-8. */
#ifndef DRAGOMAN_TEXT_PARTS_H
#define DRAGOMAN_TEXT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* Appends the parts of the text that are the same in every language, in ascending order: numbers of five or more digits
 * without separators; telephone numbers, IBANs, dates of ISO 8601 and versions of three parts; codes of capitals and at
 * least three digits (KB5034441, AB-1234); hexadecimal numbers (0x1F, hashes, UUIDs) and 6.022e23; coordinates
 * (52.5200, 13.4050; 52°31'12") and signs of degrees (°C); URLs, mail addresses and names of files; paths (C:\dir\x,
 * %NAME%\x, /usr/x); rules and blanks of one mark (-----, _____). A part whose digits a language may write otherwise,
 * such as 12,500 or 3:45 pm, is not appended. */
MUST_USE Status text_parts_find_fixed(RangeList *parts, LineText text, Err *err);

/* Appends all numbers of the text, in ascending order, each with its separators: 1,234.5, 10:30, 2010-2015. "pm" and
 * the like belong to the number before them, and so do units and single letters (5km, 12a). Another number that is a
 * part of a word (2nd, 20er, MP3) is not appended. */
MUST_USE Status text_parts_find_numbers(RangeList *parts, LineText text, Err *err);

/* Returns the unit in or after the number that all languages with Latin letters write in the same way: km, GB. Empty:
 * it has none. */
Range text_parts_unit(LineText text, Range number);

/* Returns the number with its unit, with a percent sign or the sign of a currency beside it, or with § before it. */
Range text_parts_with_sign(LineText text, Range number);

bool text_parts_has_digits(LineText text);

/* Whether the character is a letter or a digit. */
bool text_parts_is_letter(uint32_t code);
/* Whether the text has these bytes at byte `at` (text_parts_are_at()) or anywhere (text_parts_contain()). */
bool text_parts_are_at(LineText text, size_t at, const char *bytes);
bool text_parts_contain(LineText text, const char *what);

/* How a language writes 1,234.5. Spanish writes it as German does but, in Mexico, as English does. NUMBERS_MIXED is
 * like NUMBERS_WITH_COMMA, but 1,500 in the source keeps its separator, because it may be either number. */
typedef enum { NUMBERS_UNKNOWN, NUMBERS_WITH_POINT, NUMBERS_WITH_COMMA, NUMBERS_MIXED } NumberStyle;

NumberStyle text_parts_number_style(const char *language); /* a tag or a code; NULL: not known */

/* Whether a number of the first style has another value in the second one: 1,500 is one and a half in German. False for
 * 1.5 and 1.500 of English, which may be versions. */
bool text_parts_reads_otherwise(LineText number, NumberStyle from, NumberStyle to);

/* Replaces the separators of a number in the first style by those of the second one: 1,234.5 becomes 1.234,5, and
 * 1,500-2,000 becomes 1.500-2.000. The number may have a sign (text_parts_with_sign()). Other text does not change. */
void text_parts_adapt_number(char *number, size_t len, NumberStyle from, NumberStyle to);

/* Appends the parts of the text that a model cannot read, in ascending order: letters and symbols for which its
 * vocabulary has no pieces. A model drops them, or writes anything in their place. Of a word, only such letters are
 * appended; kept_text.h adds the rest of the word.
 *
 * If the vocabulary spells unknown characters with byte pieces, letters of the Latin script do not count: names are
 * full of them, and models learn to copy their bytes. Dashes, quotation marks and ASCII never count, except ^, | and ~
 * and emoji such as 1️⃣. The digits of a number belong to the sign beside them (€5, ~5, 5″), unless the number has
 * separators, which models translate; operands belong to ^ (2^10) and single letters to | (a|b); and an address or a
 * path is found as a whole if it contains ^, | or ~.
 *
 * Raised and lowered digits, fractions and digits in circles always count, since normalization turns them into ordinary
 * digits (5² becomes 52). The number, letter or unit before a raised digit (5², x², km²) and the formula around a
 * lowered one (H₂O) belong to it, but not other words before a raised digit, which is a footnote (word¹).
 *
 * The source of the tokenizer must not be a list of words (TokenizerFacts.source_is_words). */
MUST_USE Status text_parts_find_unknown(RangeList *parts, LineText text, const Tokenizer *tokenizer, Err *err);

#endif
