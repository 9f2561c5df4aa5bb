/* report.c - see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "err.h"

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
