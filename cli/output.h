/* output.h - where the results go.
 * Bytes are gathered in `buffer` and written with write(2), so that every
 * failure is seen. A stream is written as it is. A regular file is written as a temporary file
 * (temporary_file.h), which takes its place when it is complete (replace_file.c); until then the old file stays. */
#ifndef DRAGOMAN_OUTPUT_H
#define DRAGOMAN_OUTPUT_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "output_target.h"

typedef struct {
    int fd;       /* -1: closed */
    char *path;   /* allocated; NULL: none, or under its final name */
    bool distant; /* not in the target's folder: it can only be copied */
} StagedFile;

typedef struct {
    Buf buffer;       /* what is not written yet: append here */
    bool broken_pipe; /* the reader has gone: end without a message */
    int fd;           /* -1: closed */
    OutputTarget target;
    StagedFile staged; /* of a regular file */
} Output;

/* Finds out what `path` (NULL or "-": standard output) is; it must stay valid. Opens nothing. End with
 * output_finish() or output_abandon(), also after a failure. */
MUST_USE Status output_choose(Output *out, const char *path, Err *err);

/* Whether the output is a regular file, complete or not there. */
bool output_is_file(const Output *out);

MUST_USE Status output_open(Output *out, Err *err);

MUST_USE Status output_drain(Output *out, Err *err); /* writes the buffer if it is large */
MUST_USE Status output_flush(Output *out, Err *err); /* writes the buffer */

/* Writes the rest, closes, and puts a file in its place. */
MUST_USE Status output_finish(Output *out, Err *err);

/* Closes and removes what is not complete. Allowed after output_finish(). */
void output_abandon(Output *out);

/* The last step of a regular file (replace_file.c): syncs, closes and moves the file. OK: `staged` is empty. When
 * the target could not be replaced, the complete file is kept under a name that the message says, and `staged` is
 * empty, too; a copy of it, in the folder for temporary files, if it has been removed meanwhile. After an earlier
 * failure it still has to be removed. */
MUST_USE Status replace_file(StagedFile *staged, const OutputTarget *target, Err *err);

#endif
