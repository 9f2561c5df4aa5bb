/* reporter.h - messages for the user, which a front end shows: the program prints them on stderr. Nothing below cli/
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
 * call it. `reporter` may be NULL: nobody is told. */
void reporter_say(const Reporter *reporter, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says each line of `text` as a warning. */
void reporter_say_warnings(const Reporter *reporter, const char *text);

/* Warnings of one kind about single lines: the first few are said, the others are counted. Not for several threads at
 * once. Starts as { .reporter, .quiet }. */
typedef struct {
    const Reporter *reporter;
    bool quiet; /* no warning is said */
    size_t count;
} Warnings;

/* Counts a warning and returns whether to say it. */
bool warnings_want(Warnings *warnings);

/* Says how many warnings were not said, if any: "NUMBER more lines WHAT". */
void warnings_finish(const Warnings *warnings, const char *what);

#endif
