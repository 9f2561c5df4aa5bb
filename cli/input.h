/* input.h - the files to translate, one after the other, on a thread of
 * their own that hands each line in as soon as it is complete.
 *
 * What happens to a line on its way: the ending is cut off and travels as the
 * tag of the line (an Ending); a byte order mark at the start of a file is
 * dropped; NUL bytes and invalid UTF-8 become U+FFFD, with a note on stderr.
 * A file that cannot be read is reported, and the next one follows. */
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
    bool quiet;              /* no notes about single lines */
    bool stop_at_unreadable; /* the files after one that cannot be read are left alone */
} InputPlan;

/* Starts the thread. What `plan` and `dragoman` point to must stay valid
 * until input_join(). OK: the caller owns *out, ended by input_free(). */
MUST_USE Status input_start(Input **out, const InputPlan *plan, Dragoman *dragoman, Err *err);

/* Makes the thread end soon, wherever it waits. dragoman_cancel() first. */
void input_stop(Input *input);

/* Waits for the thread. *unreadable: the files that could not be read. Not
 * OK: reading has ended early (never because of input_stop()). */
MUST_USE Status input_join(Input *input, size_t *unreadable, Err *err);

/* Frees; only after input_join(). NULL is allowed. */
void input_free(Input *input);

/* The file and the line in it of the line `number` that dragoman_next() gave. */
void input_locate(Input *input, size_t number, const char **file, size_t *line);

#endif
