/* language_name.h - finds languages by their names in English and in the languages themselves, from ICU's data:
 * "German", "Deutsch", "Brazilian Portuguese", "繁體中文". Case, accents, punctuation and word order do not matter. This
 * is slow, because ICU has 800 locales; use it only for names that are not codes. */
#ifndef DRAGOMAN_LANGUAGE_NAME_H
#define DRAGOMAN_LANGUAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "language_tag.h"

/* All of these fail only if memory runs out. */

/* Writes the languages of that name to out[], at most `most`, and their number to *count. */
MUST_USE Status language_name_find(LanguageTag *out, size_t most, size_t *count, const char *name, Err *err);

/* Sets *out to whether `name` is the English name of the language, with its script and region if the tag has them. */
MUST_USE Status language_name_is(bool *out, const LanguageTag *tag, const char *name, Err *err);

/* Sets *out to the number of letters or whole words by which `name` differs from a name of the language; SIZE_MAX if it
 * is a different name. */
MUST_USE Status language_name_distance(size_t *out, const LanguageTag *tag, const char *name, Err *err);

/* Writes the English name of the language in UTF-8; an empty string if ICU has none. */
#define LANGUAGE_NAME_BYTES 128
MUST_USE Status language_name_english(char out[LANGUAGE_NAME_BYTES], const LanguageTag *tag, Err *err);

#endif
