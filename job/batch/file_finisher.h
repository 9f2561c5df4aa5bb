/* file_finisher.h - puts complete files of a batch in the place of their targets, on a thread of its own.
 * Syncing a file to the disk takes milliseconds; meanwhile the writer of the batch goes on with the next files. All
 * files that wait are synced together. */
#ifndef DRAGOMAN_FILE_FINISHER_H
#define DRAGOMAN_FILE_FINISHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "err.h"
#include "failures.h"
#include "file_list.h"
#include "output.h"

typedef struct FileFinisher FileFinisher; /* fields: file_finisher.c */

/* Starts the thread. A file that cannot be finished is added to `failures`, which must stay valid. On OK the caller
 * owns *out. */
MUST_USE Status file_finisher_start(FileFinisher **out, Failures *failures, Err *err);

/* A complete output that is not yet on the disk. */
typedef struct {
    Output output;
    const BatchFile *file; /* that was translated or copied; must stay valid */
    struct stat read;      /* the source when it was opened; it must not have changed since */
    bool is_copy;
} CompleteOutput;

/* Takes over an output. Blocks while too many are waiting. */
void file_finisher_add(FileFinisher *finisher, const CompleteOutput *output);

typedef struct {
    size_t translated, copied;
} FinishedFiles;

/* Waits until all files are finished, syncs their folders, and frees the finisher. Returns the numbers of files
 * that were finished without a failure. NULL is allowed. */
FinishedFiles file_finisher_end(FileFinisher *finisher);

#endif
