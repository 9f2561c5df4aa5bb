/* batch_command.c - translates files into files: see commands.h. Without anything to translate, no model is opened. */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "document_choice.h"
#include "path.h"
#include "progress.h"
#include "report.h"
#include "input_file.h"

/* --- Dry run -----------------------------------------------------------------
 * A row for each file: path, format, target and action, separated by tabs. The format is "lines", that of a document
 * or, for other files that are not UTF-8 text, "other". The action is "translate", "copy", "skip" (other files), or "up
 * to date". In names, tab, newline, carriage return and backslash are written as \t, \n, \r and \\. Files that cannot
 * be read are failures instead. */

static Status check_text(const char *path, bool *is_text, Err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Err reason;
    Status st = fd >= 0 ? input_check_text(fd, is_text, &reason) : err_set(&reason, ERR_IO, "%s", strerror(errno));

    if (fd >= 0) close(fd);
    return st == OK ? OK : err_set(err, st, "%s: %s", path, reason.text);
}

static const char *action_of(const Batch *b, const BatchFile *file, bool is_read)
{
    if (file->up_to_date) return "up to date";
    if (is_read) return "translate";
    return b->request.copies_others ? "copy" : "skip";
}

static Status append_file(Buf *out, Batch *b, const BatchFile *file, Err *err)
{
    bool is_text = false, is_read;
    const char *action;
    Err reason;

    if (!file->kind.other && check_text(file->source, &is_text, &reason) != OK) {
        failures_add(&b->failures, reason.text);
        return OK;
    }
    /* A document that is not text fails when it is read. */
    is_read = file->kind.format || is_text;
    action = action_of(b, file, is_read);
    if (strcmp(action, "skip") == 0 && b->verbose) batch_skip(b, file);
    buf_put_escaped(out, file->source, strlen(file->source));
    buf_put_format(out, "\t%s\t", is_read ? document_choice_name(file->kind.format) : "other");
    buf_put_escaped(out, file->target, strlen(file->target));
    buf_put_format(out, "\t%s\n", action);
    return buf_check(out, err);
}

static Status print_plan(Batch *b, Output *out, Err *err)
{
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    for (size_t i = 0; st == OK && i < b->count; i++) {
        st = append_file(&out->buffer, b, &b->files[i], err);
        if (st == OK) st = output_drain(out, err);
    }
    return st == OK ? output_finish(out, err) : st;
}

/* --- Translating ------------------------------------------------------------- */

/* The context of the BatchHooks. */
typedef struct {
    Formatter first; /* as it is at the beginning of each file */
    Formatter formatter;
    size_t file; /* of the last line */
    Progress *progress;
    const Batch *batch;
} BatchOutput;

static Status format_item(void *context, const DragomanRun *run, const DragomanItem *item, Buf *out, Err *err)
{
    BatchOutput *to = context;

    if (item->file != to->file) {
        to->file = item->file;
        to->formatter = to->first;
        to->formatter.lines_before = item->number - 1;
    }
    return format_line(&to->formatter, item, run_terms(run), out, err);
}

static void watch_item(void *context, const DragomanItem *item, uint64_t left_out)
{
    BatchOutput *to = context;

    if (item->line) {
        progress_file(to->progress, item->file + 1, to->batch->inputs[item->file].path);
        progress_line(to->progress, item->input_bytes, item->words);
    } else {
        progress_bytes(to->progress, item->input_bytes);
    }
    if (left_out) progress_skip(to->progress, left_out);
}

/* Lists the targets that exist. The caller frees both lists. */
static Status list_existing(const Batch *b, const char ***names, DragomanFile **files, size_t *count, Err *err)
{
    *names = calloc(b->todo_count, sizeof **names);
    *files = calloc(b->todo_count, sizeof **files);
    if (!*names || !*files) return err_memory(err, "the list of files");
    for (size_t i = 0; i < b->todo_count; i++) {
        const BatchFile *file = &b->files[b->todo[i]];
        if (!file->target_exists) continue;
        (*names)[*count] = file->target;
        (*files)[(*count)++] = (DragomanFile){ (uint64_t)file->target_device, (uint64_t)file->target_inode };
    }
    return OK;
}

static Status translate_files(Batch *b, const Job *job, DragomanJob *translation, Err *err)
{
    ProgressPlan plan = progress_plan(job->options, false);
    BatchOutput output = { .first = command_formatter(job->options), .file = SIZE_MAX, .batch = b };
    const BatchHooks hooks = { &output, format_item, watch_item };
    Status st;

    progress_plan_set_inputs(&plan, b->inputs, b->todo_count);
    output.progress = progress_start(&plan);
    progress_file(output.progress, 1, b->inputs[0].path);
    st = batch_translate(b, translation, &hooks, err);
    progress_stop(output.progress);
    return st;
}

/* *faults: the lines of documents that were copied because they are malformed. */
static Status translate(Batch *b, Job *job, size_t *faults, Err *err)
{
    const char **names = NULL;
    DragomanFile *files = NULL;
    DragomanJob *translation = NULL;
    size_t count = 0;
    Status st = batch_clean_folders(b, err);

    if (st != OK || !b->todo_count) return st;
    st = list_existing(b, &names, &files, &count, err);
    job->targets = (ExistingTargets){ names, files, count };
    if (st == OK) st = command_open_job(job, batch_has_documents(b), &translation, err);
    if (st == OK) st = command_check_targets(job, &job->targets, err);
    if (st == OK) st = command_open_memory(job, translation, err);
    if (st == OK) st = batch_check_memory(b, translation, err);
    if (st == OK) st = translate_files(b, job, translation, err);
    if (translation) {
        st = job_finish(translation, st, err);
        *faults = translation->counts.faults;
    }
    dragoman_job_close(translation);
    free(names);
    free(files);
    return st;
}

static Status check_formats(const Batch *b, const Options *options, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < b->count; i++)
        if (!b->files[i].kind.other)
            st = options_check_format(options, b->files[i].source, b->files[i].kind.format, err);
    return st;
}

Status command_batch(const Job *job, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    const DragomanBatch request = { .paths = (const char *const *)options->files,
                                    .count = options->file_count,
                                    .output_dir = options->output_dir,
                                    .suffix = options->suffix,
                                    .includes = options->includes.items,
                                    .include_count = options->includes.count,
                                    .excludes = options->excludes.items,
                                    .exclude_count = options->excludes.count,
                                    .resume = options->resume,
                                    .copies_others = options->others == OTHERS_COPY };
    const JobSettings settings = options_job_settings(options);
    Job own = *job;
    size_t faults = 0;
    Batch b;
    Status st = batch_plan(&b, &request, &settings, &program_reporter, err);

    if (st == OK) st = check_formats(&b, options, err);
    if (st == OK) st = batch_check(&b, err);
    if (st == OK) {
        if (!b.count && !options->quiet) report("warning: no files to translate");
        st = options->dry_run ? print_plan(&b, out, err) : translate(&b, &own, &faults, err);
        if (!out->broken_pipe) batch_report(&b);
        if (!out->broken_pipe && options->verbose && !options->dry_run)
            report("files: %zu translated, %zu copied, %zu up to date, %zu skipped, %zu failed", b.translated, b.copied,
                   b.count - b.todo_count, b.skipped, b.failures.count);
    }
    *failed = b.failures.count + faults;
    batch_free(&b);
    return st;
}
