/* notes.h - notes of one kind about single lines: the first few are printed,
 * the rest is counted. One thread at a time. */
#ifndef DRAGOMAN_NOTES_H
#define DRAGOMAN_NOTES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool quiet;
    size_t count;
} Notes;

void notes_start(Notes *notes, bool quiet);

/* Counts one more; true: print it. */
bool notes_want(Notes *notes);

/* Reports how many were not printed, if any: "<number> more lines <what>". */
void notes_finish(const Notes *notes, const char *what);

#endif
