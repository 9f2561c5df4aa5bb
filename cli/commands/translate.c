/* translate.c - translates the input or a batch of files, or scores or aligns pairs of texts: see commands.h. A job
 * translates the items of a run; an ItemWriter writes each of them to the output. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "path.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "terminal.h"

/* --- The job ----------------------------------------------------------------- */

/* Returns ERR_USAGE if the file of --output or a target of a batch belongs to a model that was chosen by languages. */
static DragomanStatus check_chosen(void *context, const DragomanOptions *settings, const DragomanChoice *models,
                                   DragomanError *error)
{
    Job job = *(const Job *)context;
    const char *output = job.options->output;
    DragomanFile file;
    struct stat info;
    Err err;

    if (output && stat(output, &info) == 0 && S_ISREG(info.st_mode)) {
        file = (DragomanFile){ (uint64_t)info.st_dev, (uint64_t)info.st_ino };
        job.targets = (ExistingTargets){ &output, &file, 1 };
    }
    job.settings = (DragomanOptions *)settings;
    job.choice = models;
    return library_answer(command_check_targets(&job, &job.targets, &err), &err, error);
}

/* Opens the job. Translating enters the sandbox between the steps of opening. The caller owns *out also on failure. */
static Status open_job(const Job *job, bool has_documents, DragomanJob **out, Err *err)
{
    const DragomanJobPlan plan = {
        .hub = job->hub, .no_documents = !has_documents, .accept = check_chosen, .context = (void *)job
    };
    DragomanError error;
    Status st = library_status(dragoman_job_prepare(out, job->settings, &plan, &program_reporter, &error), &error, err);

    if (st == OK && job->options->command == COMMAND_TRANSLATE) command_enter_sandbox(job->options);
    return st == OK ? library_status(dragoman_job_open_models(*out, &error), &error, err) : st;
}

/* Opens the translation memory of the job. Fails if it is also an input or the output. A batch has no output stream, so
 * only its inputs are checked here. */
static Status open_memory(const Job *job, DragomanJob *translation, Err *err)
{
    const Options *options = job->options;
    const bool is_batch = options->output_dir || options->suffix;
    const char *output = options->output ? options->output : "-";
    DragomanError error;
    DragomanStatus done = dragoman_job_open_memory(translation, &error);

    if (done == DRAGOMAN_OK && !is_batch) done = dragoman_job_check_output(translation, output, &error);
    for (size_t i = 0; done == DRAGOMAN_OK && i < options->file_count; i++)
        done = dragoman_job_check_input(translation, options->files[i], &error);
    return library_status(done, &error, err);
}

/* Finishes the job. *faults is the number of inputs that could not be read, plus the number of malformed lines of
 * documents. Returns `st` or, if it is OK, the failure to write the memory. If `st` is not OK, reports this failure
 * here, because the caller reports only `st`. */
static Status finish_job(DragomanJob *translation, Status st, size_t *faults, Err *err)
{
    DragomanError error;
    const DragomanStatus finished = dragoman_job_finish(translation, st == OK, &error);

    *faults = dragoman_job_fault_count(translation);
    if (st == OK) return library_status(finished, &error, err);
    if (finished != DRAGOMAN_OK) report("%s", error.message);
    return st;
}

static Formatter formatter_of(const Options *options)
{
    const long rows = options->alternatives == NOT_GIVEN ? options->n_best : options->alternatives;

    return (Formatter){ .format = (Format)options->format,
                        .n_best = rows == NOT_GIVEN ? 1 : (size_t)rows,
                        .alignment = options->alignment,
                        .unit = (DragomanUnit)options->alignment_unit,
                        .bilingual = options->bilingual,
                        .token_scores = options->token_scores,
                        .word_scores = options->word_scores,
                        .confidence = options->confidence,
                        .rescue = options->rescue,
                        .language = options_detect(options) };
}

/* Counts the item for the progress: a line of the file `name`, or bytes of a document outside its texts. */
static void count_item(Progress *progress, const DragomanItem *item, const char *name)
{
    if (!item->line) {
        progress_bytes(progress, item->input_bytes);
        return;
    }
    progress_file(progress, item->file + 1, name);
    progress_line(progress, item->input_bytes, item->words);
}

/* --- One output -------------------------------------------------------------- */

