/* mapped_file.c - see mapped_file.h. mapped_file_find() looks up an address in a list of all mapped files. A signal
 * handler must not wait for a lock, so entries are never removed from the list: the entry of a closed file is reused,
 * and its `begin` is 0 while the other fields change. The entry that a handler finds does not change, because its file
 * is still open: the handler's thread was just reading it. */
#define _DEFAULT_SOURCE /* madvise() is not in POSIX */
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"

typedef struct MappedPlace {
    atomic_uintptr_t begin, end; /* begin is 0: not in use */
    _Atomic(char *) path;
    struct MappedPlace *next;
} MappedPlace;

/* A global list, because a signal handler gets no argument for it. */
static _Atomic(MappedPlace *) places;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all changes */

/* Returns the entry that begins at `begin`, or NULL. The caller has the lock. */
static MappedPlace *find_entry(uintptr_t begin)
{
    MappedPlace *entry = atomic_load(&places);

    while (entry && atomic_load(&entry->begin) != begin) entry = entry->next;
    return entry;
}

/* Adds to the list that bytes[0, size) are those of the file at `path`. Copies the path. */
static Status registry_add(const void *bytes, size_t size, const char *path, Err *err)
{
    char *copy = strdup(path);
    MappedPlace *entry;

    if (!copy) return err_memory(err, "a path");
    pthread_mutex_lock(&lock);
    entry = find_entry(0);
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (entry) {
            entry->next = atomic_load(&places);
            atomic_store(&places, entry);
        }
    }
    if (entry) {
        atomic_store(&entry->path, copy);
        atomic_store(&entry->end, (uintptr_t)bytes + size);
        atomic_store(&entry->begin, (uintptr_t)bytes);
    }
    pthread_mutex_unlock(&lock);
    if (entry) return OK;
    free(copy);
    return err_memory(err, "a path");
}

const char *mapped_file_find(const void *address)
{
    const uintptr_t wanted = (uintptr_t)address;

    for (MappedPlace *entry = atomic_load(&places); entry; entry = entry->next) {
        const uintptr_t begin = atomic_load(&entry->begin), end = atomic_load(&entry->end);
        const char *path = atomic_load(&entry->path);

        /* If `begin` has not changed, the three values belong to one file. */
        if (begin && wanted >= begin && wanted < end && atomic_load(&entry->begin) == begin) return path;
    }
    return NULL;
}

static Status map_descriptor(MappedFile *out, int fd, const char *path, Err *err)
{
    struct stat info;
    void *data;
    Status st;

    if (fstat(fd, &info) != 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return err_set(err, ERR_IO, "%s is a directory, not a file", path);
    if (!S_ISREG(info.st_mode)) return err_set(err, ERR_IO, "%s is not a regular file", path);
    if (info.st_size == 0) return OK;
    if ((uintmax_t)info.st_size > SIZE_MAX) return err_set(err, ERR_IO, "%s: too large", path);
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return err_set(err, ERR_IO, "%s: cannot map: %s", path, strerror(errno));
    st = registry_add(data, (size_t)info.st_size, path, err);
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
    char *path = NULL;
    MappedPlace *entry;

    /* Take the file off the list before it is unmapped. */
    pthread_mutex_lock(&lock);
    entry = file->pages ? find_entry((uintptr_t)file->pages) : NULL;
    if (entry) {
        atomic_store(&entry->begin, 0);
        path = atomic_exchange(&entry->path, NULL);
    }
    pthread_mutex_unlock(&lock);
    free(path);
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
