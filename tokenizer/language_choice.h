/* language_choice.h - finds the language of a model that the user means. Tries `wanted` as a code (language.h), then
 * as a BCP 47 tag or POSIX locale (language_tag.h), then as a name (language_name.h). */
#ifndef DRAGOMAN_LANGUAGE_CHOICE_H
#define DRAGOMAN_LANGUAGE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

#define LANGUAGE_CODE 24

/* The names of the model's languages. */
typedef struct {
    const char *(*name)(const void *list, size_t index);
    const void *list;
    size_t count;
} LanguageList;

/* Appends the indexes of the languages that `wanted` means: none, one, or several that fit equally well. */
MUST_USE Status language_choose(IdList *out, const char *wanted, LanguageList all, Err *err);

/* True if `wanted` means the language `name`. */
bool language_fits(const char *wanted, const char *name);

/* The index of the language whose name is closest to `wanted`; -1 if none is close. */
int language_closest(const char *wanted, LanguageList all);

/* Writes the English name of a model's language in UTF-8; an empty string if it is unknown. */
#define LANGUAGE_DESCRIBED 128
void language_describe(const char *name, char out[LANGUAGE_DESCRIBED]);

/* Returns a code for the language that the user named, or `wanted` itself if it is not a known name. The result may
 * point into `room`. */
const char *language_code(const char *wanted, char room[LANGUAGE_CODE]);

#endif
