/* hub_listing.h - the files of a model of the Hugging Face hub, and those that dragoman needs. */
#ifndef DRAGOMAN_HUB_LISTING_H
#define DRAGOMAN_HUB_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "err.h"

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

#endif
