/* reporter.h - messages for the user. A front end shows them: the program prints them on stderr. Only code in cli/
 * prints. */
#ifndef DRAGOMAN_REPORTER_H
#define DRAGOMAN_REPORTER_H

#include <stdbool.h>
#include <stddef.h>

/* dragoman_job.h has the same lines. */
#ifndef DRAGOMAN_REPORTER_TYPE
#define DRAGOMAN_REPORTER_TYPE
typedef struct {
    void *context;
    /* Must be set. Shows one line of text, without a newline or control characters. Several threads may call it. */
    void (*warn)(void *context, const char *message);
} DragomanReporter;
#endif
typedef DragomanReporter Reporter;

/* Passes the text to reporter->warn(). Control characters, which file names may contain, become '?'. Any thread may
 * call it. Does nothing if `reporter` is NULL. */
void reporter_say(const Reporter *reporter, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Passes each line of `text` on as a warning. */
void reporter_say_warnings(const Reporter *reporter, const char *text);

/* Warnings of one kind about single lines: the first few are shown, the others are only counted. One thread at a time.
 * Starts as { .reporter, .quiet }. */
typedef struct {
    const Reporter *reporter;
    bool quiet; /* show no warnings */
    size_t count;
} Warnings;

/* Counts a warning and returns whether to show it. */
bool warnings_want(Warnings *warnings);

/* Tells how many warnings were not shown, if any: "NUMBER more lines WHAT". */
void warnings_finish(const Warnings *warnings, const char *what);

#endif
