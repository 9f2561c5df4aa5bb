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
    return err_set(err, ERR_USAGE, "%s%s: is an input, too (%s): write to another file", prefix_of(options),
                   target->name, standard ? "standard input" : file);
}

/* What is sent to a stream has been decided by who opened it: only inputs are compared with it. */
static Status check_model(const OutputTarget *target, const Options *options, const DragomanOptions *settings, Err *err)
{
    bool reads = false;
    Status st = OK;

    if (target->kind == TARGET_FILE)
        st = dragoman_reads(settings, options->pack, target->info.st_dev, target->info.st_ino, &reads, err);
    if (st != OK || !reads) return st;
    if (options->pack) return err_set(err, ERR_USAGE, "pack: %s: is a file of the model itself", target->name);
    return err_set(err, ERR_USAGE, "%s%s: is a file of the model %s: write to another file", prefix_of(options),
                   target->name, settings->model);
}

Status overwrite_check(const OutputTarget *target, const Options *options, const DragomanOptions *settings,
                       size_t count, Err *err)
{
    bool has_inputs = !options->info && !options->pack;
    Status st = OK;

    if (!target->exists || !S_ISREG(target->info.st_mode)) return OK;
    for (size_t i = 0; st == OK && has_inputs && i < options->file_count; i++)
        st = check_input(target, options, options->files[i], err);
    for (size_t i = 0; st == OK && i < count; i++) st = check_model(target, options, &settings[i], err);
    return st;
}
