/* nearest.h - finds the name that the user probably meant by a mistyped word. */
#ifndef DRAGOMAN_NEAREST_H
#define DRAGOMAN_NEAREST_H

#include <stddef.h>

/* The best name so far. Starts as {0}; `name` stays NULL if no name is near. */
typedef struct {
    const char *name;
    size_t distance;
} Nearest;

/* Keeps `candidate` if it is nearer to word[0, len) than all earlier candidates. */
void nearest_add(Nearest *best, const char *word, size_t len, const char *candidate);

#endif
