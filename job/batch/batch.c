/* batch.c - translates files into files: see commands.h. Without anything to translate, no model is opened. */
#include "batch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "batch_conflicts.h"
#include "batch_writer.h"
#include "clock.h"
#include "commands.h"
#include "document_choice.h"
#include "dry_run.h"
#include "path.h"
#include "progress.h"
#include "report.h"
#include "temporary_file.h"
#include "text.h"

typedef struct {
    Job job;
    BatchPlan plan;
    Failures failures;
    size_t *todo;   /* [todo_count], indices of plan.files */
    char **sources; /* [todo_count], their paths; plan.files owns the strings */
    size_t todo_count;
    const char **target_names; /* [todo_count], and target_files: of job.targets */
    DragomanFile *target_files;
    FilterCounts counts;
    FinishedFiles finished;
    SkippedFiles skipped;
    const DocumentFormat **formats; /* [todo_count], NULL for lines */
    LineColumns columns;
    KeepRules *keep;
    Memory *memory;
    Glossary *glossary;
} Batch;

/* Lists the files that are to be translated. */
static Status choose_todo(Batch *b, Err *err)
{
    const FileList *files = &b->plan.files;

    b->todo = calloc(files->count + 1, sizeof *b->todo);
    b->sources = calloc(files->count + 1, sizeof *b->sources);
    b->formats = calloc(files->count + 1, sizeof *b->formats);
    if (!b->todo || !b->sources || !b->formats) return err_memory(err, "the list of files");
    for (size_t i = 0; i < files->count; i++) {
        if (files->items[i].up_to_date) continue;
        b->todo[b->todo_count] = i;
        b->formats[b->todo_count] = files->items[i].format;
        b->sources[b->todo_count++] = files->items[i].source;
    }
    return OK;
}

/* Removes the temporary files that killed processes have left in the folder of the target, unless it is `*last`. */
static Status clean_folder(const BatchFile *file, char **last, Err *err)
{
    char *folder = path_folder(file->target);

    if (!folder) return err_memory(err, "a path");
    if (!*last || strcmp(*last, folder) != 0) temporary_file_remove_left(folder, NULL);
    free(*last);
    *last = folder;
    return OK;
}

static Status clean_folders(const Batch *b, Err *err)
{
    char *last = NULL;
    Status st = OK;

    for (size_t i = 0; st == OK && i < b->plan.files.count; i++) st = clean_folder(&b->plan.files.items[i], &last, err);
    free(last);
    return st;
}

/* Lists the targets that exist in b->job.targets. */
static Status list_existing(Batch *b, Err *err)
{
    const char **names = b->target_names = calloc(b->todo_count, sizeof *names);
    DragomanFile *files = b->target_files = calloc(b->todo_count, sizeof *files);
    size_t count = 0;

    if (!names || !files) return err_memory(err, "the list of files");
    for (size_t i = 0; i < b->todo_count; i++) {
        const BatchFile *file = &b->plan.files.items[b->todo[i]];
        if (!file->target_exists) continue;
        names[count] = file->target;
        files[count++] = (DragomanFile){ (uint64_t)file->target_device, (uint64_t)file->target_inode };
    }
    b->job.targets = (ExistingTargets){ names, files, count };
    return OK;
}

static Status write_files(Batch *b, Router *router, const BatchJob *job, FileFinisher *finisher, Err *err)
{
    BatchWriter *writer = NULL;
    Status st = batch_writer_new(&writer, job, &b->failures, finisher, err);

    if (st == OK) {
        const InputWatch watch = batch_writer_watch(writer);
        const LineWriter to = batch_writer_line_writer(writer);
        const InputPlan input = { .files = b->sources,
                                  .count = b->todo_count,
                                  .quiet = b->job.options->quiet,
                                  .reporter = job->reporter,
                                  .confidence = job->formatter.confidence,
                                  .columns = &b->columns,
                                  .watch = &watch,
                                  .documents = job->documents,
                                  .keep = b->keep,
                                  .memory = b->memory,
                                  .glossary = b->glossary };
        st = filter_run(router, &input, &to, job->progress, &b->counts, err);
    }
    batch_writer_free(writer);
    return st;
}

