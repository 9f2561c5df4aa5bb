/* notes.c - see notes.h. */
#include "notes.h"

#include "plural.h"
#include "report.h"

#define MAX_PRINTED 10

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
