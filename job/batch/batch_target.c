/* batch_target.c - see batch_target.h. */
#include "batch_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "path.h"

#define FOLDER_MODE  ((mode_t)0777)
#define OWNER_ENTERS ((mode_t)0700)

/* Returns the length of the path without its extension, the part of the name from its last dot on. A dot at the start
 * of the name begins no extension. */
static size_t stem_length(const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');

    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

static bool ends_with(const char *name, size_t len, const char *suffix)
{
    const size_t size = strlen(suffix);

    return len > size && memcmp(name + len - size, suffix, size) == 0;
}

bool batch_target_has_suffix(const char *path, const char *suffix)
{
    const char *name = path_name(path);

    return ends_with(name, strlen(name), suffix) || ends_with(name, stem_length(path) - (size_t)(name - path), suffix);
}

static char *path_with_suffix(const char *source, const char *suffix)
{
    const size_t stem = stem_length(source), size = strlen(suffix);
    char *path = malloc(strlen(source) + size + 1);

    if (!path) return NULL;
    memcpy(path, source, stem);
    memcpy(path + stem, suffix, size);
    strcpy(path + stem + size, source + stem);
    return path;
}

char *batch_target_path(const BatchTarget *target, const BatchFile *file)
{
    return target->suffix ? path_with_suffix(file->source, target->suffix)
                          : path_join(target->output_dir, file->source + file->relative);
}

/* Returns the mode for the folder path[0..len) of a target whose relative path begins at `relative`. */
static mode_t folder_mode(const BatchFile *file, size_t len, size_t relative)
{
    char *source = len + 1 >= relative && !file->named ? strndup(file->source, file->relative + len - relative) : NULL;
    struct stat info;
    const bool known = source && stat(source, &info) == 0;

    free(source);
    return known ? (info.st_mode & FOLDER_MODE) | OWNER_ENTERS : FOLDER_MODE;
}

static Status make_folder(const char *folder, mode_t mode, Err *err)
{
    int fault;

    if (mkdir(folder, mode) == 0) return OK;
    fault = errno;
    if (fault == EEXIST || path_is_directory(folder)) return OK;
    return err_set(err, ERR_IO, "%s: cannot create the folder: %s", folder, strerror(fault));
}

/* Makes all folders of `path`, from the outermost one on. Changes the path and restores it. */
static Status make_folders(const BatchFile *file, char *path, Err *err)
{
    const size_t relative = strlen(path) - strlen(file->source + file->relative);
    Status st = OK;

    for (char *slash = path; st == OK && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        st = make_folder(path, folder_mode(file, (size_t)(slash - path), relative), err);
        *slash = '/';
    }
    return st;
}

Status batch_target_make_folders(const BatchTarget *target, const BatchFile *file, Err *err)
{
    char *folder, *path;
    Status st = OK;

    if (target->suffix) return OK;
    folder = path_folder(file->target);
    path = strdup(file->target);
    if (!folder || !path)
        st = err_memory(err, "a path");
    else if (!path_is_directory(folder))
        st = make_folders(file, path, err);
    free(folder);
    free(path);
    return st;
}
