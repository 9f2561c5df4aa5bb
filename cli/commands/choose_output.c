/* choose_output.c - see commands.h. */
#include "commands.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command at the start of a message. */
static const char *command_prefix(const Options *options)
{
    return options->command == COMMAND_PACK ? "pack: " : options->command == COMMAND_SHORTLIST ? "shortlist: " : "";
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
    const bool packing = options->command == COMMAND_PACK;
    bool reads = false;
    DragomanError error;
    Status st = OK;

    if (target->kind == TARGET_FILE || target->info.st_size)
        st = library_status(dragoman_reads(models->items[index], packing, (uint64_t)target->info.st_dev,
                                           (uint64_t)target->info.st_ino, &reads, &error),
                            &error, err);
    if (st != OK || !reads) return st;
    if (packing) return err_set(err, ERR_USAGE, "pack: %s is a file of the model; write to another file", target->name);
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

Status command_check_target(const Job *job, const OutputTarget *target, Err *err)
{
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    st = check_program(target, job->options, err);
    for (size_t i = 0; st == OK && i < job->models.count; i++)
        st = check_model(target, job->options, &job->models, i, job->paths->items[i], err);
    return st;
}

static Status check_inputs(const Options *options, const OutputTarget *target, Err *err)
{
    const bool has_inputs = options->command == COMMAND_TRANSLATE || options->command == COMMAND_SHORTLIST;
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    for (size_t i = 0; st == OK && has_inputs && i < options->file_count; i++)
        st = check_input(target, options, options->files[i], err);
    return st;
}

Status command_choose_output(const Job *job, Output *out, Err *err)
{
    Status st = output_choose(out, job->options->output, err);

    if (st == OK) st = check_inputs(job->options, &out->target, err);
    return st == OK ? command_check_target(job, &out->target, err) : st;
}
