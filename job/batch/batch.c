/* batch.c - see batch.h. batch_files.c finds the files.
 *
 * The calling thread writes what the run gives (run.h) into temporary files. A thread of its own puts them in the place
 * of their targets: syncing a file to the disk takes milliseconds, and meanwhile the next files are written. All files
 * that wait are synced together. */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "document_choice.h"
#include "document_encoding.h"
#include "output.h"
#include "path.h"
#include "public_status.h"
#include "temporary_file.h"
#include "text.h"
#include "thread.h"

#define MOST_NAMED   3 /* reasons in the report of skipped files */
#define COPY_BYTES   8192
#define MOST_WAITING ((size_t)30)
#define OTHER_FILES  ((size_t)32) /* open files of the process that are not waiting, with room to spare */
_Static_assert(2 * MOST_WAITING + 1 < TEMPORARY_FILES_MOST, "a signal must find all temporary files");

/* --- Failures and skipped files ---------------------------------------------- */

void failures_start(Failures *failures, const Reporter *reporter)
{
    *failures = (Failures){ .reporter = reporter };
    pthread_mutex_init(&failures->lock, NULL);
}

void failures_free(Failures *failures)
{
    pthread_mutex_destroy(&failures->lock);
    buf_free(&failures->messages);
}

/* Without memory for the list, the message is only said and counted. */
void failures_add(Failures *failures, const char *message)
{
    reporter_say(failures->reporter, "%s", message);
    pthread_mutex_lock(&failures->lock);
    failures->count++;
    buf_put_format(&failures->messages, "%s\n", message);
    pthread_mutex_unlock(&failures->lock);
}

/* Counts the reason. Those that do not fit count as the last one. */
static void count_reason(Batch *b, const char *reason)
{
    size_t i = 0;

    while (i < b->skipped_kind_count && strcmp(b->skipped_kinds[i].reason, reason) != 0) i++;
    if (i == SKIPPED_MOST_REASONS) i--;
    if (i == b->skipped_kind_count) b->skipped_kinds[b->skipped_kind_count++].reason = reason;
    b->skipped_kinds[i].count++;
    b->skipped++;
}

/* Counts a file that is skipped. With `verbose`, and if the user has named the file, says the reason. */
static void skip_file(Batch *b, const BatchFile *file)
{
    const char *reason = file->kind.other, *guess = NULL;
    char head[FILE_HEAD_BYTES];

    if (!reason) {
        const DocumentFile text = { file->source, head, binary_file_head(file->source, head) };
        guess = document_encoding_guess(&text);
        reason = !guess && memchr(head, 0, text.size) ? "text with NUL bytes" : "not UTF-8 text";
    }
    count_reason(b, reason);
    if (!b->verbose && (!file->named || b->quiet)) return;
    reporter_say(b->reporter, "%s%s: skipped: %s%s%s%s", file->named ? "warning: " : "", file->source, reason,
                 guess ? "; it may be in " : "", guess ? guess : "",
                 guess ? ": name its encoding with " SETTING(ENCODING) : "");
}

static int compare_counts(const void *a, const void *b)
{
    const SkippedKind *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->reason, y->reason);
}

/* Says how many files were skipped, with the most frequent reasons. */
static void report_skipped(Batch *b)
{
    const size_t named = b->skipped_kind_count < MOST_NAMED ? b->skipped_kind_count : MOST_NAMED;
    size_t others = b->skipped;
    Buf text = { 0 };

    if (!b->skipped || b->quiet) return;
    qsort(b->skipped_kinds, b->skipped_kind_count, sizeof *b->skipped_kinds, compare_counts);
    for (size_t i = 0; i < named; i++) {
        others -= b->skipped_kinds[i].count;
        buf_put_format(&text, "%s%s", i ? ", " : "", b->skipped_kinds[i].reason);
        if (b->skipped_kind_count > 1) buf_put_format(&text, " (%zu)", b->skipped_kinds[i].count);
    }
    if (others) buf_put_format(&text, ", others (%zu)", others);
    reporter_say(b->reporter, "%zu file%s skipped: %s (%ssee --others)", b->skipped, plural(b->skipped),
                 buf_check(&text, NULL) == OK ? text.data : "not text to translate",
                 b->verbose ? "" : "-v names each; ");
    buf_free(&text);
}

void dragoman_plan_report(DragomanPlan *b)
{
    const char *at = b->failures.messages.data, *end;

    report_skipped(b);
    if (b->failures.count) reporter_say(b->reporter, "%zu failure%s:", b->failures.count, plural(b->failures.count));
    for (; at && (end = strchr(at, '\n')); at = end + 1) reporter_say(b->reporter, "  %.*s", (int)(end - at), at);
}

/* --- The plan ---------------------------------------------------------------- */

