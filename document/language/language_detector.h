/* language_detector.h - finds out which of some possible languages a text has.
 * The result depends only on the text and the possible languages. CLD2 (cld2_shim.h) scores sequences of letters; it
 * needs about three words and cannot distinguish all languages: docs/languages.md has a table. */
#ifndef DRAGOMAN_LANGUAGE_DETECTOR_H
#define DRAGOMAN_LANGUAGE_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define LANGUAGE_UNKNOWN SIZE_MAX

/* Loads CLD2. If it is missing, returns ERR_UNSUPPORTED and says what to install. Call it before
 * language_detector_find() and language_detector_find_other(). */
MUST_USE Status language_detector_check(Err *err);

/* Sets *found to the index of the language of the text (valid UTF-8) in tags[count], or to LANGUAGE_UNKNOWN. The tags
 * are the possible languages as BCP 47 writes them: "fr", "zh-Hant", "pt-BR". */
MUST_USE Status language_detector_find(const char *const *tags, size_t count, const char *text, size_t length,
                                       size_t *found, Err *err);

/* A text with fewer bytes is too short for a sure result. */
#define LANGUAGE_SURE_BYTES 30

/* If the text is surely not in the language `tag`, sets *code to CLD2's code of its language; otherwise to NULL. A
 * language that CLD2 confuses with `tag`, such as Norwegian with Danish, is never a sure result. */
MUST_USE Status language_detector_find_other(const char *tag, const char *text, size_t length, const char **code,
                                             Err *err);

/* The languages of a text. */
#define LANGUAGE_GUESSES 3
typedef struct {
    char tag[24]; /* BCP 47 */
    int percent;  /* its share of the letters of the text */
} LanguageGuess;

/* Sets guesses[count] to the languages of the text (valid UTF-8), the largest share first; *count is 0 if no language
 * is recognized. *is_sure: CLD2 did not have to guess. */
MUST_USE Status language_detector_guess(const char *text, size_t length, LanguageGuess guesses[LANGUAGE_GUESSES],
                                        size_t *count, bool *is_sure, Err *err);

/* Whether two tags name the same language in the same script; regions do not matter. */
bool language_detector_same(const char *tag, const char *other);

/* Whether the text has a letter of any script; other texts have no language. */
bool language_has_letters(const char *text, size_t length);

/* --- Names of languages as files write them: de_AT, zh-Hant, sr@latin, DEU. */

/* Size of a buffer for such a name, with its NUL. */
#define LABEL_LANGUAGE_BYTES 64

/* Converts the name of a language to a BCP 47 tag, for language_detector_same(). Returns false and an empty tag if the
 * name does not stand for one known language, such as "", "und", "mul" and "LANGUAGE". */
bool label_language_read(const char *name, size_t length, char tag[LABEL_LANGUAGE_BYTES]);

#endif
