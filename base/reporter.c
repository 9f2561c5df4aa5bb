/* reporter.c - see reporter.h. */
#include "reporter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "text.h"

#define MOST_SAID 10

void reporter_say(const Reporter *reporter, const char *format, ...)
{
    va_list args;
    Err line;

    if (!reporter) return;
    va_start(args, format);
    (void)err_set_list(&line, OK, format, args);
    va_end(args);
    reporter->warn(reporter->context, line.text);
}

void reporter_say_warnings(const Reporter *reporter, const char *text)
{
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1) reporter_say(reporter, "warning: %.*s", (int)(end - text), text);
}

bool warnings_want(Warnings *warnings)
{
    warnings->count++;
    return !warnings->quiet && warnings->count <= MOST_SAID;
}

void warnings_finish(const Warnings *warnings, const char *what)
{
    const size_t more = warnings->count - MOST_SAID;

    if (!warnings->quiet && warnings->count > MOST_SAID)
        reporter_say(warnings->reporter, "%zu more line%s %s", more, plural(more), what);
}
