/* file_finisher.c - see file_finisher.h. */
#include "file_finisher.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "input_change.h"
#include "path.h"
#include "temporary_file.h"
#include "thread.h"

#define MOST_WAITING ((size_t)30)
#define OTHER_FILES  ((size_t)32) /* open files of the process that are not waiting, with room to spare */
_Static_assert(2 * MOST_WAITING + 1 < TEMPORARY_FILES_MOST, "a signal must find all temporary files");

typedef struct {
    CompleteOutput complete;
    bool failed; /* and was reported */
} FinishingFile;

struct FileFinisher {
    Failures *failures;
    pthread_t thread;
    char *folder; /* of the file that was finished last */
    FinishedFiles finished;
    FinishingFile group[MOST_WAITING]; /* the files that the thread is finishing */
    pthread_mutex_t lock;              /* guards the fields below */
    pthread_cond_t added, taken;
    CompleteOutput files[MOST_WAITING];
    size_t count, limit;
    bool ended; /* no more files will be added */
};

/* Syncs the folder of the file before when a file of another one follows, or at the end if `path` is NULL. */
static void sync_previous_folder(FileFinisher *f, const char *path)
{
    char *folder = path ? path_folder(path) : NULL;

    if (f->folder && folder && strcmp(f->folder, folder) == 0) {
        free(folder);
        return;
    }
    if (f->folder) replace_file_sync_folder(f->folder);
    free(f->folder);
    f->folder = folder;
}

/* The target gets its time at its last write. If the source did not change before that, --resume notices every later
 * change. */
static Status check_source(const CompleteOutput *complete, Err *err)
{
    struct stat now;

    if (stat(complete->file->source, &now) != 0 || !input_is_changed(&complete->read, &now)) return OK;
    return err_set(err, ERR_IO, "%s: " INPUT_CHANGED, complete->file->source);
}

static void prepare(FileFinisher *f, FinishingFile *file)
{
    Err err;
    Status st = output_prepare(&file->complete.output, &err);

    if (st == OK) st = check_source(&file->complete, &err);
    file->failed = st != OK;
    if (file->failed) failures_add(f->failures, err.text);
}

static void sync_group(FinishingFile *files, size_t count)
{
    Output *outputs[MOST_WAITING];
    size_t prepared = 0;

    for (size_t i = 0; i < count; i++)
        if (!files[i].failed) outputs[prepared++] = &files[i].complete.output;
    output_sync_together(outputs, prepared);
}

static void finish(FileFinisher *f, FinishingFile *file)
{
    CompleteOutput *complete = &file->complete;
    Err err;

    if (!file->failed) {
        if (output_finish(&complete->output, &err) != OK)
            failures_add(f->failures, err.text);
        else if (complete->is_copy)
            f->finished.copied++;
        else
            f->finished.translated++;
        sync_previous_folder(f, complete->file->target);
    }
    output_abandon(&complete->output);
}

/* Waits for files and takes all that are there. Returns 0 after the last one. */
static size_t take(FileFinisher *f)
{
    size_t count;

    pthread_mutex_lock(&f->lock);
    while (!f->count && !f->ended) pthread_cond_wait(&f->added, &f->lock);
    count = f->count;
    for (size_t i = 0; i < count; i++) f->group[i] = (FinishingFile){ .complete = f->files[i] };
    f->count = 0;
    pthread_cond_signal(&f->taken);
    pthread_mutex_unlock(&f->lock);
    return count;
}

static void *finish_all(void *argument)
{
    FileFinisher *f = argument;
    size_t count;

    while ((count = take(f))) {
        for (size_t i = 0; i < count; i++) prepare(f, &f->group[i]);
        sync_group(f->group, count);
        for (size_t i = 0; i < count; i++) finish(f, &f->group[i]);
    }
    sync_previous_folder(f, NULL);
    return NULL;
}

/* The number of files that may wait: each is open, and as many again are being finished. */
static size_t waiting_limit(void)
{
    struct rlimit files;
    size_t limit;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return MOST_WAITING;
    limit = files.rlim_cur > OTHER_FILES + 2 ? ((size_t)files.rlim_cur - OTHER_FILES) / 2 : 1;
    return limit < MOST_WAITING ? limit : MOST_WAITING;
}

Status file_finisher_start(FileFinisher **out, Failures *failures, Err *err)
{
    FileFinisher *f = calloc(1, sizeof *f);
    int fault;

    *out = NULL;
    if (!f) return err_memory(err, "the output files");
    f->failures = failures;
    f->limit = waiting_limit();
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->added, NULL);
    pthread_cond_init(&f->taken, NULL);
    fault = thread_start_masked(&f->thread, finish_all, f);
    if (fault) {
        free(f);
        return err_set(err, ERR_IO, "cannot start a thread for the output files: %s", strerror(fault));
    }
    *out = f;
    return OK;
}

void file_finisher_add(FileFinisher *f, const CompleteOutput *output)
{
    pthread_mutex_lock(&f->lock);
    while (f->count == f->limit) pthread_cond_wait(&f->taken, &f->lock);
    f->files[f->count++] = *output;
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
}

FinishedFiles file_finisher_end(FileFinisher *f)
{
    FinishedFiles finished = { 0, 0 };

    if (!f) return finished;
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    finished = f->finished;
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->added);
    pthread_cond_destroy(&f->taken);
    free(f);
    return finished;
}
