/* default_model.c - see default_model.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "default_model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

#define BESIDE    "models/en-de.safetensors"
#define INSTALLED "../share/dragoman/models/en-de.safetensors"

/* The program in the folders of $PATH, with links resolved, or NULL. */
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

/* The folder of the program, with links resolved, or NULL. Linux knows the
 * file itself; elsewhere argv[0] says it. */
static char *program_folder(const char *program)
{
    char *path = realpath("/proc/self/exe", NULL);

    if (!path && program) path = strchr(program, '/') ? realpath(program, NULL) : search_path(program);
    if (path) strrchr(path, '/')[1] = '\0';
    return path;
}

Status default_model_find(char **out, const char *program, Err *err)
{
    char *folder = program_folder(program);
    char *beside = folder ? path_join(folder, BESIDE) : NULL;
    char *installed = folder ? path_join(folder, INSTALLED) : NULL;
    Status st = OK;

    *out = NULL;
    if (beside && path_exists(beside))
        *out = beside;
    else if (installed && path_exists(installed))
        *out = installed;
    else if (beside && installed)
        st = err_set(err, ERR_IO, "no model: use -m PATH or set DRAGOMAN_MODEL; the default model is neither %s nor %s",
                     beside, installed);
    else
        st = err_set(err, ERR_IO, "no model: use -m PATH or set DRAGOMAN_MODEL");
    if (*out != beside) free(beside);
    if (*out != installed) free(installed);
    free(folder);
    return st;
}