Status batch_plan(Batch *b, const DragomanBatch *request, const DragomanOptions *settings, const Reporter *reporter,
                  Err *err)
{
    Status st;

    *b = (Batch){ .request = *request, .options = settings, .quiet = settings->quiet, .verbose = settings->verbose };
    b->reporter = spelling_reporter_start(&b->spelling_reporter, reporter, settings->spelling);
    failures_start(&b->failures, b->reporter);
    st = batch_find_files(b, settings, err);
    if (st != OK) return st;
    b->todo = calloc(b->count + 1, sizeof *b->todo);
    b->inputs = calloc(b->count + 1, sizeof *b->inputs);
    if (!b->todo || !b->inputs) return err_memory(err, "the list of files");
    for (size_t i = 0; i < b->count; i++) {
        if (b->files[i].up_to_date) continue;
        b->inputs[b->todo_count] = (DragomanInput){ .path = b->files[i].source };
        b->todo[b->todo_count++] = i;
    }
    return OK;
}

void batch_free(Batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->files[i].source);
        free(b->files[i].target);
    }
    free(b->files);
    free(b->todo);
    free(b->inputs);
    failures_free(&b->failures);
}

/* Removes the temporary files that killed processes have left in the folders of the targets. */
static Status clean_folders(const Batch *b, Err *err)
{
    char *last = NULL;

    for (size_t i = 0; i < b->count; i++) {
        char *folder = path_folder(b->files[i].target);
        if (folder && (!last || strcmp(last, folder) != 0)) temporary_file_remove_left(folder, NULL);
        free(last);
        last = folder;
        if (!folder) return err_memory(err, "a path");
    }
    free(last);
    return OK;
}

/* Fails if the memory of the job, if there is one, is one of the files or targets. */
static Status check_memory(const Batch *b, const DragomanJob *job, Err *err)
{
    for (size_t i = 0; job && job->memory && i < b->todo_count; i++) {
        const BatchFile *file = &b->files[b->todo[i]];
        const char *found = memory_is_at(job->memory, file->source)   ? file->source
                            : memory_is_at(job->memory, file->target) ? file->target
                                                                      : NULL;
        if (found) return err_set(err, ERR_USAGE, "%s is the translation memory; leave it out with --exclude", found);
    }
    return OK;
}

/* --- Finishing files --------------------------------------------------------- */

/* A complete output that is not yet on the disk. */
typedef struct {
    Output output;
    const BatchFile *file; /* that was translated or copied */
    struct stat read;      /* the source when it was opened; it must not have changed since */
    bool is_copy;
} CompleteOutput;

typedef struct {
    CompleteOutput complete;
    bool failed; /* and was reported */
} FinishingFile;

typedef struct {
    Batch *batch;
    pthread_t thread;
    char *folder;                      /* of the file that was finished last */
    FinishingFile group[MOST_WAITING]; /* the files that the thread is finishing */
    pthread_mutex_t lock;              /* guards the fields below */
    pthread_cond_t added, taken;
    CompleteOutput files[MOST_WAITING];
    size_t count, limit;
    bool ended; /* no more files will be added */
} FileFinisher;

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
    if (file->failed) failures_add(&f->batch->failures, err.text);
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
            failures_add(&f->batch->failures, err.text);
        else if (complete->is_copy)
            f->batch->copied++;
        else
            f->batch->translated++;
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

static Status finisher_start(FileFinisher **out, Batch *batch, Err *err)
{
    FileFinisher *f = calloc(1, sizeof *f);
    int fault;

    *out = NULL;
    if (!f) return err_memory(err, "the output files");
    f->batch = batch;
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

/* Takes over an output. Blocks while too many are waiting. */
static void finisher_add(FileFinisher *f, const CompleteOutput *output)
{
    pthread_mutex_lock(&f->lock);
    while (f->count == f->limit) pthread_cond_wait(&f->taken, &f->lock);
    f->files[f->count++] = *output;
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
}

/* Waits until all files are finished, and syncs their folders. */
static void finisher_end(FileFinisher *f)
{
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    pthread_cond_signal(&f->added);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->added);
    pthread_cond_destroy(&f->taken);
    free(f);
}

/* --- Writing files ----------------------------------------------------------- */

typedef struct {
    Batch *batch;
    DragomanRun *run;
    const DragomanBatchHooks *hooks;
    FileFinisher *finisher;
    bool has_failed; /* the current file, and it was reported */
    bool is_open;    /* `out` is in use */
    Output out;
} BatchWriter;

static const BatchFile *file_of(const Batch *b, const DragomanItem *item)
{
    return &b->files[b->todo[item->file]];
}

static void close_output(BatchWriter *w)
{
    if (w->is_open) output_abandon(&w->out);
    w->is_open = false;
}

