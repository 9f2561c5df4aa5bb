/* hub_cache.c - see hub_cache.h. */
#include "hub_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folders.h"
#include "model_places.h"
#include "path.h"
#include "temporary_file.h"
#include "text.h"
#include "write_all.h"

#define UNFINISHED ".snapshot-" /* how the name of a snapshot begins until it is complete */

static Status system_fault(const char *path, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

static Status create_inside(const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Status st = path ? folders_create(path, err) : err_memory(err, "a path");

    free(path);
    return st;
}

Status hub_cache_open(HubCache *cache, const char *name, Err *err)
{
    char *hub = model_places_hub();
    Buf folder = { 0 }, locks = { 0 };
    Status st = hub ? OK : model_places_fault("get: the cache is not known: set HF_HOME or HOME", err);

    if (st == OK) st = buf_append_format(&folder, err, "%s/", hub);
    if (st == OK) st = model_places_append_hub_folder(&folder, name, err);
    if (st == OK) st = buf_append_format(&locks, err, "%s/.locks%s", hub, folder.data + strlen(hub));
    cache->model = folder.data;
    cache->locks = locks.data;
    if (st == OK) st = create_inside(cache->model, "blobs", err);
    if (st == OK) st = create_inside(cache->model, "snapshots", err);
    if (st == OK) st = create_inside(cache->model, "refs", err);
    if (st == OK) st = folders_create(cache->locks, err);
    free(hub);
    return st;
}

static void remove_if_empty(const char *folder, const char *name)
{
    char *path = path_join(folder, name);

    if (path) (void)rmdir(path);
    free(path);
}

void hub_cache_close(HubCache *cache)
{
    hub_cache_unlock(cache);
    if (cache->model) {
        remove_if_empty(cache->model, "blobs");
        remove_if_empty(cache->model, "snapshots");
        remove_if_empty(cache->model, "refs");
        (void)rmdir(cache->model);
    }
    if (cache->locks) (void)rmdir(cache->locks);
    free(cache->model);
    free(cache->locks);
    *cache = (HubCache){ 0 };
}

/* Without locks, blobs are still right, because only whole ones get their names. */
Status hub_cache_lock(HubCache *cache, const char *name, Err *err)
{
    Buf path = { 0 };
    Status st = buf_append_format(&path, err, "%s/%s.lock", cache->locks, name);

    if (st == OK) st = file_lock_take(&cache->lock, path.data, err);
    buf_free(&path);
    return st;
}

void hub_cache_unlock(HubCache *cache)
{
    file_lock_release(&cache->lock);
}

char *hub_cache_blob(const HubCache *cache, const char *hash, const char *ending)
{
    Buf path = { 0 };

    if (buf_append_format(&path, NULL, "%s/blobs/%s%s", cache->model, hash, ending) == OK) return path.data;
    buf_free(&path);
    return NULL;
}

/* Links the wanted files in a folder that is two levels below the one of the model. */
static Status link_files(const char *folder, const HubListing *listing, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < listing->count; i++) {
        const HubFile *file = &listing->files[i];
        char *path = file->wanted ? path_join(folder, file->name) : NULL;
        Buf target = { 0 };
        if (!file->wanted) continue;
        st = path ? buf_append_format(&target, err, "../../blobs/%s", file->hash) : err_memory(err, "a path");
        if (st == OK && symlink(target.data, path) != 0 && errno != EEXIST) st = system_fault(path, err);
        buf_free(&target);
        free(path);
    }
    return st;
}

static bool is_no_unfinished(const void *context, const char *name)
{
    (void)context;
    return !text_begins_with(name, UNFINISHED);
}

/* Makes the links in the folder `fresh`, which becomes `final`. If no other process can have the lock, all unfinished
 * snapshots have been left by processes that have ended. */
static Status link_new(HubCache *cache, const HubListing *listing, const char *fresh, const char *final, Err *err)
{
    Status st = hub_cache_lock(cache, "snapshots", err);

    if (st != OK) return st;
    if (cache->lock.is_exclusive) st = folders_clear(cache->model, is_no_unfinished, NULL, err);
    if (st == OK) st = folders_create(fresh, err);
    if (st == OK) st = link_files(fresh, listing, err);
    if (st == OK && rename(fresh, final) != 0)
        st = path_is_directory(final) ? link_files(final, listing, err) : system_fault(final, err);
    if (path_exists(fresh)) folders_remove(fresh);
    hub_cache_unlock(cache);
    return st;
}

Status hub_cache_link(HubCache *cache, const HubListing *listing, char **path, Err *err)
{
    Buf final = { 0 }, fresh = { 0 };
    Status st = buf_append_format(&final, err, "%s/snapshots/%s", cache->model, listing->commit);

    if (st == OK) st = buf_append_format(&fresh, err, "%s/" UNFINISHED "%ld", cache->model, (long)getpid());
    if (st == OK)
        st = path_is_directory(final.data) ? link_files(final.data, listing, err)
                                           : link_new(cache, listing, fresh.data, final.data, err);
    buf_free(&fresh);
    if (st == OK)
        *path = final.data;
    else
        buf_free(&final);
    return st;
}

static Status write_revision(int fd, const char *commit, const char *path, Err *err)
{
    const int code = write_all(fd, commit, strlen(commit));
    Status st = code ? err_set(err, ERR_IO, "%s: %s", path, strerror(code)) : OK;

    if (close(fd) != 0 && st == OK) st = system_fault(path, err);
    return st;
}

Status hub_cache_set_revision(const HubCache *cache, const char *revision, const char *commit, Err *err)
{
    Buf path = { 0 };
    char *folder = NULL, *fresh = NULL;
    int fd, fault;
    Status st = OK;

    if (strcmp(revision, commit) == 0) return OK;
    st = buf_append_format(&path, err, "%s/refs/%s", cache->model, revision);
    if (st == OK) st = folders_create_for(path.data, err);
    if (st == OK && !(folder = path_folder(path.data))) st = err_memory(err, "a path");
    if (st == OK) {
        st = temporary_file_create(&fd, &fresh, folder, path_name(path.data), 0666, &fault, err);
        if (st != OK && fault) st = err_set(err, ERR_IO, "%s: %s", folder, strerror(fault));
    }
    if (st == OK) {
        st = write_revision(fd, commit, fresh, err);
        if (st == OK && rename(fresh, path.data) != 0) st = system_fault(path.data, err);
        if (st != OK) (void)unlink(fresh);
        temporary_file_forget(fresh);
    }
    free(fresh);
    free(folder);
    buf_free(&path);
    return st;
}
