/* report.c - see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "err.h"
#include "text.h"

#define MAX_PRINTED 10

void report(const char *format, ...)
{
    char text[sizeof((Err *)0)->text];
    va_list args;
    Err line;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)err_set(&line, OK, "%s", text);
    fprintf(stderr, "dragoman: %s\n", line.text);
}

void notes_start(Notes *notes, bool quiet)
{
    *notes = (Notes){ .quiet = quiet };
}

bool notes_want(Notes *notes)
{
    notes->count++;
    return !notes->quiet && notes->count <= MAX_PRINTED;
}

void notes_finish(const Notes *notes, const char *what)
{
    size_t more = notes->count - MAX_PRINTED;

    if (!notes->quiet && notes->count > MAX_PRINTED) report("%zu more line%s %s", more, plural(more), what);
}
