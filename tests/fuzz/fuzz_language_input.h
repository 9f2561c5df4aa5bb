/* fuzz_language_input.h - the input of the fuzzers of languages: the languages of a model, with a space between any
 * two, a newline, and what the user wants. Languages after the first MOST_NAMES are ignored. */
#ifndef DRAGOMAN_FUZZ_LANGUAGE_INPUT_H
#define DRAGOMAN_FUZZ_LANGUAGE_INPUT_H

#include "fuzz_support.h"

#define MOST_NAMES 16

typedef struct {
    char *items[MOST_NAMES];
    size_t count;
} Names;

static inline const char *name_at(const void *list, size_t index)
{
    return ((const Names *)list)->items[index];
}

/* Splits a copy of the input, and returns the copy, which the caller frees; *names and *wanted point into it. *wanted
 * is NULL if the input has no newline. */
static inline char *names_read(Names *names, char **wanted, const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *rest = NULL;

    require(text != NULL, "memory", "a text");
    names->count = 0;
    *wanted = strchr(text, '\n');
    if (*wanted) *(*wanted)++ = '\0';
    for (char *name = strtok_r(text, " ", &rest); name && names->count < MOST_NAMES; name = strtok_r(NULL, " ", &rest))
        names->items[names->count++] = name;
    return text;
}

#endif
