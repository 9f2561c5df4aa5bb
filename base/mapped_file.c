/* mapped_file.c - see mapped_file.h. */
#define _DEFAULT_SOURCE /* madvise(), which POSIX lacks */
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gunzip.h"
#include "hash64.h"
#include "packed_file.h"

/* A name that no file system has is longer. */
#define MAPPED_MAX_NAME ((size_t)255)

static Status map_descriptor(MappedFile *out, int fd, const char *path, Err *err)
{
    struct stat info;
    void *data;

    if (fstat(fd, &info) != 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return err_set(err, ERR_IO, "%s: is a directory, not a file", path);
    if (!S_ISREG(info.st_mode)) return err_set(err, ERR_IO, "%s: is not a regular file", path);
    if (info.st_size == 0) return OK;
    if ((uintmax_t)info.st_size > SIZE_MAX) return err_set(err, ERR_IO, "%s: too large", path);
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return err_set(err, ERR_IO, "%s: cannot map: %s", path, strerror(errno));
    *out = (MappedFile){ data, (size_t)info.st_size, data, (size_t)info.st_size, false };
    return OK;
}

/* *fault is errno where the file cannot be opened, else 0. */
static Status map_path(MappedFile *out, const char *path, int *fault, Err *err)
{
    Status st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hang */

    *out = (MappedFile){ 0 };
    *fault = fd < 0 ? errno : 0;
    if (fd < 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(*fault));
    st = map_descriptor(out, fd, path, err);
    close(fd);
    return st;
}

/* *out holds all of the packed model; then it is narrowed to the file. */
static Status narrow(MappedFile *out, const char *packed, const char *name, Err *err)
{
    char inside[sizeof PACKED_FILES + MAPPED_MAX_NAME];
    size_t offset, size;
    uint64_t expected;
    Status st;

    if (!packed_file_is(out)) return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOTDIR));
    st = packed_file_check(out, packed, err);
    if (st != OK) return st;
    if (strlen(name) > MAPPED_MAX_NAME || !packed_file_find(out, name, &offset, &size))
        return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOENT));
    snprintf(inside, sizeof inside, PACKED_FILES "%s", name);
    if (!packed_file_checksum(out, inside, &expected) || hash64_of(out->data + offset, size) != expected)
        return err_set(err, ERR_FORMAT, "%s/%s: is damaged: its checksum is another one", packed, name);
    out->data = size ? out->data + offset : NULL;
    out->size = size;
    return OK;
}

static Status open_inside(MappedFile *out, const char *path, Err *err)
{
    const char *slash = strrchr(path, '/');
    char *packed = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    int fault;
    Status st = packed ? map_path(out, packed, &fault, err) : err_memory(err, "a path");

    /* Deeper below a file there is nothing. */
    if (packed && st == ERR_IO) st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));
    if (st == OK) st = narrow(out, packed, slash + 1, err);
    if (st != OK) mapped_file_close(out);
    free(packed);
    return st;
}

Status mapped_file_open(MappedFile *out, const char *path, Err *err)
{
    int fault;
    Status st = map_path(out, path, &fault, err);

    if (fault == ENOTDIR) return open_inside(out, path, err);
    if (st == OK) st = gunzip_file(out, path, err);
    if (st != OK) mapped_file_close(out);
    return st;
}

bool mapped_file_is_inside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *packed = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    MappedFile file = { 0 };
    size_t offset, size;
    int fault;
    bool found = packed && map_path(&file, packed, &fault, NULL) == OK && packed_file_is(&file) &&
                 packed_file_find(&file, slash + 1, &offset, &size);

    mapped_file_close(&file);
    free(packed);
    return found;
}

void mapped_file_close(MappedFile *file)
{
    if (file->pages) munmap(file->pages, file->page_bytes);
    *file = (MappedFile){ 0 };
}

void mapped_file_advise(const MappedFile *file)
{
#ifdef MADV_HUGEPAGE
    if (file->pages) madvise(file->pages, file->page_bytes, MADV_HUGEPAGE);
#else
    (void)file;
#endif
}

void mapped_file_release(const MappedFile *file, size_t offset, size_t count)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)file->data;
    uintptr_t first, last;

    if (offset >= file->size || file->is_copy) return;
    if (count > file->size - offset) count = file->size - offset;
    first = (data + offset + page - 1) / page * page;
    last = (data + offset + count) / page * page;
    if (last > first) madvise((void *)first, last - first, MADV_DONTNEED);
}
