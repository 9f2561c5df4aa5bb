/* language_choice.h - which of a model's languages a user means, by whatever name he gives it: a code
 * (language.h), a tag of BCP 47 or a POSIX locale (language_tag.h), a name (language_name.h), tried in this order. */
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

/* Appends the indexes of the languages that `wanted` means: none, the one, or several that fit equally well. */
MUST_USE Status language_choose(IdList *out, const char *wanted, LanguageList all, Err *err);

/* Whether `wanted` means the language of that name. */
bool language_fits(const char *wanted, const char *name);

/* The language whose name is the closest to `wanted`, an index; -1: none is close. */
int language_closest(const char *wanted, LanguageList all);

/* The English name of a model's language, in UTF-8; empty where none is known. */
#define LANGUAGE_DESCRIBED 128
void language_describe(const char *name, char out[LANGUAGE_DESCRIBED]);

/* A code for what the user calls a language, or his word where it is no name. `room` may hold the code. */
const char *language_code(const char *wanted, char room[LANGUAGE_CODE]);

#endif
