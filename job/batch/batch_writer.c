/* batch_writer.c - see batch_writer.h.
 *
 * Lines arrive in order, so those of one file follow each other. The thread of the input marks a file as ended before
 * it submits a line of a later file. A file is complete when it is marked as ended and as many lines of it have arrived
 * as were submitted; then the next file is the current one. Files without lines pass in the same way. */
#include "batch_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES 8192

/* What both threads know of a file. */
typedef struct {
    atomic_bool ended;  /* set after the three fields below */
    InputEnd end;       /* what became of the file in the input */
    size_t lines;       /* lines submitted */
    struct stat info;   /* the file when it was opened */
    atomic_bool failed; /* its failure was reported; no more lines are wanted */
} FileState;

struct BatchWriter {
    const BatchJob *job;
    Failures *failures;
    FileFinisher *finisher;
    FileState *states; /* [todo_count] */

    size_t current; /* index in todo */
    size_t written; /* lines of the current file that have arrived */
    bool open;      /* the two fields below are in use */
    Output out;
    Formatter formatter;
    DocumentOutput document;
};

static const BatchFile *current_file(const BatchWriter *w)
{
    return &w->job->plan->files.items[w->job->todo[w->current]];
}

/* Called by both threads; a file is reported once. */
static void fail(BatchWriter *w, size_t file, const char *message)
{
    if (!atomic_exchange(&w->states[file].failed, true)) failures_add(w->failures, message);
}

static void close_output(BatchWriter *w)
{
    if (!w->open) return;
    output_abandon(&w->out);
    document_output_drop(&w->document);
    w->open = false;
}

static void fail_current(BatchWriter *w, const Err *err)
{
    fail(w, w->current, err->text);
    close_output(w);
}

static Status open_target(BatchWriter *w, Err *err)
{
    const BatchFile *file = current_file(w);
    Status st = batch_target_make_folders(&w->job->plan->target, file, err);

    if (st == OK) st = output_choose(&w->out, file->target, w->job->reporter, err);
    if (st != OK) return st;
    if (!output_is_file(&w->out)) return err_set(err, ERR_IO, "%s: not a regular file", file->target);
    w->out.mode = (file->mode & (mode_t)0777) | S_IWUSR;
    w->out.staged.in_batch = true;
    return output_open(&w->out, err);
}

/* Opens the output of the current file, unless the file failed. */
static void open_output(BatchWriter *w)
{
    Err reason;

    if (w->open || atomic_load(&w->states[w->current].failed)) return;
    w->open = true;
    w->out = (Output){ .staged = { .fd = -1 }, .fd = -1 };
    w->formatter = w->job->formatter;
    if (open_target(w, &reason) != OK) fail_current(w, &reason);
}

static void hand_over(BatchWriter *w, bool is_copy)
{
    if (!w->open) return;
    file_finisher_add(w->finisher, &(CompleteOutput){ .output = w->out,
                                                      .file = current_file(w),
                                                      .read = w->states[w->current].info,
                                                      .is_copy = is_copy });
    w->open = false;
}

static Status copy_bytes(BatchWriter *w, int fd, Err *err)
{
    char chunk[COPY_BYTES];
    Status st = OK;

    while (st == OK) {
        const ssize_t n = read(fd, chunk, sizeof chunk);
        if (n == 0) break;
        if (n < 0 && errno != EINTR) return err_set(err, ERR_IO, "%s: %s", current_file(w)->source, strerror(errno));
        if (n > 0) st = buf_append(&w->out.buffer, chunk, (size_t)n, err);
        if (st == OK) st = output_drain(&w->out, err);
    }
    return st;
}

static Status copy_file(BatchWriter *w, Err *err)
{
    const char *source = current_file(w)->source;
    const int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Status st = fd >= 0 ? copy_bytes(w, fd, err) : err_set(err, ERR_IO, "%s: %s", source, strerror(errno));

    if (fd >= 0) close(fd);
    return st;
}

static void end_other_file(BatchWriter *w)
{
    const BatchFile *file = current_file(w);
    Err reason;

    if (w->job->others == OTHERS_SKIP) {
        skipped_files_add(w->job->skipped, file);
        return;
    }
    open_output(w);
    if (w->open && copy_file(w, &reason) != OK) fail_current(w, &reason);
    hand_over(w, true);
}

static void end_document(BatchWriter *w)
{
    const OpenDocument document = documents_get(w->job->documents, w->current);
    Err reason;
    Status st;

    if (!w->open || !document.document) return;
    document_output_begin(&w->document, w->job->content, document);
    st = document_output_end(&w->document, &w->out.buffer, &reason);
    if (st == OK) st = output_drain(&w->out, &reason);
    if (st != OK) fail_current(w, &reason);
}

