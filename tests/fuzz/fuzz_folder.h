/* fuzz_folder.h - a folder for parsers that read files by their path. It is in $TMPDIR, which scripts/fuzz.py sets to a
 * folder in memory that it removes. */
#ifndef DRAGOMAN_FUZZ_FOLDER_H
#define DRAGOMAN_FUZZ_FOLDER_H

#include <unistd.h>

#include "fuzz_support.h"

/* Returns the path of a new folder. The caller frees it; the folder remains. */
static inline char *fuzz_folder_new(void)
{
    const char *parent = getenv("TMPDIR");
    const size_t room = 32 + (parent ? strlen(parent) : 0);
    char *path = malloc(room);

    require(path != NULL, "memory", "a path");
    (void)snprintf(path, room, "%s/fuzz-XXXXXX", parent ? parent : "/tmp");
    require(mkdtemp(path) != NULL, "a folder", path);
    return path;
}

/* Returns FOLDER/NAME; the caller frees it. */
static inline char *fuzz_folder_path(const char *folder, const char *name)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);

    require(path != NULL, "memory", name);
    (void)snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* Writes the file FOLDER/NAME; an old one is replaced. */
static inline void fuzz_folder_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = fuzz_folder_path(folder, name);
    FILE *file;

    (void)unlink(path);
    file = fopen(path, "wb");
    require(file != NULL, "creating", path);
    require(!size || fwrite(bytes, size, 1, file) == 1, "writing", path);
    require(fclose(file) == 0, "closing", path);
    free(path);
}

static inline void fuzz_folder_remove(const char *folder, const char *name)
{
    char *path = fuzz_folder_path(folder, name);

    (void)unlink(path);
    free(path);
}

/* Like require_message(), for the path of the folder or of a file in it. */
static inline void fuzz_folder_require_message(const Err *err, const char *folder)
{
    const size_t length = strlen(folder);

    require(strncmp(err->text, folder, length) == 0 && strchr(":/ ", err->text[length]), "the path in the message",
            err->text);
    require(!strpbrk(err->text, "\n\r\x1b"), "one line", err->text);
}

#endif