static void fail_file(BatchWriter *w, size_t file, const char *message)
{
    failures_add(&w->batch->failures, message);
    w->has_failed = true;
    dragoman_run_drop(w->run, file);
    close_output(w);
}

static Status open_target(BatchWriter *w, const BatchFile *file, Err *err)
{
    Status st = batch_make_folders(&w->batch->request, file, err);

    if (st == OK) st = output_choose(&w->out, file->target, w->batch->reporter, err);
    if (st != OK) return st;
    if (!output_is_file(&w->out)) return err_set(err, ERR_IO, "%s: not a regular file", file->target);
    w->out.mode = (file->mode & (mode_t)0777) | S_IWUSR;
    w->out.staged.in_batch = true;
    return output_open(&w->out, err);
}

/* Opens the output of a file, unless the file has failed. */
static void open_output(BatchWriter *w, const DragomanItem *item)
{
    Err reason;

    if (w->is_open || w->has_failed) return;
    w->is_open = true;
    w->out = (Output){ .staged = { .fd = -1 }, .fd = -1 };
    if (open_target(w, file_of(w->batch, item), &reason) != OK) fail_file(w, item->file, reason.text);
}

static void hand_over(BatchWriter *w, const DragomanItem *item, bool is_copy)
{
    if (!w->is_open) return;
    finisher_add(w->finisher, &(CompleteOutput){ .output = w->out,
                                                 .file = file_of(w->batch, item),
                                                 .read = run_result(w->run, item->file)->info,
                                                 .is_copy = is_copy });
    w->is_open = false;
}

static Status copy_file(BatchWriter *w, const char *source, Err *err)
{
    const int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char chunk[COPY_BYTES];
    Status st = OK;

    if (fd < 0) return err_set(err, ERR_IO, "%s: %s", source, strerror(errno));
    for (ssize_t n = 1; st == OK && n;) {
        n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno != EINTR) st = err_set(err, ERR_IO, "%s: %s", source, strerror(errno));
        if (n > 0) buf_put(&w->out.buffer, chunk, (size_t)n);
        if (st == OK) st = buf_check(&w->out.buffer, err);
        if (st == OK) st = output_drain(&w->out, err);
    }
    close(fd);
    return st;
}

static void end_other_file(BatchWriter *w, const DragomanItem *item)
{
    const BatchFile *file = file_of(w->batch, item);
    Err reason;

    if (!w->batch->request.copies_others) {
        skip_file(w->batch, file);
        return;
    }
    open_output(w, item);
    if (w->is_open && copy_file(w, file->source, &reason) != OK) fail_file(w, item->file, reason.text);
    hand_over(w, item, true);
}

static Status write_item(BatchWriter *w, const DragomanItem *item, Err *err)
{
    DragomanError error;
    const char *text = item->bytes;
    size_t length = item->size;
    Err reason;
    Status st = OK;

    open_output(w, item);
    if (!w->is_open) return OK;
    if (item->kind == DRAGOMAN_ITEM_LINE && !w->hooks->format)
        st = run_append_line(&w->out.buffer, item, err);
    else if (item->kind == DRAGOMAN_ITEM_LINE)
        st = public_status(w->hooks->format(w->hooks->context, item, &text, &length, &error), &error, err);
    if (st == OK && text) buf_put(&w->out.buffer, text, length);
    if (st == OK) st = buf_check(&w->out.buffer, err);
    if (st == OK && output_drain(&w->out, &reason) != OK) fail_file(w, item->file, reason.text);
    return st;
}

static Status take_item(BatchWriter *w, const DragomanItem *item, Err *err)
{
    const uint64_t size = (uint64_t)file_of(w->batch, item)->size;
    const bool is_over = item->kind == DRAGOMAN_ITEM_FILE || item->kind == DRAGOMAN_ITEM_OTHER;
    const uint64_t read = is_over ? run_result(w->run, item->file)->bytes : size;
    Status st = OK;

    if (w->hooks->watch) w->hooks->watch(w->hooks->context, item, read < size ? size - read : 0);
    switch (item->kind) {
    case DRAGOMAN_ITEM_FAULT:
        fail_file(w, item->file, item->message);
        break;
    case DRAGOMAN_ITEM_OTHER:
        end_other_file(w, item);
        break;
    case DRAGOMAN_ITEM_FILE:
        open_output(w, item); /* a file without lines is not open yet */
        hand_over(w, item, false);
        break;
    default:
        st = write_item(w, item, err);
    }
    if (is_over) w->has_failed = false;
    return st;
}

static Status write_files(BatchWriter *w, Err *err)
{
    DragomanItem item;
    Status st = run_next(w->run, &item, err);

    while (st == OK && item.kind != DRAGOMAN_ITEM_END) {
        st = take_item(w, &item, err);
        if (st == OK) st = run_next(w->run, &item, err);
    }
    return st;
}