/* Writes the items of a run. */
typedef struct {
    const Options *options;
    const DragomanInput *inputs; /* of the run */
    Formatter formatter;
    size_t pairs, failed; /* score and align: the pairs so far, and how many of them have failed */
} ItemWriter;

/* Writes a line, a part of a document, or a pair. Refuses to write a document in another encoding than UTF-8 to a
 * terminal. A pair that fails also has a line in the output, so that line numbers in input and output are equal. */
static Status write_item(ItemWriter *w, const DragomanItem *item, Output *out, Err *err)
{
    if (item->kind == DRAGOMAN_ITEM_BYTES) {
        if (item->encoding && isatty(out->fd))
            return err_set(err, ERR_USAGE,
                           "%s: a document in %s cannot be shown on a terminal; write it to a file with -o FILE",
                           path_of_input(w->inputs[item->file].path), item->encoding);
        buf_put(&out->buffer, item->bytes, item->size);
        return buf_check(&out->buffer, err);
    }
    if (w->options->command == COMMAND_TRANSLATE) return format_line(&w->formatter, item, &out->buffer, err);
    w->pairs++;
    if (item->kind == DRAGOMAN_ITEM_LINE) return pair_format_line(&w->formatter, item, &out->buffer, err);
    report("%s", item->message);
    w->failed++;
    return pair_format_failure(&w->formatter, w->pairs, item->message, &out->buffer, err);
}

/* Writes the items. Before waiting for an item, writes all output so far: many lines that are ready are written in
 * large blocks, but a single line is written at once. */
static Status write_items(DragomanRun *run, ItemWriter *writer, Progress *progress, Output *out, Err *err)
{
    DragomanError error;
    DragomanItem item;
    Status st;

    for (;;) {
        if (!dragoman_run_ready(run) && (st = output_flush(out, err)) != OK) return st;
        st = library_status(dragoman_run_next(run, &item, &error), &error, err);
        if (st != OK) break;
        if (item.kind == DRAGOMAN_ITEM_END) return output_flush(out, err);
        count_item(progress, &item, path_of_input(writer->inputs[item.file].path));
        st = write_item(writer, &item, out, err);
        if (st == OK) st = output_drain(out, err);
        if (st != OK) return st;
    }
    (void)!output_flush(out, NULL); /* writes the lines before the failure; only the first failure is reported */
    return st;
}

/* Translates the inputs in one run. Also fails if an input cannot be read and the file of --output would be
 * incomplete. */
static Status translate_inputs(DragomanJob *translation, ItemWriter *writer, const DragomanInput *inputs, size_t count,
                               Progress *progress, Output *out, Err *err)
{
    const DragomanRunRules rules = { .stop_at_unreadable = output_is_file(out),
                                     .skip_failed_lines = writer->options->command != COMMAND_TRANSLATE };
    DragomanRun *run = NULL;
    DragomanError error;
    Status st;

    writer->inputs = inputs;
    st = library_status(dragoman_run_start(&run, translation, inputs, count, rules, &error), &error, err);
    if (st == OK) {
        progress_file(progress, 1, path_of_input(inputs[0].path));
        st = write_items(run, writer, progress, out, err);
    }
    dragoman_run_end(run, st != OK);
    return st;
}

static bool reads_terminal(const Options *options)
{
    for (size_t i = 0; i < options->file_count; i++)
        if (strcmp(options->files[i], "-") == 0 && isatty(STDIN_FILENO)) return true;
    return false;
}

/* Translates the texts of the options and the files. */
static Status translate_files(DragomanJob *translation, ItemWriter *writer, Output *out, Err *err)
{
    const Options *options = writer->options;
    const size_t texts = options->texts.count, count = texts + options->file_count;
    const char *format = options->as ? options->as : DRAGOMAN_LINES; /* of the texts */
    DragomanInput *inputs = calloc(count + 1, sizeof *inputs);
    char names[OPTION_LIST_LIMIT][32];
    Buf lines = { 0 }; /* the texts, each with a newline */
    size_t start = 0;
    ProgressPlan plan;
    Progress *progress;
    Status st;

    for (size_t i = 0; i < texts; i++) buf_put_format(&lines, "%s\n", options->texts.items[i]);
    st = inputs ? buf_check(&lines, err) : err_memory(err, "the list of files");
    for (size_t i = 0; st == OK && i < texts; i++) {
        snprintf(names[i], sizeof names[i], "text %zu", i + 1);
        inputs[i] = (DragomanInput){ .path = names[i], .format = format, .bytes = lines.data + start };
        inputs[i].size = strlen(options->texts.items[i]) + 1;
        start += inputs[i].size;
    }
    for (size_t i = texts; st == OK && i < count; i++) inputs[i].path = options->files[i - texts];
    if (st == OK) {
        plan = progress_plan(options, reads_terminal(options) || isatty(out->fd));
        progress_plan_set_inputs(&plan, inputs, count);
        progress = progress_start(&plan);
        st = translate_inputs(translation, writer, inputs, count, progress, out, err);
        progress_stop(progress);
    }
    buf_free(&lines);
    free(inputs);
    return st;
}

