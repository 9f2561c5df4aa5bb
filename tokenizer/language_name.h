/* language_name.h - the names of languages in English and in the languages themselves, as ICU has them:
 * "German", "Deutsch", "Brazilian Portuguese", "繁體中文". Upper and lower case, accents, punctuation and the
 * order of words do not matter. Slow (ICU has 800 locales): for what is no code. */
#ifndef DRAGOMAN_LANGUAGE_NAME_H
#define DRAGOMAN_LANGUAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "language_tag.h"

/* The languages of that name: how many, at most `most`, are in out[]. */
size_t language_name_find(const char *name, LanguageTag *out, size_t most);

/* Whether the language, with its script and region where it has some, has that English name. */
bool language_name_is(const LanguageTag *tag, const char *name);

/* By how many letters, or whole words, `name` differs from a name of the language; SIZE_MAX: it is another name. */
size_t language_name_distance(const LanguageTag *tag, const char *name);

/* The English name of the language, in UTF-8; empty where ICU has none. */
#define LANGUAGE_NAME_BYTES 128
void language_name_english(const LanguageTag *tag, char out[LANGUAGE_NAME_BYTES]);

#endif
