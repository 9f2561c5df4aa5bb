/* output.h - the output of the program.
 * Bytes are collected in `buffer` and written with write(2), so that every error is noticed. A stream is written
 * directly. A regular file is first written as a temporary file (temporary_file.h). When it is complete, it replaces
 * the target; until then the old file is unchanged. */
#ifndef DRAGOMAN_OUTPUT_H
#define DRAGOMAN_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "buf.h"
#include "err.h"
#include "reporter.h"

/* What the name of an output refers to. Symbolic links are followed one by one, because each may lead to a stream:
 * /dev/stdout is a link to /proc/self/fd/1, which is the open descriptor itself and not the file that the descriptor
 * was opened from. */
typedef enum {
    TARGET_DESCRIPTOR, /* an open descriptor of this process, to which the output is written directly */
    TARGET_STREAM,     /* a FIFO, a terminal, a device or a descriptor of another process: opened, then written to */
    TARGET_FILE        /* a regular file, or a name that does not exist yet */
} TargetKind;

typedef struct {
    TargetKind kind;
    const char *name; /* as the user wrote it, for messages */
    int descriptor;   /* TARGET_DESCRIPTOR */
    char *path;       /* TARGET_STREAM, TARGET_FILE: the path after following links */
    bool exists;      /* the target exists, and `info` describes it */
    struct stat info;
} OutputTarget;

/* Finds what `name` refers to; NULL or "-" is standard output. `name` must stay valid. Opens nothing. Returns ERR_IO
 * for a folder, a loop of links and a descriptor that cannot be written. Always free *out with output_target_free(). */
MUST_USE Status output_target_find(OutputTarget *out, const char *name, Err *err);

/* Whether the target is a terminal. */
bool output_target_is_terminal(const OutputTarget *target);

void output_target_free(OutputTarget *target); /* {0} is allowed */

typedef struct {
    Buf buffer;       /* bytes that are not written yet; append here */
    bool broken_pipe; /* the reader closed the pipe: end without a message */
    int fd;           /* -1: closed */
    OutputTarget target;
    const Reporter *reporter; /* gets a warning if a temporary file cannot be removed; may be NULL */
    /* Of a regular file: */
    mode_t mode;   /* mode of a new file before the umask is applied; 0666 unless the caller changes it */
    char *path;    /* allocated path of the temporary file; NULL: there is none, or it has its final name */
    bool distant;  /* the temporary file is in another folder than the target, so it can only be copied */
    bool synced;   /* the content is on the disk */
    bool in_batch; /* the caller removes left-over files from the folder first, and syncs the folder at the end */
} Output;

/* Determines what `path` is (NULL or "-": standard output); `path` and the reporter must stay valid. Opens nothing.
 * Call output_finish() or output_abandon() at the end, also after a failure. */
MUST_USE Status output_choose(Output *out, const char *path, const Reporter *reporter, Err *err);

/* Whether the output is a regular file, which may not exist yet. */
bool output_is_file(const Output *out);

MUST_USE Status output_open(Output *out, Err *err);

MUST_USE Status output_drain(Output *out, Err *err); /* writes the buffer if it is large */
MUST_USE Status output_flush(Output *out, Err *err); /* writes the buffer */

/* Two optional steps before output_finish(), to write many regular files faster. The first one writes the rest of a
 * file. The second one syncs all files with one request to the system; output_finish() syncs those that are not synced
 * yet. */
MUST_USE Status output_prepare(Output *out, Err *err);
void output_sync_together(Output *const *outputs, size_t count);

/* Writes the rest, closes the output, and replaces the target file. If the target cannot be replaced, keeps the
 * complete file and names it in the message; if somebody has removed the complete file, saves a copy in the folder for
 * temporary files. */
MUST_USE Status output_finish(Output *out, Err *err);

/* Closes the output and removes an incomplete file. May be called after output_finish(). */
void output_abandon(Output *out);

/* Makes new names in the folder permanent. The files exist even if their folder cannot be synced. */
void replace_file_sync_folder(const char *folder);

#endif
