/* report.h - messages on stderr. */
#ifndef DRAGOMAN_REPORT_H
#define DRAGOMAN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "reporter.h"

/* Sets the name of the program, a constant, for the beginning of messages; without it, the name is dragoman. Also opens
 * /dev/null in place of each standard stream that is closed, so that no other file gets its number. It is opened in the
 * wrong direction, so that using it fails and is noticed. Call it before anything else is opened or started. */
void report_start(const char *name);

/* Writes the name, a colon, the text and a newline with one system call. Control characters, which file names may
 * contain, are replaced by '?'. Any thread may call it. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether stderr is a terminal that can erase a line. A terminal with TERM=dumb cannot. */
bool report_can_show_status(void);

/* Shows `text` as the last line of the terminal, in place of the previous text; NULL removes the line. Messages appear
 * above it. Call it only if report_can_show_status(). The text must fit in one line of the terminal and may contain
 * escape sequences for colours. It is copied. Any thread may call it. */
void report_set_status(const char *text);

/* A Reporter that calls report(). The program passes it to functions that must not print themselves. */
extern const Reporter program_reporter;

#endif
