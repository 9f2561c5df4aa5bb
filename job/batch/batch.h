/* batch.h - translates files into files: those that are named, and those in the folders that are named.
 *
 *     batch_plan(&batch, &request, &settings, reporter, &err)    finds the files, and what becomes of each
 *     batch_check(&batch, &err)                                  no target is a source or the target of another file
 *     dragoman_plan_run(&batch, job, hooks, &error)
 *     dragoman_plan_report(&batch); batch_free(&batch)
 *
 * A file that fails is a failure of its own: the others go on. */
#ifndef DRAGOMAN_BATCH_H
#define DRAGOMAN_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "buf.h"
#include "document_formats.h"
#include "err.h"
#include "job.h"
#include "option_fields.h"
#include "reporter.h"
#include "run.h"

typedef struct {
    char *source;    /* path, owned */
    size_t relative; /* offset in `source` of the path below the folder that was named; of the name, if `named` */
    bool named;      /* on the command line, not in a folder */
    dev_t device;
    ino_t inode;
    mode_t mode;
    off_t size;
    struct timespec modified;
    char *target;       /* path of its translation, owned */
    bool target_exists; /* as a regular file */
    dev_t target_device;
    ino_t target_inode;
    bool up_to_date; /* with `resume`: the target exists and is not older */
    InputKind kind;
} BatchFile;

/* The files that have failed, with the reasons. Several threads may add to them. */
typedef struct {
    const Reporter *reporter;
    pthread_mutex_t lock;
    Buf messages; /* one per line */
    size_t count;
} Failures;

void failures_start(Failures *failures, const Reporter *reporter);
void failures_free(Failures *failures);

/* Says the message, which names the file, and keeps it for dragoman_plan_report(). */
void failures_add(Failures *failures, const char *message);

/* The files that are skipped because they are not text to translate, by their reasons. */
#define SKIPPED_MOST_REASONS 64
typedef struct {
    const char *reason; /* constant */
    size_t count;
} SkippedKind;

typedef struct DragomanPlan {
    DragomanBatch request;
    const DragomanOptions *options;
    const Reporter *reporter;
    SpellingReporter spelling_reporter;
    bool quiet, verbose;
    BatchFile *files; /* [count] */
    size_t count, capacity;
    size_t *todo; /* [todo_count], indices of those that are not up to date */
    size_t todo_count;
    DragomanInput *inputs; /* [todo_count] */
    Failures failures;
    size_t skipped;
    SkippedKind skipped_kinds[SKIPPED_MOST_REASONS]; /* [skipped_kind_count] */
    size_t skipped_kind_count;
    size_t translated, copied;
} Batch;

/* Finds the files, their formats and targets and, for `resume`, those that are up to date. Files and folders that
 * cannot be examined are failures. Returns ERR_USAGE if the output folder is not a folder. Nothing is written. What the
 * arguments point to must stay valid. Always free *out with batch_free(). */
MUST_USE Status batch_plan(Batch *out, const DragomanBatch *request, const DragomanOptions *settings,
                           const Reporter *reporter, Err *err);

/* Returns ERR_USAGE if two files would be translated into the same file, or if one would be overwritten by its own
 * translation or by that of another file. */
MUST_USE Status batch_check(const Batch *batch, Err *err);

void batch_free(Batch *batch);

/* --- Parts of the above, in batch_files.c. */

/* The first part of batch_plan(): finds the files and describes them. */
MUST_USE Status batch_find_files(Batch *batch, const DragomanOptions *settings, Err *err);

/* Creates the folders that the target of the file needs. A new folder gets the mode of the corresponding folder of the
 * source, and is always writable for its owner. Returns ERR_IO if it cannot be created. */
MUST_USE Status batch_make_folders(const DragomanBatch *request, const BatchFile *file, Err *err);

#endif
