/* hub_cache.h - writes a model into the cache of Hugging Face's programs, in the layout of huggingface_hub:
 *     models--ORG--NAME/blobs/HASH              the files
 *     models--ORG--NAME/blobs/HASH.incomplete   files that are being downloaded
 *     models--ORG--NAME/snapshots/COMMIT/NAME   links to blobs
 *     models--ORG--NAME/refs/REVISION           the name of a commit
 *     .locks/models--ORG--NAME/HASH.lock        held (flock) while a blob is written
 * Of its own it adds, while a new snapshot is made:
 *     models--ORG--NAME/.snapshot-PID           the snapshot until it is complete
 *     .locks/models--ORG--NAME/snapshots.lock   held */
#ifndef DRAGOMAN_HUB_CACHE_H
#define DRAGOMAN_HUB_CACHE_H

#include "err.h"
#include "file_lock.h"
#include "hub_listing.h"

/* Starts as {0}; end it with hub_cache_close(). */
typedef struct {
    char *model; /* the folder models--ORG--NAME */
    char *locks; /* the folder of lock files */
    FileLock lock;
} HubCache;

/* Creates the folders for the model `name`. */
MUST_USE Status hub_cache_open(HubCache *cache, const char *name, Err *err);
/* Releases the lock, removes folders of this model that are empty, and frees the fields. */
void hub_cache_close(HubCache *cache);

/* Waits until no other process holds the lock of this name, the hash of a blob, and takes it. */
MUST_USE Status hub_cache_lock(HubCache *cache, const char *name, Err *err);
void hub_cache_unlock(HubCache *cache);

/* The path of a blob followed by `ending`, to be freed by the caller; NULL when out of memory. */
char *hub_cache_blob(const HubCache *cache, const char *hash, const char *ending);

/* Makes the snapshot of the wanted files, all of whose blobs exist. It appears with all its files at once, unless it
 * exists already. *path is its path, to be freed by the caller. */
MUST_USE Status hub_cache_link(HubCache *cache, const HubListing *listing, char **path, Err *err);

/* Writes the commit that `revision` stands for; nothing if it is the commit itself. */
MUST_USE Status hub_cache_set_revision(const HubCache *cache, const char *revision, const char *commit, Err *err);

#endif