/* --- A terminal as input ------------------------------------------------------ */

/* Appends how the user calls the model at a path: as after -m, or as in the list of models. */
static void put_model_name(Buf *out, const Job *job, size_t index)
{
    const char *path = job->choice->paths[index], *name = path;
    const DragomanModel *models;
    DragomanError error;
    size_t count;

    if (index < job->options->models.count)
        name = job->options->models.items[index];
    else if (dragoman_hub_models(job->hub, &models, &count, &error) == DRAGOMAN_OK)
        for (size_t i = 0; i < count; i++)
            if (strcmp(models[i].path, path) == 0) name = models[i].name;
    buf_put_text(out, name);
}

/* Says that the terminal is read, with the languages, if they are known, and the models. */
static Status announce(const Job *job, const DragomanJob *translation, Err *err)
{
    const char *tags[] = { dragoman_job_source_language(translation), dragoman_job_target_language(translation) };
    char from[DRAGOMAN_LANGUAGE_NAME] = "any language", to[DRAGOMAN_LANGUAGE_NAME];
    const size_t models = job->choice ? job->choice->count : 0;
    DragomanError error;
    Buf text = { 0 };
    Status st = OK;

    if ((tags[0] || options_detect(job->options)) && tags[1]) {
        if (tags[0]) st = library_status(dragoman_find_language_name(tags[0], from, &error), &error, err);
        if (st == OK) st = library_status(dragoman_find_language_name(tags[1], to, &error), &error, err);
        if (st == OK) buf_put_format(&text, "%s to %s", from, to);
    }
    for (size_t i = 0; st == OK && i < models; i++) {
        const char *before = i ? " and " : models > 1 ? "models " : "model ";
        buf_put_format(&text, "%s%s", !i && text.len ? ", " : "", before);
        put_model_name(&text, job, i);
    }
    if (!text.len) buf_put_text(&text, "reading from the terminal");
    if (st == OK) st = buf_check(&text, err);
    if (st == OK) report("%s; end with Ctrl-D", text.data);
    buf_free(&text);
    return st;
}

/* Reads a line, writes its translation, and so on until the end of the input. Each line is a run of its own, so that
 * the prompt comes after the translation. */
static Status hold_dialogue(DragomanJob *translation, ItemWriter *writer, Output *out, Err *err)
{
    DragomanInput input = { .path = "-", .format = DRAGOMAN_LINES };
    Buf line = { 0 };
    Status st;

    for (;;) {
        st = terminal_read_line("> ", &line, err);
        if (st != OK || !line.len) break;
        input.bytes = line.data;
        input.size = line.len;
        st = translate_inputs(translation, writer, &input, 1, NULL, out, err);
        if (st != OK) break;
        for (size_t i = 0; i < line.len; i++) input.lines_before += line.data[i] == '\n';
        writer->formatter.lines_before = -input.lines_before; /* the numbers of the lines in the output go on */
    }
    buf_free(&line);
    return st;
}

/* Opens the models, if any are needed. Then writes the items of the input, and finishes the output. *failed has the
 * same meaning as for command_translate(). The models come first, so that their errors are reported first. */
