/* downloads.h - keeps translated documents in memory until they are fetched, for some time. Each has a name that nobody
 * can guess. Any thread may call these functions. */
#ifndef DRAGOMAN_DOWNLOADS_H
#define DRAGOMAN_DOWNLOADS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

typedef struct Downloads Downloads;

/* Keeps at most `most_bytes`. On OK the caller owns *out. */
MUST_USE Status downloads_new(Downloads **out, size_t most_bytes, Err *err);
void downloads_free(Downloads *downloads); /* NULL is allowed */

#define DOWNLOAD_ID (32 + 1) /* size of a buffer for the name of a document: hexadecimal digits */

/* Writes a new name, from random bytes of the system. */
MUST_USE Status downloads_name(char id[DOWNLOAD_ID], Err *err);

#define DOWNLOADS_FULL "there is no room for the translated document now; try again later" /* a message */

/* Reserves bytes for a translated document, which is then kept by downloads_put() or elsewhere. If there is no room,
 * forgets the oldest documents of downloads_put(). Returns false, and forgets none, if that does not make enough room.
 */
bool downloads_reserve(Downloads *downloads, size_t bytes);
void downloads_release(Downloads *downloads, size_t bytes);

/* Keeps a document, whose bytes it takes from *bytes, under a new name, which it writes to `id`. `label` is copied. The
 * bytes have been reserved; on failure, they are released. */
MUST_USE Status downloads_put(Downloads *downloads, const char *label, Buf *bytes, char id[DOWNLOAD_ID], Err *err);

typedef struct {
    char id[DOWNLOAD_ID];
    char *label;
    Buf bytes;
    double made;   /* clock_seconds() */
    size_t owners; /* the list, and those that have taken it */
} Download;

/* Finds a document; NULL: there is none. It stays valid until the caller gives it back. */
const Download *downloads_take(Downloads *downloads, const char *id);
void downloads_give_back(Downloads *downloads, const Download *download); /* NULL is allowed */

/* Forgets the documents that have been kept for ten minutes. */
void downloads_expire(Downloads *downloads);

size_t downloads_bytes(Downloads *downloads);

#endif
