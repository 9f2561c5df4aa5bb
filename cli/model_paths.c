/* model_paths.c - see library.h: finds the models. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "library.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "path.h"
#include "text.h"

#define DEFAULT_NAME "en-de"

/* The folders of models, relative to the program: next to it, and under the installation prefix. */
static const char *const model_folders[] = { "models", "../share/dragoman/models" };
#define MODEL_FOLDERS (sizeof model_folders / sizeof *model_folders)

/* Finds the program in the folders of $PATH and resolves links; NULL if it is not there. */
static char *search_path(const char *program)
{
    const char *folders = getenv("PATH");

    while (folders && *folders) {
        size_t len = strcspn(folders, ":");
        char *folder = strndup(folders, len), *path = folder ? path_join(folder, program) : NULL;
        char *real = path && access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;

        free(folder);
        free(path);
        if (real) return real;
        folders += len + (folders[len] == ':');
    }
    return NULL;
}

/* Returns the folder of the program, with links resolved, or NULL. Linux knows the path of the program; other
 * systems use argv[0]. */
static char *program_folder(const char *program)
{
    char *path = realpath("/proc/self/exe", NULL);

    if (!path && program) path = strchr(program, '/') ? realpath(program, NULL) : search_path(program);
    if (path) strrchr(path, '/')[1] = '\0';
    return path;
}

/* Lists the paths where a model with this name may be; *count is 0 if the folder of the program is unknown. */
static Status candidates(Buf paths[MODEL_FOLDERS], size_t *count, const char *name, const char *program, Err *err)
{
    char *folder = program_folder(program);
    Status st = OK;

    *count = folder ? MODEL_FOLDERS : 0;
    for (size_t i = 0; st == OK && i < *count; i++)
        st = buf_append_format(&paths[i], err, "%s%s/%s.safetensors", folder, model_folders[i], name);
    free(folder);
    return st;
}

/* Leaves *out NULL if there is no such model, which is ERR_IO if `required`. */
static Status find_by_name(char **out, const char *name, bool required, const char *program, Err *err)
{
    Buf paths[MODEL_FOLDERS] = { { 0 } };
    size_t count;
    Status st = candidates(paths, &count, name, program, err);

    for (size_t i = 0; st == OK && !*out && i < count; i++) {
        if (!path_exists(paths[i].data)) continue;
        *out = paths[i].data;
        paths[i] = (Buf){ 0 };
    }
    if (st == OK && !*out && required && count)
        st = err_set(err, ERR_IO,
                     "no model: use -m PATH or set DRAGOMAN_MODEL; the default model exists neither at %s nor at %s",
                     paths[0].data, paths[1].data);
    else if (st == OK && !*out && required)
        st = err_set(err, ERR_IO, "no model: use -m PATH or set DRAGOMAN_MODEL");
    for (size_t i = 0; i < MODEL_FOLDERS; i++) buf_free(&paths[i]);
    return st;
}

static Status find_one(char **out, const char *name, const char *program, Err *err)
{
    Status st = OK;

    *out = NULL;
    if (!strchr(name, '/') && !path_exists(name)) st = find_by_name(out, name, false, program, err);
    if (st != OK || *out) return st;
    if (*name && !strchr(name, '/') && !path_exists(name))
        return err_set(
            err, ERR_IO,
            "%s: no such folder or file; download the model first (only " DEFAULT_NAME " comes with dragoman)", name);
    *out = strdup(name);
    return *out ? OK : err_memory(err, "a file name");
}

static Status append_one(Buf *paths, const char *name, size_t len, const char *program, Err *err)
{
    char *copy = strndup(name, len), *path = NULL;
    Status st = copy ? find_one(&path, copy, program, err) : err_memory(err, "a file name");

    if (st == OK) st = buf_append_text(paths, path, err);
    free(path);
    free(copy);
    return st;
}

/* `names` is one name, or the names of an ensemble separated by commas. */
static Status find(char **out, const char *names, const char *program, Err *err)
{
    Buf paths = { 0 };
    size_t len = path_first(names);
    Status st = append_one(&paths, names, len, program, err);

    while (st == OK && names[len]) {
        names += len + 1;
        len = path_first(names);
        st = buf_append(&paths, ",", 1, err);
        if (st == OK) st = append_one(&paths, names, len, program, err);
    }
    if (st == OK)
        *out = paths.data;
    else
        buf_free(&paths);
    return st;
}

Status model_paths_find(ModelPaths *out, const OptionList *names, const char *program, Err *err)
{
    const char *own = getenv("DRAGOMAN_MODEL");
    Status st = OK;

    *out = (ModelPaths){ { NULL } };
    for (size_t i = 0; st == OK && i < names->count; i++) st = find(&out->items[i], names->items[i], program, err);
    if (st != OK || names->count) return st;
    return own && *own ? find(&out->items[0], own, program, err)
                       : find_by_name(&out->items[0], DEFAULT_NAME, true, program, err);
}

static Status append_names_in(Buf *out, const char *folder, Err *err)
{
    static const char suffix[] = ".safetensors";
    DIR *dir = opendir(folder);
    struct dirent *entry;
    Status st = OK;

    while (dir && st == OK && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (*name != '.' && text_ends_with(name, suffix))
            st = buf_append_format(out, err, "%.*s\n", (int)(strlen(name) - strlen(suffix)), name);
    }
    if (dir) closedir(dir);
    return st;
}

Status model_paths_append_names(Buf *out, const char *program, Err *err)
{
    char *own = program_folder(program);
    Status st = OK;

    for (size_t i = 0; own && st == OK && i < MODEL_FOLDERS; i++) {
        char *folder = path_join(own, model_folders[i]);
        st = folder ? append_names_in(out, folder, err) : err_memory(err, "a file name");
        free(folder);
    }
    free(own);
    return st;
}

void model_paths_free(ModelPaths *paths)
{
    for (size_t i = 0; i < OPTION_LIST_LIMIT; i++) free(paths->items[i]);
}
