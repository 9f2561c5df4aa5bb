/* input.h - reads the input files on a thread of its own and submits each line as soon as it is complete.
 *
 * The line ending is removed and travels as the tag of the line (an Ending). A byte order mark at the start of a
 * file is removed. NUL bytes and invalid UTF-8 are replaced by U+FFFD, with a warning. A file that cannot be read is
 * reported, and reading continues with the next one. */
#ifndef DRAGOMAN_INPUT_H
#define DRAGOMAN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "err.h"

typedef struct Input Input; /* fields: input.c */

typedef struct {
    char *const *files; /* "-": standard input */
    size_t count;
    bool quiet;              /* no warnings */
    bool stop_at_unreadable; /* do not read the files after one that cannot be read */
} InputPlan;

/* Starts the thread. `dragoman` and everything that `plan` points to must stay valid until input_join(). On OK the
 * caller owns *out and frees it with input_free(). */
MUST_USE Status input_start(Input **out, const InputPlan *plan, Dragoman *dragoman, Err *err);

/* Makes the thread end soon, whatever it waits for. Call dragoman_cancel() first. */
void input_stop(Input *input);

/* Waits for the thread and sets *unreadable to the number of files that could not be read. Fails if reading ended
 * early, unless input_stop() was called. */
MUST_USE Status input_join(Input *input, size_t *unreadable, Err *err);

/* Call it after input_join(). NULL is allowed. */
void input_free(Input *input);

/* Finds the file of the line with this dragoman_line_number(), and its number in that file. */
void input_locate(Input *input, size_t number, const char **file, size_t *line);

#endif
