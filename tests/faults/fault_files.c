/* fault_files.c - see fault_files.h. */
#define _GNU_SOURCE /* nftw(), vasprintf() */
#include "fault_files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fault_give_up(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("run_faults: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    va_end(arguments);
    _exit(3);
}

char *fault_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) fault_give_up("out of memory");
    va_end(arguments);
    return text;
}

FaultFile fault_file_read(const char *path)
{
    FaultFile file = { .path = fault_text("%s", path) };
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) fault_give_up("%s: %s", path, strerror(errno));
    file.size = (size_t)info.st_size;
    file.data = calloc(1, file.size + 1);
    if (!file.data || read(fd, file.data, file.size) != (ssize_t)file.size) fault_give_up("%s: cannot be read", path);
    close(fd);
    return file;
}

static FaultFile read_link(const char *path, size_t size)
{
    FaultFile file = { .path = fault_text("%s", path), .size = size, .is_link = true };

    file.data = calloc(1, size + 1);
    if (!file.data || readlink(path, file.data, size) != (ssize_t)size) fault_give_up("%s: cannot be read", path);
    return file;
}

/* nftw() has no argument for its function. */
static struct {
    FaultFiles files;
    size_t skipped; /* characters of the folder */
} found;

static int add_file(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    FaultFile file;

    (void)position;
    if (kind != FTW_F && kind != FTW_SL && kind != FTW_SLN) return 0;
    file = S_ISLNK(info->st_mode) ? read_link(path, (size_t)info->st_size) : fault_file_read(path);
    memmove(file.path, file.path + found.skipped, strlen(file.path + found.skipped) + 1);
    found.files.items = realloc(found.files.items, (found.files.count + 1) * sizeof file);
    if (!found.files.items) fault_give_up("out of memory");
    found.files.items[found.files.count++] = file;
    return 0;
}

FaultFiles fault_files_read(const char *folder)
{
    found.files = (FaultFiles){ 0 };
    found.skipped = strlen(folder) + 1;
    if (nftw(folder, add_file, 16, FTW_PHYS) != 0) fault_give_up("%s: cannot be listed", folder);
    return found.files;
}

void fault_files_free(FaultFiles *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].data);
    }
    free(files->items);
    *files = (FaultFiles){ 0 };
}

const FaultFile *fault_files_find(const FaultFiles *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0) return &files->items[i];
    return NULL;
}

bool fault_file_equals(const FaultFile *a, const FaultFile *b)
{
    if (!a || !b) return a == b;
    return a->is_link == b->is_link && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

bool fault_files_equal(const FaultFiles *a, const FaultFiles *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!fault_file_equals(&a->items[i], fault_files_find(b, a->items[i].path))) return false;
    return true;
}

static int remove_item(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info;
    (void)kind;
    if (position->level > 0 && remove(path) != 0) fault_give_up("%s: %s", path, strerror(errno));
    return 0;
}

static void make_folders(char *path)
{
    for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) fault_give_up("%s: %s", path, strerror(errno));
        *end = '/';
    }
}

static void write_file(const FaultFile *file, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 || write(fd, file->data, file->size) != (ssize_t)file->size)
        fault_give_up("%s: %s", path, strerror(errno));
    close(fd);
}

void fault_files_restore(const FaultFiles *files, const char *folder)
{
    if (nftw(folder, remove_item, 16, FTW_PHYS | FTW_DEPTH) != 0) fault_give_up("%s: cannot be emptied", folder);
    for (size_t i = 0; i < files->count; i++) {
        char *path = fault_text("%s/%s", folder, files->items[i].path);
        make_folders(path);
        if (!files->items[i].is_link)
            write_file(&files->items[i], path);
        else if (symlink(files->items[i].data, path) != 0)
            fault_give_up("%s: %s", path, strerror(errno));
        free(path);
    }
}
