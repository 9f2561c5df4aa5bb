/* report.c - see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void report_warnings(const char *text)
{
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1) report("warning: %.*s", (int)(end - text), text);
}

void warnings_start(Warnings *warnings, bool quiet)
{
    *warnings = (Warnings){ .quiet = quiet };
}

bool warnings_want(Warnings *warnings)
{
    warnings->count++;
    return !warnings->quiet && warnings->count <= MAX_PRINTED;
}

void warnings_finish(const Warnings *warnings, const char *what)
{
    size_t more = warnings->count - MAX_PRINTED;

    if (!warnings->quiet && warnings->count > MAX_PRINTED) report("%zu more line%s %s", more, plural(more), what);
}
