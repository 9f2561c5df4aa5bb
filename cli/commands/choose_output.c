/* choose_output.c - see commands.h. */
#include "commands.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "report.h"

/* The command at the start of a message. */
static const char *command_prefix(const Options *options)
{
    return options->command == COMMAND_PACK        ? "pack: "
           : options->command == COMMAND_SHORTLIST ? "shortlist: "
           : options->command == COMMAND_CALIBRATE ? "calibrate: "
           : options->command == COMMAND_EXPLAIN   ? "explain: "
                                                   : "";
}

/* Calibrating a model again replaces its calibration, which it does not read. */
static bool is_own_calibration(const Options *options, const char *target)
{
    return options->command == COMMAND_CALIBRATE && strcmp(path_name(target), "dragoman-calibration.json") == 0;
}

static bool is_same(const struct stat *info, const DragomanFile *file)
{
    return info->st_dev == file->device && info->st_ino == file->inode;
}

static bool is_same_path(const char *path, const DragomanFile *file)
{
    struct stat info;

    return stat(path, &info) == 0 && is_same(&info, file);
}

/* Fails if a target is a file of the model at `index`. */
static Status check_model(const Job *job, size_t index, const ExistingTargets *targets, Err *err)
{
    const Options *options = job->options;
    const bool packing = options->command == COMMAND_PACK;
    DragomanError error;
    size_t found;
    Status st = library_status(
        dragoman_reads(job->settings, index, packing, targets->files, targets->count, &found, &error), &error, err);
    bool is_shortlist;

    if (st != OK || found == targets->count || is_own_calibration(options, targets->names[found])) return st;
    if (packing)
        return err_set(err, ERR_USAGE, "pack: %s is a file of the model; write to another file", targets->names[found]);
    is_shortlist =
        index < options->shortlists.count && is_same_path(options->shortlists.items[index], &targets->files[found]);
    return err_set(err, ERR_USAGE, "%s%s is %s the model %s; write to another file", command_prefix(options),
                   targets->names[found], is_shortlist ? "the shortlist in use with" : "a file of",
                   job->choice->paths[index]);
}

/* Fails if a target is the program. Only Linux tells the path of the program. */
static Status check_program(const Job *job, const ExistingTargets *targets, Err *err)
{
    struct stat info;

    if (stat("/proc/self/exe", &info) != 0) return OK;
    for (size_t i = 0; i < targets->count; i++)
        if (is_same(&info, &targets->files[i]))
            return err_set(err, ERR_USAGE, "%s%s is the program itself; write to another file",
                           command_prefix(job->options), targets->names[i]);
    return OK;
}

/* Fails if a target is one of the files of an option. */
static Status check_files(const OptionList *files, const char *option, const ExistingTargets *targets, Err *err)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < targets->count; k++)
            if (is_same_path(files->items[i], &targets->files[k]))
                return err_set(err, ERR_USAGE, "%s is the file of %s; write to another file", targets->names[k],
                               option);
    return OK;
}

/* Fails if a target is the configuration file, which was read. */
static Status check_configuration(const Job *job, const ExistingTargets *targets, Err *err)
{
    const char *path = dragoman_hub_configuration(job->hub);

    for (size_t i = 0; path && i < targets->count; i++)
        if (is_same_path(path, &targets->files[i]))
            return err_set(err, ERR_USAGE, "%s%s is the configuration file; write to another file or use --no-config",
                           command_prefix(job->options), targets->names[i]);
    return OK;
}

Status command_check_targets(const Job *job, const ExistingTargets *targets, Err *err)
{
    Status st = check_program(job, targets, err);

    if (st == OK) st = check_configuration(job, targets, err);
    if (st == OK) st = check_files(&job->options->keep_files, "--keep-file", targets, err);
    if (st == OK) st = check_files(&job->options->glossaries, "--glossary", targets, err);
    for (size_t i = 0; st == OK && targets->count && i < job->model_count; i++) st = check_model(job, i, targets, err);
    return st;
}

static Status check_input(const Options *options, const OutputTarget *target, const char *input, Err *err)
{
    const bool standard = strcmp(input, "-") == 0;
    struct stat info;

    if ((standard ? fstat(STDIN_FILENO, &info) : stat(input, &info)) != 0)
        return OK; /* reported when the file is read */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is also an input (%s); write to another file", command_prefix(options),
                   target->name, standard ? "standard input" : input);
}

/* An empty file on standard output was just created by the shell, so it cannot be a file of the model. */
static Status check_overwriting(const Job *job, const OutputTarget *target, Err *err)
{
    const Options *options = job->options;
    const bool reads_text = options->command == COMMAND_EXPLAIN && strcmp(options->files[0], "-") == 0;
    const bool has_inputs = reads_text || options_read_lines(options) || options->command == COMMAND_SHORTLIST ||
                            options->command == COMMAND_CALIBRATE;
    const DragomanFile file = { (uint64_t)target->info.st_dev, (uint64_t)target->info.st_ino };
    const ExistingTargets targets = { &target->name, &file,
                                      target->kind == TARGET_FILE || target->info.st_size ? 1 : 0 };
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    for (size_t i = 0; st == OK && has_inputs && i < options->file_count; i++)
        st = check_input(options, target, options->files[i], err);
    return st == OK ? command_check_targets(job, &targets, err) : st;
}

Status command_choose_output(const Job *job, Output *out, Err *err)
{
    Status st = output_choose(out, job->options->output, &program_reporter, err);

    return st == OK ? check_overwriting(job, &out->target, err) : st;
}
