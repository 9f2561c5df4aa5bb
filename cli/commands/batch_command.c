/* batch_command.c - translates files into files: see commands.h. Without anything to translate, no model is opened. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "options.h"
#include "progress.h"
#include "report.h"

/* --- Dry run -----------------------------------------------------------------
 * A row for each file: path, format, target and action, separated by tabs. The format is "lines", that of a document
 * or, for other files that are not UTF-8 text, "other". The action is "translate", "copy", "skip" (other files), or "up
 * to date". In names, tab, newline, carriage return and backslash are written as \t, \n, \r and \\. Files that cannot
 * be read are failures instead. */

static Status print_plan(DragomanPlan *plan, Output *out, Err *err)
{
    DragomanPlanned file;
    Status st = output_choose(out, NULL, &program_reporter, err);

    if (st == OK) st = output_open(out, err);
    for (size_t i = 0; st == OK && dragoman_plan_file(plan, i, &file); i++) {
        const char *format, *action = dragoman_plan_examine(plan, i, &format);
        if (!action) continue;
        buf_put_escaped(&out->buffer, file.source, strlen(file.source));
        buf_put_format(&out->buffer, "\t%s\t", format);
        buf_put_escaped(&out->buffer, file.target, strlen(file.target));
        buf_put_format(&out->buffer, "\t%s\n", action);
        st = buf_check(&out->buffer, err);
        if (st == OK) st = output_drain(out, err);
    }
    return st == OK ? output_finish(out, err) : st;
}

/* --- Translating ------------------------------------------------------------- */

/* The context of the hooks. */
typedef struct {
    Formatter first; /* as it is at the beginning of each file */
    Formatter formatter;
    size_t file; /* of the last line */
    Progress *progress;
    const DragomanInput *inputs;
    Buf text; /* of the last line */
} BatchOutput;

static DragomanStatus format_item(void *context, const DragomanItem *item, const char **text, size_t *length,
                                  DragomanError *error)
{
    BatchOutput *to = context;
    Err err;
    Status st;

    if (item->file != to->file) {
        to->file = item->file;
        to->formatter = to->first;
        to->formatter.lines_before = item->number - 1;
    }
    buf_reuse(&to->text);
    st = format_line(&to->formatter, item, &to->text, &err);
    *text = to->text.data;
    *length = to->text.len;
    return library_answer(st, &err, error);
}

static void watch_item(void *context, const DragomanItem *item, size_t left_out)
{
    BatchOutput *to = context;

    if (item->line) {
        progress_file(to->progress, item->file + 1, to->inputs[item->file].path);
        progress_line(to->progress, item->input_bytes, item->words);
    } else {
        progress_bytes(to->progress, item->input_bytes);
    }
    if (left_out) progress_skip(to->progress, left_out);
}

static Status translate_files(DragomanPlan *files, const Job *job, DragomanJob *translation, Err *err)
{
    ProgressPlan plan = progress_plan(job->options, false);
    BatchOutput output = { .first = command_formatter(job->options), .file = SIZE_MAX };
    const DragomanBatchHooks hooks = { &output, format_item, watch_item };
    DragomanError error;
    size_t count;
    Status st;

    output.inputs = dragoman_plan_inputs(files, &count);
    progress_plan_set_inputs(&plan, output.inputs, count);
    output.progress = progress_start(&plan);
    progress_file(output.progress, 1, output.inputs[0].path);
    st = library_status(dragoman_plan_run(files, translation, &hooks, &error), &error, err);
    progress_stop(output.progress);
    buf_free(&output.text);
    return st;
}

/* *faults: the lines of documents that were copied because they are malformed. */
static Status translate(DragomanPlan *plan, Job *job, size_t *faults, Err *err)
{
    const char **names;
    DragomanFile *files;
    DragomanJob *translation = NULL;
    DragomanPlanned file;
    bool has_documents = false;
    size_t count = 0, todo;
    DragomanError error;
    Status st = OK;

    (void)dragoman_plan_inputs(plan, &todo);
    if (!todo) return library_status(dragoman_plan_run(plan, NULL, NULL, &error), &error, err);
    names = calloc(todo, sizeof *names);
    files = calloc(todo, sizeof *files);
    if (!names || !files) st = err_memory(err, "the list of files");
    for (size_t i = 0; st == OK && dragoman_plan_file(plan, i, &file); i++) {
        struct stat info; /* of the target, if it exists */
        if (file.up_to_date) continue;
        has_documents = has_documents || file.format.is_document;
        if (stat(file.target, &info) != 0 || !S_ISREG(info.st_mode)) continue;
        names[count] = file.target;
        files[count++] = (DragomanFile){ (uint64_t)info.st_dev, (uint64_t)info.st_ino };
    }
    job->targets = (ExistingTargets){ names, files, count };
    if (st == OK) st = command_open_job(job, has_documents, &translation, err);
    if (st == OK) st = command_check_targets(job, &job->targets, err);
    if (st == OK) st = command_open_memory(job, translation, err);
    if (st == OK) st = translate_files(plan, job, translation, err);
    if (translation) st = command_finish_job(translation, st, faults, err);
    dragoman_job_close(translation);
    free(names);
    free(files);
    return st;
}

Status command_batch(const Job *job, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    const DragomanBatch batch = { .paths = (const char *const *)options->files,
                                  .count = options->file_count,
                                  .output_dir = options->output_dir,
                                  .suffix = options->suffix,
                                  .includes = options->includes.items,
                                  .include_count = options->includes.count,
                                  .excludes = options->excludes.items,
                                  .exclude_count = options->excludes.count,
                                  .resume = options->resume,
                                  .copies_others = options->others == OTHERS_COPY };
    DragomanBatchResult result;
    DragomanPlanned file;
    DragomanPlan *plan;
    DragomanError error;
    Job own = *job;
    size_t faults = 0;
    Status st = library_status(dragoman_plan_new(&plan, &batch, job->settings, &program_reporter, &error), &error, err);

    for (size_t i = 0; st == OK && dragoman_plan_file(plan, i, &file); i++)
        if (!file.is_other) st = options_check_format(options, file.source, file.format, err);
    if (st == OK) {
        if (!dragoman_plan_file(plan, 0, &file) && !options->quiet) report("warning: no files to translate");
        st = options->dry_run ? print_plan(plan, out, err) : translate(plan, &own, &faults, err);
        if (!out->broken_pipe) dragoman_plan_report(plan);
        result = dragoman_plan_result(plan);
        if (!out->broken_pipe && options->verbose && !options->dry_run)
            report("files: %zu translated, %zu copied, %zu up to date, %zu skipped, %zu failed", result.translated,
                   result.copied, result.up_to_date, result.skipped, result.failed);
        *failed = result.failed + faults;
    }
    dragoman_plan_free(plan);
    return st;
}
