/* main.c - the program dragoman: a filter that translates lines.
 *
 *   options.c, option_table.c   the command line and --help; man_page.c: the man page from the same table
 *   model_paths.c               the paths of the models
 *   library.c                   the options as settings of the library
 *   filter.c                    input.c (line_reader.c) -> translator -> format.c -> output.c
 *   output_target.c, temporary_file.c, replace_file.c   the output file
 *   report.c                    messages on stderr
 *   signals.c                   broken pipes and unfinished files
 *
 * This file runs the commands and chooses the exit code. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "filter.h"
#include "library.h"
#include "option_table.h"
#include "options.h"
#include "report.h"
#include "signals.h"
#include "text.h"

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

/* Fills closed standard streams with a file that cannot be used in that direction. No other file then gets their
 * numbers, and errors are noticed. */
static void occupy_standard_streams(void)
{
    static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) break;
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report_statistics(const FilterCounts *counts, double opened, double seconds)
{
    report("%zu line%s, %zu piece%s in %.2f s, %.1f lines/s; model opened in %.0f ms", counts->lines,
           plural(counts->lines), counts->pieces, plural(counts->pieces), seconds,
           seconds > 0 ? (double)counts->lines / seconds : 0, opened * 1e3);
}

static Status write_help(const Options *options, Output *out, Err *err)
{
    if (options->version) return buf_append_format(&out->buffer, err, "dragoman %s\n", dragoman_version());
    return options->man ? man_page_append(&out->buffer, err) : help_append(&out->buffer, err);
}

/* Translates. Also fails if an input could not be read and the file of --output is therefore incomplete. */
static Status write_translations(const Options *options, Dragoman *d, Output *out, FilterCounts *counts, Err *err)
{
    InputPlan plan = { .files = options->files,
                       .count = options->file_count,
                       .quiet = options->quiet,
                       .stop_at_unreadable = output_is_file(out) };
    Formatter formatter = { .format = (Format)options->format,
                            .n_best = options->n_best == NOT_GIVEN ? 1 : (size_t)options->n_best };
    Status st = filter_run(d, &plan, &formatter, out, counts, err);

    if (st == OK && counts->unreadable && output_is_file(out))
        st = err_set(err, ERR_IO, "%s: not written because an input could not be read", out->target.name);
    return st;
}

/* The input of a command: the options, the paths of the models, and the options for the library. */
typedef struct {
    const Options *options;
    const ModelPaths *paths;
    LibraryModels models;
} Job;

/* The command at the start of a message. */
static const char *command_prefix(const Options *options)
{
    if (options->pack) return "pack: ";
    return options->learn ? "shortlist: " : "";
}

static Status check_input(const OutputTarget *target, const Options *options, const char *file, Err *err)
{
    bool standard = strcmp(file, "-") == 0;
    struct stat info;

    if ((standard ? fstat(STDIN_FILENO, &info) : stat(file, &info)) != 0)
        return OK; /* reported when the file is read */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is also an input (%s); write to another file", command_prefix(options),
                   target->name, standard ? "standard input" : file);
}

/* Whether the model at `index` uses the file `info` as its shortlist. */
static bool is_shortlist(const Options *options, size_t index, const struct stat *info)
{
    struct stat list;

    return index < options->shortlists.count && stat(options->shortlists.items[index], &list) == 0 &&
           list.st_dev == info->st_dev && list.st_ino == info->st_ino;
}

/* An empty file on standard output was just created by the shell, so it cannot be a file of the model. */
static Status check_model(const OutputTarget *target, const Options *options, const LibraryModels *models, size_t index,
                          const char *path, Err *err)
{
    bool reads = false;
    DragomanError error;
    Status st = OK;

    if (target->kind == TARGET_FILE || target->info.st_size)
        st = library_status(dragoman_reads(models->items[index], options->pack, (uint64_t)target->info.st_dev,
                                           (uint64_t)target->info.st_ino, &reads, &error),
                            &error, err);
    if (st != OK || !reads) return st;
    if (options->pack)
        return err_set(err, ERR_USAGE, "pack: %s is a file of the model; write to another file", target->name);
    return err_set(err, ERR_USAGE, "%s%s is %s the model %s; write to another file", command_prefix(options),
                   target->name,
                   is_shortlist(options, index, &target->info) ? "the shortlist in use with" : "a file of", path);
}

static Status check_program(const OutputTarget *target, const Options *options, Err *err)
{
    struct stat info;

    if (stat("/proc/self/exe", &info) != 0) return OK; /* not Linux */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is the program itself; write to another file", command_prefix(options),
                   target->name);
}

/* Returns ERR_USAGE if `target` is the program, an input file or a file of a model. Files are compared by device and
 * inode, so links and other spellings of a name are recognized. */
static Status check_overwriting(const OutputTarget *target, const Options *options, const LibraryModels *models,
                                const ModelPaths *paths, Err *err)
{
    bool has_inputs = !options->info && !options->pack;
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    st = check_program(target, options, err);
    for (size_t i = 0; st == OK && has_inputs && i < options->file_count; i++)
        st = check_input(target, options, options->files[i], err);
    for (size_t i = 0; st == OK && i < models->count; i++)
        st = check_model(target, options, models, i, paths->items[i], err);
    return st;
}

/* Determines the output and checks that writing it destroys nothing. */
static Status choose_output(const Job *job, Output *out, Err *err)
{
    Status st = output_choose(out, job->options->output, err);

    return st == OK ? check_overwriting(&out->target, job->options, &job->models, job->paths, err) : st;
}

/* Reports each line of the text as a warning. */
static void report_warnings(const Options *options, const char *at)
{
    const char *end;

    for (; !options->quiet && (end = strchr(at, '\n')); at = end + 1) report("warning: %.*s", (int)(end - at), at);
}

