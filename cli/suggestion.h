/* suggestion.h - what a mistyped word was meant to be. */
#ifndef DRAGOMAN_SUGGESTION_H
#define DRAGOMAN_SUGGESTION_H

#include <stddef.h>

#define SUGGESTION_FAR ((size_t)-1)

/* How many letters of word[0, len) have to be put in, left out or changed to get `name`; SUGGESTION_FAR when these
 * are so many that it is another word. */
size_t suggestion_distance(const char *word, size_t len, const char *name);

#endif
