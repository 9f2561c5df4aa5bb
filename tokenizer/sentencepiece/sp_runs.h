/* sp_runs.h - hands on the pieces of a text from left to right: unknown ones
 * side by side run together, or come byte by byte as <0xNN>. */
#ifndef DRAGOMAN_SP_RUNS_H
#define DRAGOMAN_SP_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* What stands for a space in pieces. */
#define SP_SPACE "\xe2\x96\x81" /* U+2581 */

/* Takes one piece (not NUL-ended). Anything but OK ends the encoding. */
typedef Status (*SpPieceFn)(void *context, const char *piece, size_t len, Err *err);

/* How, and to whom. */
typedef struct {
    bool bytes;
    SpPieceFn each;
    void *context;
} SpSink;

typedef struct {
    SpSink sink;
    const char *unknown; /* the run that is not given yet, or NULL */
    size_t unknown_len;
} SpRuns;

MUST_USE Status sp_runs_add(SpRuns *runs, const char *piece, size_t len, bool known, Err *err);
/* Behind the last piece. */
MUST_USE Status sp_runs_end(SpRuns *runs, Err *err);

#endif
