/* download.h - downloads one file, continues an interrupted download, compares the result with what the server states,
 * and tells the user how much is done. */
#ifndef DRAGOMAN_DOWNLOAD_H
#define DRAGOMAN_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "digest.h"
#include "dragoman_hub.h"
#include "err.h"
#include "web.h"

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

/* Downloads the file; `progress` counts its bytes. On OK, task->partial is complete, checked and on the disk. ERR_IO with reply->status: as
 * web_get(); the part that has arrived stays, also if the user cancels. If the result is wrong or the disk is full, the file is removed. */
MUST_USE Status download_file(Web *web, const DownloadTask *task, Progress *progress, WebReply *reply, Err *err);

/* Compares an existing file with the size and the hash of the task. *same is false if it does not exist. */
MUST_USE Status download_check_existing(const char *path, const DownloadTask *task, bool *same, Err *err);

#endif
