/* output_target.h - what the name of an output file refers to.
 * Symbolic links are followed one by one, because each may lead to a stream: /dev/stdout is a link to /proc/self/fd/1,
 * which is the open descriptor itself and not the file that the descriptor was opened from. */
#ifndef DRAGOMAN_OUTPUT_TARGET_H
#define DRAGOMAN_OUTPUT_TARGET_H

#include <stdbool.h>
#include <sys/stat.h>

#include "err.h"

typedef enum {
    TARGET_DESCRIPTOR, /* an open descriptor of this process, written directly */
    TARGET_STREAM,     /* a FIFO, a terminal, a device or the descriptor of another process, opened and written */
    TARGET_FILE        /* a regular file, or a name that does not exist yet */
} TargetKind;

typedef struct {
    TargetKind kind;
    const char *name; /* as the user wrote it, for messages */
    int descriptor;   /* TARGET_DESCRIPTOR */
    char *path;       /* path of the other kinds, with links resolved */
    bool exists;      /* the target exists, and `info` describes it */
    struct stat info;
} OutputTarget;

/* `name` (NULL or "-": standard output) must stay valid. Opens nothing. Returns ERR_IO for a folder, a loop of
 * links and a descriptor that cannot be written. Always free *out with output_target_free(). */
MUST_USE Status output_target_find(OutputTarget *out, const char *name, Err *err);

/* Whether what is written there appears on a terminal. */
bool output_target_is_terminal(const OutputTarget *target);

void output_target_free(OutputTarget *target); /* {0} is allowed */

#endif
