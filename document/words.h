/* words.h - divides a text into the words that alignments count. A word is a run of characters without white space. In
 * Han, kana and Thai, which are written without spaces, each character is a word, together with the combining marks
 * after it. */
#ifndef DRAGOMAN_WORDS_H
#define DRAGOMAN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the next word of text[0..len), valid UTF-8: the first one that begins at *end or later. Sets *begin and
 * *end and returns true, or returns false if there is none. Start with *end 0. */
bool words_next(const char *text, size_t len, size_t *begin, size_t *end);

/* Whether the word should differ from its translation: it begins with a lower-case letter or a letter of a script
 * without case, and has no digit, point, @ or slash before its end. Names, numbers and addresses are not ordinary. */
bool words_is_ordinary(const char *word, size_t len);

/* Whether text[0..len) has a letter or a digit of any script. */
bool words_has_letter_or_digit(const char *text, size_t len);

#endif
