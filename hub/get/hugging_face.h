/* hugging_face.h - models of the Hugging Face hub: the list of a model's files, and the cache that they are written
 * to. */
#ifndef DRAGOMAN_HUGGING_FACE_H
#define DRAGOMAN_HUGGING_FACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "download.h"
#include "err.h"
#include "folders.h"

/* --- The files of a model, and those that dragoman needs ------------------------------- */

#define HUB_COMMIT_LENGTH 40

typedef struct {
    char *name;
    uint64_t size;
    DigestKind kind;
    char hash[DIGEST_HEX]; /* also the name of its blob */
    bool wanted;
} HubFile;

/* Starts as {0}; free it with hub_listing_free(). */
typedef struct {
    char commit[HUB_COMMIT_LENGTH + 1];
    HubFile *files; /* in the order of their names, which are unique */
    size_t count, capacity;
} HubListing;

/* Reads the answer of the hub. `model` is for messages. Names that lead out of the folder, and sizes or hashes that are
 * missing, are ERR_FORMAT. Marks the files that dragoman needs, but none of the parts of weights that an index lists.
 * ERR_UNSUPPORTED: there are none in a format that dragoman reads. */
MUST_USE Status hub_listing_read(HubListing *out, const Buf *answer, const char *model, Err *err);
void hub_listing_free(HubListing *listing);

/* The wanted index of weights in several parts; NULL if there is none. */
const HubFile *hub_listing_index(const HubListing *listing);
/* Marks the parts that the index, a text, lists. */
MUST_USE Status hub_listing_want_parts(HubListing *listing, const Buf *index, const char *model, Err *err);

uint64_t hub_listing_wanted_bytes(const HubListing *listing);

/* --- The cache of Hugging Face's programs, in the layout of huggingface_hub -------------
 *     models--ORG--NAME/blobs/HASH              the files
 *     models--ORG--NAME/blobs/HASH.incomplete   files that are being downloaded
 *     models--ORG--NAME/snapshots/COMMIT/NAME   links to blobs
 *     models--ORG--NAME/refs/REVISION           the name of a commit
 *     .locks/models--ORG--NAME/HASH.lock        held (flock) while a blob is written
 * Of its own it adds, while a new snapshot is made:
 *     models--ORG--NAME/.snapshot-PID           the snapshot until it is complete
 *     .locks/models--ORG--NAME/snapshots.lock   held */

/* Starts as {0}. */
typedef struct {
    char *model; /* the folder models--ORG--NAME */
    char *locks; /* the folder of lock files */
    FileLock lock;
} HubCache;

/* Makes the snapshot of the wanted files, all of whose blobs exist. It appears with all its files at once, unless it
 * exists already. *path is its path, to be freed by the caller. */
MUST_USE Status hub_cache_link(HubCache *cache, const HubListing *listing, char **path, Err *err);

#endif