/* The models are opened first, so that their errors are reported before others. */
static Status translate(const Job *job, Output *out, size_t *unreadable, Err *err)
{
    const Options *options = job->options;
    FilterCounts counts = { 0 };
    double start = seconds_now(), opened;
    DragomanError error;
    Dragoman *d = NULL;
    Status st = library_status(dragoman_open_pipeline(&d, job->models.items, job->models.count, &error), &error, err);

    opened = seconds_now();
    if (st == OK) report_warnings(options, dragoman_warnings(d));
    if (st == OK) st = choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = write_translations(options, d, out, &counts, err);
    if (st == OK) st = output_finish(out, err);
    if (st == OK && options->verbose) report_statistics(&counts, opened - start, seconds_now() - opened);
    if (!out->broken_pipe) dragoman_close(d); /* with a broken pipe the process ends at once */
    *unreadable = counts.unreadable;
    return st;
}

static Status append_verified(const LibraryModels *models, Buf *text, Err *err)
{
    size_t tensors, all = 0;
    DragomanError error;
    Status st = OK;

    for (size_t i = 0; st == OK && i < models->count; i++) {
        st = library_status(dragoman_verify(models->items[i], &tensors, &error), &error, err);
        if (st == OK) all += tensors;
    }
    return st == OK ? buf_append_format(text, err, "checksums: %zu, all correct\n", all) : st;
}

static Status describe(const Job *job, Output *out, Err *err)
{
    char *description = NULL;
    DragomanError error;
    Buf text = { 0 };
    Status st =
        library_status(dragoman_describe(job->models.items, job->models.count, &description, &error), &error, err);

    if (st == OK) st = buf_append_text(&text, description, err);
    if (st == OK && job->options->verify) st = append_verified(&job->models, &text, err);
    if (st == OK) st = choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = buf_append(&out->buffer, text.data, text.len, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(description);
    buf_free(&text);
    return st;
}

/* Packs a model. The file gets its name when it is complete. */
static Status pack(const Job *job, Output *out, Err *err)
{
    char *warnings = NULL;
    DragomanError error;
    Status st = choose_output(job, out, err);

    if (st == OK && !output_is_file(out))
        st = err_set(err, ERR_USAGE, "pack: %s is not a regular file; give -o the name of a file to write",
                     out->target.name);
    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(dragoman_pack(job->models.items[0], out->fd, out->target.name, &warnings, &error), &error,
                            err);
    if (st == OK) report_warnings(job->options, warnings);
    dragoman_free_text(warnings);
    return st == OK ? output_finish(out, err) : st;
}

/* Learns a shortlist. The name of the file determines whether it is text or binary. */
static Status learn(const Job *job, Output *out, Err *err)
{
    const Options *options = job->options;
    bool as_text = text_ends_with(options->output, ".txt");
    DragomanError error;
    char *list = NULL;
    size_t length = 0;
    Status st = choose_output(job, out, err); /* reports a wrong name before hours of learning */

    if (st == OK) st = output_open(out, err);
    if (st == OK)
        st = library_status(dragoman_learn_shortlist(job->models.items[0], options->files[0], options->files[1],
                                                     as_text, &list, &length, &error),
                            &error, err);
    if (st == OK) st = buf_append(&out->buffer, list, length, err);
    if (st == OK) st = output_finish(out, err);
    dragoman_free_text(list);
    return st;
}

/* Ignores a CPU level that this CPU does not have, because only the speed is affected. */
static Status check_cpu(const Options *options, Err *err)
{
    DragomanError error;
    Status st = library_status(dragoman_check_cpu(&error), &error, err);

    if (st != ERR_UNSUPPORTED) return st;
    if (!options->quiet) report("%s", err->text);
    return OK;
}

static Status run_command(const Options *options, const ModelPaths *paths, Output *out, size_t *unreadable, Err *err)
{
    Job job = { options, paths, { .count = 0 } };
    Status st = library_models_new(&job.models, options, paths, err);

    if (st == OK && options->pack)
        st = pack(&job, out, err);
    else if (st == OK && options->info)
        st = describe(&job, out, err);
    else if (st == OK && options->learn)
        st = learn(&job, out, err);
    else if (st == OK)
        st = translate(&job, out, unreadable, err);
    library_models_free(&job.models);
    return st;
}

static Status run(const Options *options, const char *program, Output *out, size_t *unreadable, Err *err)
{
    ModelPaths paths;
    Status st;

    if (options->help || options->version || options->man) {
        st = output_choose(out, NULL, err);
        if (st == OK) st = output_open(out, err);
        if (st == OK) st = write_help(options, out, err);
        return st == OK ? output_finish(out, err) : st;
    }
    st = check_cpu(options, err);
    if (st != OK) return st;
    st = model_paths_find(&paths, &options->models, program, err);
    if (st == OK) st = run_command(options, &paths, out, unreadable, err);
    model_paths_free(&paths);
    return st;
}

int main(int argc, char **argv)
{
    Options options;
    Output out = { .staged = { .fd = -1 }, .fd = -1 };
    size_t unreadable = 0;
    bool broken_pipe;
    Err err;
    Status st;

    occupy_standard_streams();
    signals_ignore_faults_of_output();
    st = options_parse(&options, argc, argv, &err);
    if (st != OK) {
        report("%s; try 'dragoman --help'", err.text);
        return EXIT_USAGE;
    }
    st = run(&options, argv[0], &out, &unreadable, &err);
    broken_pipe = out.broken_pipe;
    output_abandon(&out);
    if (broken_pipe) signals_die_of_pipe();
    if (st != OK) report("%s", err.text);
    if (st == ERR_USAGE) return EXIT_USAGE;
    return st == OK && !unreadable ? EXIT_FINE : EXIT_FAULT;
}
