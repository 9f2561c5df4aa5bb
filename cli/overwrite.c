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

/* The model at `index` reads the file `info`: as its shortlist? */
static bool is_shortlist(const Options *options, size_t index, const struct stat *info)
{
    struct stat list;

    return index < options->shortlists.count && stat(options->shortlists.items[index], &list) == 0 &&
           list.st_dev == info->st_dev && list.st_ino == info->st_ino;
}

/* A file that the shell has just made for standard output has the name of a model's file at most. */
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
    return err_set(err, ERR_USAGE, "%s%s is %s the model %s; write to another file", prefix_of(options), target->name,
                   is_shortlist(options, index, &target->info) ? "the shortlist in use with" : "a file of", path);
}

static Status check_program(const OutputTarget *target, const Options *options, Err *err)
{
    struct stat info;

    if (stat("/proc/self/exe", &info) != 0) return OK; /* not Linux */
    if (info.st_dev != target->info.st_dev || info.st_ino != target->info.st_ino) return OK;
    return err_set(err, ERR_USAGE, "%s%s is the program itself; write to another file", prefix_of(options),
                   target->name);
}

Status overwrite_check(const OutputTarget *target, const Options *options, const LibraryModels *models,
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
