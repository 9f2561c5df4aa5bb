/* mapped_registry.c - see mapped_registry.h.
 * A signal handler must not wait for a lock, so it reads a list that only grows: an entry is used again when its file
 * was removed, and `begin` is 0 while the other fields change. A handler asks for an address that its thread is reading
 * at the moment, so the file at this address is not removed meanwhile; other entries may change. */
#include "mapped_registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    atomic_uintptr_t begin, end; /* begin is 0: not in use */
    _Atomic(char *) path;
    struct Entry *next;
} Entry;

/* A signal handler takes no argument, so it reads this list. */
static _Atomic(Entry *) entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all changes */

/* Under the lock: the entry that begins here, or NULL. */
static Entry *find_entry(uintptr_t begin)
{
    Entry *entry = atomic_load(&entries);

    while (entry && atomic_load(&entry->begin) != begin) entry = entry->next;
    return entry;
}

/* Under the lock: an entry that is not in use, or NULL without memory. */
static Entry *take_entry(void)
{
    Entry *entry = find_entry(0);

    if (entry) return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry) return NULL;
    entry->next = atomic_load(&entries);
    atomic_store(&entries, entry);
    return entry;
}

Status mapped_registry_add(const void *bytes, size_t size, const char *path, Err *err)
{
    char *copy = strdup(path);
    Entry *entry;

    if (!copy) return err_memory(err, "a path");
    pthread_mutex_lock(&lock);
    entry = take_entry();
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

void mapped_registry_remove(const void *bytes)
{
    char *path = NULL;
    Entry *entry;

    pthread_mutex_lock(&lock);
    entry = bytes ? find_entry((uintptr_t)bytes) : NULL;
    if (entry) {
        atomic_store(&entry->begin, 0);
        path = atomic_exchange(&entry->path, NULL);
    }
    pthread_mutex_unlock(&lock);
    free(path);
}

const char *mapped_registry_find(const void *address)
{
    const uintptr_t wanted = (uintptr_t)address;

    for (Entry *entry = atomic_load(&entries); entry; entry = entry->next) {
        const uintptr_t begin = atomic_load(&entry->begin), end = atomic_load(&entry->end);
        const char *path = atomic_load(&entry->path);

        /* If `begin` is still the same, the three values belong together. */
        if (begin && wanted >= begin && wanted < end && atomic_load(&entry->begin) == begin) return path;
    }
    return NULL;
}
