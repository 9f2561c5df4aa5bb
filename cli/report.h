/* report.h - messages on stderr. */
#ifndef DRAGOMAN_REPORT_H
#define DRAGOMAN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "dragoman: ", the text and a newline with one system call. Control characters, which file names may contain,
 * are replaced by '?'. Any thread may call it. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether stderr is a terminal that can erase a line, as one that is "dumb" cannot. */
bool report_can_show_status(void);

/* Shows `text` as the last line of the terminal, or shows another text there; NULL removes the line. Messages appear
 * above it. Only if report_can_show_status(). The text must fit in one line of the terminal and may contain escape
 * sequences for colours. It is copied. Any thread may call it. */
void report_set_status(const char *text);

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
