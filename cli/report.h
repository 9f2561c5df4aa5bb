/* report.h - lines on stderr. */
#ifndef DRAGOMAN_REPORT_H
#define DRAGOMAN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "dragoman: ", the text and a newline in one piece. Control
 * characters, as a file name may hold them, come out as '?'. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes of one kind about single lines: the first few are printed, the rest is counted. One thread at a time. */
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