static Status write_input(const Job *job, bool has_documents, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    /* Whether the user types lines and reads their translations, one after the other, in the same terminal. */
    const bool in_dialogue = options->command == COMMAND_TRANSLATE && !has_documents && !options->output &&
                             !options->texts.count && options->file_count == 1 && reads_terminal(options) &&
                             terminal_is_interactive();
    ItemWriter writer = { .options = options, .formatter = formatter_of(options) };
    DragomanJob *translation = NULL;
    Status st;

    if (in_dialogue) terminal_load_editor(); /* before the sandbox */
    st = open_job(job, has_documents, &translation, err);
    if (st == OK) st = open_memory(job, translation, err);
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK && reads_terminal(options) && !options->quiet) st = announce(job, translation, err);
    if (st == OK) st = (in_dialogue ? hold_dialogue : translate_files)(translation, &writer, out, err);
    if (st == OK) st = output_finish(out, err);
    if (!translation) return st;
    st = finish_job(translation, st, failed, err);
    *failed += writer.failed;
    if (!out->broken_pipe) dragoman_job_close(translation); /* with a broken pipe the process ends at once */
    return st;
}

/* --- Translations ------------------------------------------------------------ */

Status command_translate(const Job *job, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    const char *first = options->texts.count ? "-" : options->files[0]; /* a text is read as standard input is */
    const DragomanFormat format = dragoman_format_of(options->settings, first);
    DragomanError error;
    OutputTarget target = { .name = NULL };
    Status st = OK;

    if (options->command != COMMAND_TRANSLATE) return write_input(job, false, out, failed, err);
    for (size_t i = 0; st == OK && i < options->file_count; i++)
        st = library_status(dragoman_format_check(options->settings, options->files[i], &error), &error, err);
    if (st == OK && format.is_archive) { /* checked before opening the models: a terminal cannot show an archive */
        st = output_target_find(&target, options->output, err);
        if (st == OK && output_target_is_terminal(&target))
            st = err_set(err, ERR_USAGE,
                         "%s: a document of the format %s cannot be shown on a terminal; write it to a file with -o "
                         "FILE",
                         options->texts.count ? "-e" : path_of_input(first), format.name);
        output_target_free(&target);
    }
    return st == OK ? write_input(job, format.is_document, out, failed, err) : st;
}

/* --- Batches of files --------------------------------------------------------
 * If there is nothing to translate, no model is opened. A dry run prints a row for each file: path, format, target and
 * action, separated by tabs. The format is "lines", the name of a document format or, for other files that are not
 * UTF-8 text, "other". The action is "translate", "copy", "skip" (for "other"), or "up to date". In names, tab,
 * newline, carriage return and backslash are written as \t, \n, \r and \\. A file that cannot be read has no row. */

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
        st = output_drain(out, err);
    }
    return st == OK ? output_finish(out, err) : st;
}

/* The context of the hooks. */
typedef struct {
    Formatter first; /* the initial value of `formatter` for each file */
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

    count_item(to->progress, item, to->inputs[item->file].path);
    if (left_out) progress_skip(to->progress, left_out);
}

static void count_file(void *context)
{
    (void)context;
    signals_count_file();
}

static Status translate_batch(DragomanPlan *files, const Job *job, DragomanJob *translation, Err *err)
{
    ProgressPlan plan = progress_plan(job->options, false);
    BatchOutput output = { .first = formatter_of(job->options), .file = SIZE_MAX };
    const DragomanBatchHooks hooks = { &output, format_item, watch_item, count_file };
    DragomanError error;
    size_t count;
    Status st;

    output.inputs = dragoman_plan_inputs(files, &count);
    progress_plan_set_inputs(&plan, output.inputs, count);
    output.progress = progress_start(&plan);
    progress_file(output.progress, 1, output.inputs[0].path);
    if (!job->options->quiet) signals_begin_files();
    st = library_status(dragoman_plan_run(files, translation, &hooks, &error), &error, err);
    signals_end_files();
    progress_stop(output.progress);
    buf_free(&output.text);
    return st;
}

/* Runs the plan. *faults is the number of malformed lines of documents, which were copied. */
static Status translate_plan(DragomanPlan *plan, Job *job, size_t *faults, Err *err)
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
    if (st == OK) st = open_job(job, has_documents, &translation, err);
    if (st == OK) st = command_check_targets(job, &job->targets, err);
    if (st == OK) st = open_memory(job, translation, err);
    if (st == OK) st = translate_batch(plan, job, translation, err);
    if (translation) st = finish_job(translation, st, faults, err);
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
        st = options_check_format(options, file.source, file.format, err);
    if (st == OK) {
        if (!dragoman_plan_file(plan, 0, &file) && !options->quiet) report("warning: no files to translate");
        st = options->dry_run ? print_plan(plan, out, err) : translate_plan(plan, &own, &faults, err);
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
