/* output.h - where the translations go.
 * Bytes are gathered in `buffer` and written with write(2), so that every
 * failure is seen. A regular file is written under another name in the same
 * folder and renamed when it is complete; until then the old file stays. */
#ifndef DRAGOMAN_OUTPUT_H
#define DRAGOMAN_OUTPUT_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

typedef struct {
    Buf buffer;       /* what is not written yet: append here */
    bool broken_pipe; /* the reader has gone: end without a message */
    int fd;           /* -1: closed */
    const char *name; /* for messages */
    char *target;     /* the name it gets when complete; NULL: written directly */
    char *temporary;  /* the name it has until then */
} Output;

/* Opens `path` (NULL or "-": standard output), which must stay valid. End
 * with output_finish() or output_abandon(), also after a failure. */
MUST_USE Status output_open(Output *out, const char *path, Err *err);

/* Writes the buffer out: when it is large; at once. */
MUST_USE Status output_drain(Output *out, Err *err);
MUST_USE Status output_flush(Output *out, Err *err);

/* Writes the rest, closes and renames. */
MUST_USE Status output_finish(Output *out, Err *err);

/* Closes and removes what is not complete. Allowed after output_finish(). */
void output_abandon(Output *out);

#endif
