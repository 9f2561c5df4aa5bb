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

#include "decompress.h"
#include "hash64.h"
#include "packed_file.h"
#include "zip_file.h"

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

    if (!packed_file_is(out) || strchr(name, '/'))
        return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOTDIR));
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

/* The same for an archive; an entry that was compressed takes its place. */
static Status narrow_archive(MappedFile *out, const char *archive, const char *name, Err *err)
{
    MappedFile unpacked = { 0 };
    const unsigned char *data = NULL;
    size_t size = 0;
    ZipFile zip = { 0 };
    Status st = zip_file_open(&zip, out, archive, err);

    if (st == OK) st = zip_file_read(&zip, name, &data, &size, &unpacked, err);
    zip_file_close(&zip);
    if (st != OK) return st;
    if (unpacked.pages) {
        mapped_file_close(out);
        *out = unpacked;
    }
    out->data = size ? data : NULL;
    out->size = size;
    return OK;
}

/* The file that the path goes through: *length bytes of it. ENOTDIR: there is none. */
static Status map_container(MappedFile *out, char *path, size_t *length, int *fault, Err *err)
{
    Status st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));

    *out = (MappedFile){ 0 };
    *fault = ENOTDIR;
    for (char *slash = strrchr(path, '/'); slash && *fault == ENOTDIR; slash = strrchr(path, '/')) {
        *slash = '\0';
        *length = (size_t)(slash - path);
        st = map_path(out, path, fault, err);
    }
    return st;
}

static Status open_inside(MappedFile *out, const char *path, Err *err)
{
    char *container = strdup(path);
    size_t length = 0;
    int fault;
    Status st = container ? map_container(out, container, &length, &fault, err) : err_memory(err, "a path");

    if (container && st == ERR_IO) st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));
    if (st == OK && zip_file_is(out))
        st = narrow_archive(out, container, path + length + 1, err);
    else if (st == OK)
        st = narrow(out, container, path + length + 1, err);
    if (st != OK) mapped_file_close(out);
    free(container);
    return st;
}

Status mapped_file_open(MappedFile *out, const char *path, Err *err)
{
    int fault;
    Status st = map_path(out, path, &fault, err);

    if (fault == ENOTDIR) return open_inside(out, path, err);
    if (st == OK) st = decompress_file(out, path, err);
    if (st != OK) mapped_file_close(out);
    return st;
}

static bool archive_has(const MappedFile *archive, const char *name)
{
    ZipFile zip = { 0 };
    bool has = zip_file_open(&zip, archive, "", NULL) == OK && zip_file_has(&zip, name);

    zip_file_close(&zip);
    return has;
}

bool mapped_file_is_inside(const char *path)
{
    char *container = strdup(path);
    MappedFile file = { 0 };
    size_t length = 0, offset, size;
    int fault;
    bool found = container && map_container(&file, container, &length, &fault, NULL) == OK;

    if (found && zip_file_is(&file))
        found = archive_has(&file, path + length + 1);
    else
        found = found && packed_file_is(&file) && packed_file_find(&file, path + length + 1, &offset, &size);
    mapped_file_close(&file);
    free(container);
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
