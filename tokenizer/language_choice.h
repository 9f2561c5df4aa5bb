/* language_choice.h - finds the language of a model that the user means. Tries `wanted` as a code (language.h), then
 * as a BCP 47 tag or POSIX locale (language_tag.h), then as a name (language_name.h). All functions fail only if
 * memory runs out. */
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

/* Sets *out to whether `wanted` means the language `name`. */
MUST_USE Status language_fits(bool *out, const char *wanted, const char *name, Err *err);

/* Sets *out to the index of the language whose name is closest to `wanted`; -1 if none is close. */
MUST_USE Status language_closest(int *out, const char *wanted, LanguageList all, Err *err);

/* Writes the English name of a model's language in UTF-8; an empty string if it is unknown. */
#define LANGUAGE_DESCRIBED 128
MUST_USE Status language_describe(char out[LANGUAGE_DESCRIBED], const char *name, Err *err);

/* Sets *out to a code for the language that the user named, or to `wanted` itself if it is neither a known name nor a
 * token (>>deu<<). It may point into `room`. */
MUST_USE Status language_code(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err);

#endif
