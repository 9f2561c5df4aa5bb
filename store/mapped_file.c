/* mapped_file.c - see mapped_file.h. */
#define _DEFAULT_SOURCE /* madvise() is not in POSIX */
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

#include "mapped_registry.h"
#include "path.h"

static Status map_descriptor(MappedFile *out, int fd, const char *path, Err *err)
{
    struct stat info;
    void *data;
    Status st;

    if (fstat(fd, &info) != 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return err_set(err, ERR_IO, "%s: is a directory, not a file", path);
    if (!S_ISREG(info.st_mode)) return err_set(err, ERR_IO, "%s: is not a regular file", path);
    if (info.st_size == 0) return OK;
    if ((uintmax_t)info.st_size > SIZE_MAX) return err_set(err, ERR_IO, "%s: too large", path);
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return err_set(err, ERR_IO, "%s: cannot map: %s", path, strerror(errno));
    st = mapped_registry_add(data, (size_t)info.st_size, path, err);
    if (st != OK) {
        munmap(data, (size_t)info.st_size);
        return st;
    }
    *out = (MappedFile){ data, (size_t)info.st_size, data, (size_t)info.st_size, false };
    return OK;
}

Status mapped_file_open(MappedFile *out, const char *path, int *fault, Err *err)
{
    Status st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */

    *out = (MappedFile){ 0 };
    *fault = fd < 0 ? errno : 0;
    if (fd < 0) return path_fault_report(path, *fault, err);
    st = map_descriptor(out, fd, path, err);
    close(fd);
    return st;
}

void mapped_file_close(MappedFile *file)
{
    mapped_registry_remove(file->pages);
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