static Status translate_files(Batch *b, Router *router, Documents *documents, Err *err)
{
    const Options *options = b->job.options;
    ProgressPlan plan = progress_plan(options, false);
    BatchJob job = { .plan = &b->plan,
                     .todo = b->todo,
                     .todo_count = b->todo_count,
                     .formatter = command_formatter(options),
                     .documents = documents,
                     .content = command_document_content(options),
                     .others = (OtherFiles)options->others,
                     .skipped = &b->skipped,
                     .reporter = &program_reporter };
    FileFinisher *finisher = NULL;
    Status st = file_finisher_start(&finisher, &b->failures, err);

    if (st != OK) return st;
    progress_plan_set_inputs(&plan, b->sources, b->todo_count);
    job.progress = progress_start(&plan);
    st = write_files(b, router, &job, finisher, err);
    b->finished = file_finisher_end(finisher);
    progress_stop(job.progress);
    return st;
}

/* The memory is not translated in the run that uses it, and no translation replaces it. */
static Status check_memory(const Batch *b, Err *err)
{
    for (size_t i = 0; b->memory && i < b->todo_count; i++) {
        const BatchFile *file = &b->plan.files.items[b->todo[i]];
        const char *found = memory_is_at(b->memory, file->source)   ? file->source
                            : memory_is_at(b->memory, file->target) ? file->target
                                                                    : NULL;
        if (found) return err_set(err, ERR_USAGE, "%s is the translation memory; leave it out with --exclude", found);
    }
    return OK;
}

static Status translate(Batch *b, Err *err)
{
    const Job *job = &b->job;
    double loading = 0, start;
    Router *router = NULL;
    Documents *documents = NULL;
    Status st = clean_folders(b, err);

    if (st != OK || !b->todo_count) return st;
    st = list_existing(b, err);
    if (st == OK) st = line_columns_read(&b->columns, job->options, err);
    if (st == OK) st = command_open_keep(&b->keep, job->options, true, err);
    if (st == OK) command_enter_sandbox(job->options);
    if (st == OK) st = command_open_documents(&documents, job, (FormatList){ b->formats, b->todo_count }, b->keep, err);
    if (st == OK && !document_choice_is_without_model(job->options))
        st = command_open_router(job, documents != NULL, &router, &loading, err);
    if (st == OK && router) st = command_open_glossary(&b->glossary, job, router, err);
    start = clock_seconds();
    if (router && documents)
        documents_set_languages(documents, router_source_language(router), router_target_language(router));
    if (st == OK) st = command_check_targets(job, &job->targets, err);
    if (st == OK) st = command_open_memory(&b->memory, job, router, err);
    if (st == OK) st = check_memory(b, err);
    if (documents) documents_set_memory(documents, b->memory);
    if (st == OK) st = translate_files(b, router, documents, err);
    st = command_close_memory(b->memory, job->options, st, err);
    documents_free(documents);
    if (st == OK && job->options->verbose && router)
        filter_report_counts(&b->counts, router, loading, clock_seconds() - start);
    router_free(router);
    return st;
}

/* Also after a failure that ended the batch early. */
static void report_result(Batch *b)
{
    const size_t up_to_date = b->plan.files.count - b->todo_count;
    const Options *options = b->job.options;

    skipped_files_report(&b->skipped);
    failures_list(&b->failures);
    if (options->verbose && !options->dry_run)
        report("files: %zu translated, %zu copied, %zu up to date, %zu skipped, %zu failed", b->finished.translated,
               b->finished.copied, up_to_date, b->skipped.count, b->failures.count);
}

static Status run(Batch *b, Output *out, Err *err)
{
    const Options *options = b->job.options;
    Status st = batch_plan_new(&b->plan, options, &b->failures, err);

    if (st == OK) st = batch_conflicts_check(&b->plan, err);
    if (st == OK) st = choose_todo(b, err);
    if (st != OK) return st;
    if (!b->plan.files.count && !options->quiet) report("warning: no files to translate");
    st = options->dry_run ? dry_run_print(&b->plan, (OtherFiles)options->others, &b->skipped, &b->failures, out, err)
                          : translate(b, err);
    if (!out->broken_pipe) report_result(b);
    return st;
}

Status command_batch(const Job *job, Output *out, size_t *failed, Err *err)
{
    Batch b = { .job = *job, .skipped = { .is_quiet = job->options->quiet, .is_verbose = job->options->verbose } };
    Status st;

    failures_start(&b.failures);
    st = run(&b, out, err);
    *failed = b.failures.count + b.counts.faults;
    free(b.sources);
    free(b.todo);
    free(b.formats);
    free(b.target_names);
    free(b.target_files);
    keep_rules_free(b.keep);
    glossary_free(b.glossary);
    batch_plan_free(&b.plan);
    failures_free(&b.failures);
    return st;
}