static void end_current(BatchWriter *w)
{
    const FileState *state = &w->states[w->current];

    switch (state->end) {
    case INPUT_READ:
        open_output(w); /* a file without lines is not open yet */
        if (current_file(w)->format) end_document(w);
        hand_over(w, false);
        break;
    case INPUT_NOT_TEXT:
        end_other_file(w);
        break;
    default:
        close_output(w);
    }
    if (current_file(w)->format) documents_release(w->job->documents, w->current);
    w->written = 0;
    w->current++;
}

static bool is_complete(const BatchWriter *w)
{
    return w->current < w->job->todo_count && atomic_load(&w->states[w->current].ended) &&
           w->written == w->states[w->current].lines;
}

static void end_complete_files(BatchWriter *w)
{
    while (is_complete(w)) end_current(w);
}

/* Appends the units of a document up to the one of the line; the line after the last unit has nothing. A text that
 * the document cannot contain is a failure of the document alone. */
static Status append_units(BatchWriter *w, const RoutedLine *line, Err *err)
{
    const Documents *documents = w->job->documents;
    Err reason;
    Status st;

    document_output_begin(&w->document, w->job->content, documents_get(documents, w->current));
    st = document_output_line(&w->document, line, &w->out.buffer, &reason);
    if (st == ERR_FORMAT) {
        fail_current(w, &reason);
        return OK;
    }
    return st == OK ? OK : err_set(err, st, "%s", reason.text);
}

/* Appends what has arrived. */
static Status append_line(BatchWriter *w, const RoutedLine *line, Err *err)
{
    if (current_file(w)->format) return append_units(w, line, err);
    return format_line(&w->formatter, line, line_tag_ending(line->line), &w->out.buffer, err);
}

static Status write_line(void *writer, const RoutedLine *line, Err *err)
{
    BatchWriter *w = writer;
    Err reason;
    Status st = OK;

    end_complete_files(w); /* the line belongs to the current file after that */
    open_output(w);
    if (!w->written) w->formatter.lines_before = line->number - 1;
    if (w->open) st = append_line(w, line, err);
    if (st == OK && w->open && output_drain(&w->out, &reason) != OK) fail_current(w, &reason);
    w->written++;
    if (st == OK) end_complete_files(w);
    return st;
}

static Status flush_lines(void *writer, Err *err)
{
    (void)err;
    end_complete_files(writer);
    return OK;
}

static Status fail_line(void *writer, size_t file, const Err *reason, Err *err)
{
    BatchWriter *w = writer;

    (void)err;
    end_complete_files(w);
    fail(w, file, reason->text);
    close_output(w);
    w->written++;
    end_complete_files(w);
    return OK;
}

static bool wants_lines(void *writer, size_t file)
{
    BatchWriter *w = writer;

    return !atomic_load(&w->states[file].failed);
}

static void input_ended(void *writer, size_t file, const InputResult *result)
{
    BatchWriter *w = writer;
    FileState *state = &w->states[file];
    const uint64_t size = (uint64_t)w->job->plan->files.items[w->job->todo[file]].size;

    if (result->end == INPUT_FAILED) fail(w, file, result->message);
    if (result->bytes < size) progress_skip(w->job->progress, size - result->bytes);
    state->end = result->end;
    state->lines = result->lines;
    state->info = result->info;
    atomic_store(&state->ended, true);
}

static bool is_other(void *writer, size_t file)
{
    const BatchJob *job = ((BatchWriter *)writer)->job;

    return job->plan->files.items[job->todo[file]].other != NULL;
}

Status batch_writer_new(BatchWriter **out, const BatchJob *job, Failures *failures, FileFinisher *finisher, Err *err)
{
    BatchWriter *w = calloc(1, sizeof *w);

    *out = w;
    if (!w) return err_memory(err, "the output files");
    w->job = job;
    w->failures = failures;
    w->finisher = finisher;
    w->states = calloc(job->todo_count, sizeof *w->states);
    return w->states ? OK : err_memory(err, "the list of files");
}

InputWatch batch_writer_watch(BatchWriter *w)
{
    return (InputWatch){ w, wants_lines, input_ended, is_other };
}

LineWriter batch_writer_line_writer(BatchWriter *w)
{
    return (LineWriter){ w, write_line, flush_lines, fail_line };
}

void batch_writer_free(BatchWriter *w)
{
    if (!w) return;
    close_output(w);
    document_output_free(&w->document);
    free(w->states);
    free(w);
}
