/* nearest.h - finds the name that the user probably meant by a mistyped word. */
#ifndef DRAGOMAN_NEAREST_H
#define DRAGOMAN_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_NONE SIZE_MAX

/* The best name so far. Starts as NEAREST_START; `name` stays NULL if no name is near. */
typedef struct {
    const char *name;
    size_t distance;
} Nearest;
#define NEAREST_START                                                                                                  \
    {                                                                                                                  \
        NULL, NEAREST_NONE                                                                                             \
    }

/* Keeps `candidate` if it is nearer to word[0, len) than all earlier candidates. */
void nearest_add(Nearest *best, const char *word, size_t len, const char *candidate);

#endif
