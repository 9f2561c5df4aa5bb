/* program_folder.c - see program_folder.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "program_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

const char *const program_model_folders[PROGRAM_MODEL_FOLDERS] = { "models", "../share/dragoman/models" };

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

char *program_folder(const char *program)
{
    char *path = realpath("/proc/self/exe", NULL);

    if (!path && program) path = strchr(program, '/') ? realpath(program, NULL) : search_path(program);
    if (path) strrchr(path, '/')[1] = '\0';
    return path;
}