static Status translate(Batch *b, DragomanJob *job, const DragomanBatchHooks *hooks, Err *err)
{
    BatchWriter w = { .batch = b, .hooks = hooks };
    InputKind *kinds = calloc(b->todo_count + 1, sizeof *kinds);
    Status st = kinds ? finisher_start(&w.finisher, b, err) : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < b->todo_count; i++) kinds[i] = b->files[b->todo[i]].kind;
    if (st == OK) st = run_start(&w.run, job, b->inputs, b->todo_count, (DragomanRunRules){ .each = true }, kinds, err);
    if (st == OK) st = write_files(&w, err);
    close_output(&w);
    dragoman_run_end(w.run, st != OK);
    if (w.finisher) finisher_end(w.finisher);
    free(kinds);
    return st;
}

/* --- dragoman_job.h ------------------------------------------------------------ */

DragomanStatus dragoman_plan_new(DragomanPlan **out, const DragomanBatch *request, const DragomanOptions *options,
                                 const DragomanReporter *reporter, DragomanError *error)
{
    Batch *b = calloc(1, sizeof *b);
    Err err;
    Status st = b ? batch_plan(b, request, options, reporter, &err) : err_memory(&err, "the list of files");

    if (st == OK) st = batch_check(b, &err);
    *out = st == OK ? b : NULL;
    if (st != OK) dragoman_plan_free(b);
    return option_fields_answer(st, &err, options->spelling, error);
}

void dragoman_plan_free(DragomanPlan *b)
{
    if (b) batch_free(b);
    free(b);
}

bool dragoman_plan_file(const DragomanPlan *b, size_t index, DragomanPlanned *out)
{
    const BatchFile *file = index < b->count ? &b->files[index] : NULL;

    if (!file) return false;
    *out = (DragomanPlanned){ .source = file->source,
                              .target = file->target,
                              .format = document_choice_describe(file->kind.format),
                              .is_other = file->kind.other,
                              .up_to_date = file->up_to_date };
    return true;
}

const DragomanInput *dragoman_plan_inputs(const DragomanPlan *b, size_t *count)
{
    *count = b->todo_count;
    return b->inputs;
}

static Status check_text(const char *path, bool *is_text, Err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Err reason;
    Status st = fd >= 0 ? input_check_text(fd, is_text, &reason) : err_set(&reason, ERR_IO, "%s", strerror(errno));

    if (fd >= 0) close(fd);
    return st == OK ? OK : err_set(err, st, "%s: %s", path, reason.text);
}

/* A document that is not text fails when it is translated. */
const char *dragoman_plan_examine(DragomanPlan *b, size_t index, const char **format)
{
    const BatchFile *file = &b->files[index];
    bool is_text = false;
    Err reason;

    if (!file->kind.other && check_text(file->source, &is_text, &reason) != OK) {
        failures_add(&b->failures, reason.text);
        return NULL;
    }
    is_text = is_text || file->kind.format;
    *format = is_text ? document_choice_describe(file->kind.format).name : DRAGOMAN_OTHER;
    if (file->up_to_date) return "up to date";
    if (is_text) return "translate";
    if (b->request.copies_others) return "copy";
    if (b->verbose) skip_file(b, file);
    return "skip";
}

DragomanStatus dragoman_plan_run(DragomanPlan *b, DragomanJob *job, const DragomanBatchHooks *hooks,
                                 DragomanError *error)
{
    static const DragomanBatchHooks none = { .context = NULL };
    Err err;
    Status st = clean_folders(b, &err);

    if (st == OK && b->todo_count) st = check_memory(b, job, &err);
    if (st == OK && b->todo_count) st = translate(b, job, hooks ? hooks : &none, &err);
    return option_fields_answer(st, &err, b->options->spelling, error);
}

DragomanBatchResult dragoman_plan_result(const DragomanPlan *b)
{
    return (DragomanBatchResult){ .translated = b->translated,
                                  .copied = b->copied,
                                  .up_to_date = b->count - b->todo_count,
                                  .skipped = b->skipped,
                                  .failed = b->failures.count };
}

DragomanStatus dragoman_job_files(DragomanJob *job, const DragomanBatch *batch, DragomanBatchResult *result,
                                  DragomanError *error)
{
    DragomanPlan *plan;
    DragomanStatus st = dragoman_plan_new(&plan, batch, job->options, job->reporter, error);

    *result = (DragomanBatchResult){ 0 };
    if (st != DRAGOMAN_OK) return st;
    st = dragoman_plan_run(plan, job, NULL, error);
    dragoman_plan_report(plan);
    *result = dragoman_plan_result(plan);
    dragoman_plan_free(plan);
    return st;
}
