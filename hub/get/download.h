/* download.h - downloads one file, continues an interrupted download, compares its size and checksum with what the
 * server states, and tells the user how much is done. */
#ifndef DRAGOMAN_DOWNLOAD_H
#define DRAGOMAN_DOWNLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dragoman_hub.h"
#include "err.h"
#include "web.h"

/* A checksum: SHA-256, or the id that git gives a file, which is the SHA-1 of "blob SIZE", a NUL and the content. */
typedef enum { DIGEST_SHA256, DIGEST_GIT_BLOB } DigestKind;

typedef struct Digest Digest; /* fields: download.c */

#define DIGEST_HEX 65 /* with the NUL */

/* Starts a digest; `size` is that of the file. On OK the caller frees *out with digest_free(). ERR_UNSUPPORTED:
 * libcrypto is missing. */
MUST_USE Status digest_new(Digest **out, DigestKind kind, uint64_t size, Err *err);
void digest_free(Digest *digest); /* NULL is allowed */

/* Forgets all bytes. */
MUST_USE Status digest_restart(Digest *digest, Err *err);
MUST_USE Status digest_add(Digest *digest, const void *bytes, size_t count, Err *err);

/* Writes the digest in hexadecimal. Nothing can be added afterwards. */
MUST_USE Status digest_finish(Digest *digest, char out[DIGEST_HEX], Err *err);

/* Adds the first `count` bytes of an open file. */
MUST_USE Status digest_add_file(Digest *digest, int fd, uint64_t count, const char *path, Err *err);

/* How much of a model has been downloaded, and who wants to know. */
typedef struct {
    DragomanProgress now;
    DragomanProgressReader *reader; /* NULL: nobody */
    void *context;
} Progress;

#define DOWNLOAD_SIZE_UNKNOWN UINT64_MAX

typedef struct {
    const char *url;
    const char *name;    /* of the file, for messages */
    const char *partial; /* the path to write; what an earlier download left there is continued */
    uint64_t size;       /* that the server states, or DOWNLOAD_SIZE_UNKNOWN */
    uint64_t most;       /* the largest size if it is not known */
    DigestKind kind;
    const char *hash; /* in hexadecimal; NULL: not known */
    bool *refused;    /* set if the file cannot be written, as on a full disk; may be NULL */
} DownloadTask;

/* Downloads the file; `progress` counts its bytes. On OK, task->partial is complete, checked and on the disk. ERR_IO
 * with reply->status: as web_get(); the part that has arrived stays, also if the user cancels. If the result is wrong
 * or the disk is full, the file is removed. */
MUST_USE Status download_file(Web *web, const DownloadTask *task, Progress *progress, WebReply *reply, Err *err);

/* Compares an existing file with the size and the hash of the task. *same is false if it does not exist. */
MUST_USE Status download_check_existing(const char *path, const DownloadTask *task, bool *same, Err *err);

#endif
