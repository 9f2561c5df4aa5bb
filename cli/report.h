/* report.h - messages on stderr. */
#ifndef DRAGOMAN_REPORT_H
#define DRAGOMAN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "dragoman: ", the text and a newline with one call. Control characters, which file names may contain, are
 * replaced by '?'. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports each line of `text` as a warning. */
void report_warnings(const char *text);

/* Warnings of one kind about single lines: prints the first few and counts the others. Not for several threads at
 * once. */
typedef struct {
    bool quiet;
    size_t count;
} Warnings;

void warnings_start(Warnings *warnings, bool quiet);

/* Counts a warning and returns whether to print it. */
bool warnings_want(Warnings *warnings);

/* Reports how many warnings were not printed, if any: "NUMBER more lines WHAT". */
void warnings_finish(const Warnings *warnings, const char *what);

#endif
