/* language_name.h - finds languages by their names in English and in the languages themselves, from ICU's data:
 * "German", "Deutsch", "Brazilian Portuguese", "繁體中文". Case, accents, punctuation and word order do not matter. This
 * is slow, because ICU has 800 locales; use it only for names that are not codes. */
#ifndef DRAGOMAN_LANGUAGE_NAME_H
#define DRAGOMAN_LANGUAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "language_tag.h"

/* Writes the languages of that name to out[], at most `most`, and returns their number. */
size_t language_name_find(const char *name, LanguageTag *out, size_t most);

/* True if `name` is the English name of the language, with its script and region if the tag has them. */
bool language_name_is(const LanguageTag *tag, const char *name);

/* The number of letters or whole words by which `name` differs from a name of the language; SIZE_MAX if it is a
 * different name. */
size_t language_name_distance(const LanguageTag *tag, const char *name);

/* Writes the English name of the language in UTF-8; an empty string if ICU has none. */
#define LANGUAGE_NAME_BYTES 128
void language_name_english(const LanguageTag *tag, char out[LANGUAGE_NAME_BYTES]);

#endif
