/* overwrite.c - see overwrite.h. */
#include "overwrite.h"

#include <string.h>
#include <unistd.h>

/* The command as messages begin with it. */
static const char *prefix_of(const Options *options)
{
    if (options->pack) return "pack: ";
    return options->learn ? "shortlist: " : "";
}

static Status check_input(const OutputTarget *target, const Options *options, const char *file, Err *err)
{
    bool standard = strcmp(file, "-") == 0;
    struct stat info;

    if ((standard ? fstat(STDIN_FILENO, &info) : stat(file, &info)) != 0) return OK; /* told when it is read */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is also an input (%s); write to another file", prefix_of(options),
                   target->name, standard ? "standard input" : file);
}

static const char *file_of_model(const DragomanOptions *settings, const struct stat *info)
{
    struct stat list;
    bool same = settings->shortlist && stat(settings->shortlist, &list) == 0 && list.st_dev == info->st_dev &&
                list.st_ino == info->st_ino;

    return same ? "is the shortlist in use with" : "is a file of";
}

/* A file that the shell has just made for standard output has the name of a model's file at most. */
static Status check_model(const OutputTarget *target, const Options *options, const DragomanOptions *settings, Err *err)
{
    bool reads = false;
    Status st = OK;

    if (target->kind == TARGET_FILE || target->info.st_size)
        st = dragoman_reads(settings, options->pack, target->info.st_dev, target->info.st_ino, &reads, err);
    if (st != OK || !reads) return st;
    if (options->pack)
        return err_set(err, ERR_USAGE, "pack: %s is a file of the model; write to another file", target->name);
    return err_set(err, ERR_USAGE, "%s%s %s the model %s; write to another file", prefix_of(options), target->name,
                   file_of_model(settings, &target->info), settings->model);
}

static Status check_program(const OutputTarget *target, const Options *options, Err *err)
{
    struct stat info;

    if (stat("/proc/self/exe", &info) != 0) return OK; /* not Linux */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is the program itself; write to another file", prefix_of(options),
                   target->name);
}

Status overwrite_check(const OutputTarget *target, const Options *options, const DragomanOptions *settings,
                       size_t count, Err *err)
{
    bool has_inputs = !options->info && !options->pack;
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    st = check_program(target, options, err);
    for (size_t i = 0; st == OK && has_inputs && i < options->file_count; i++)
        st = check_input(target, options, options->files[i], err);
    for (size_t i = 0; st == OK && i < count; i++) st = check_model(target, options, &settings[i], err);
    return st;
}
