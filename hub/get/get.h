/* get.h - downloads: web requests, files, folders, and the sites that models come from.
 *
 * Requests use libcurl, which is loaded at run time, in one thread. Redirects are followed here and not by libcurl:
 * each address is checked, and the token goes only to the server that it belongs to. Connections that break, 429 and
 * 5xx are tried again after a pause. */
#ifndef DRAGOMAN_GET_H
#define DRAGOMAN_GET_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dragoman_hub.h"
#include "err.h"

/* --- Requests (web.c). --- */

typedef struct Web Web; /* fields: web.c */

/* Opens a connection. `base` is the address of the service. Addresses must begin with https:// or, if `base` begins
 * with http://, with that. `token` is sent only to the scheme, host and port of `base`; NULL: none. On OK the caller
 * frees *out with web_free(). ERR_UNSUPPORTED: libcurl is missing. */
MUST_USE Status web_new(Web **out, const char *base, const char *token, Err *err);
void web_free(Web *web); /* NULL is allowed */

/* A connection that is slow for so many seconds is made anew, and a request that makes no progress for
 * `patience_seconds`, in all its attempts, fails. web_new() chooses 30 and 90. */
void web_set_patience(Web *web, long slow_seconds, long patience_seconds);

/* What takes the bytes of an answer. */
typedef struct {
    void *context;
    /* The answer begins at the byte `offset` of the file: forget what comes after it. Called before the first byte, and
     * with 0 if the answer must be requested again from its beginning. */
    Status (*begin)(void *context, uint64_t offset, Err *err);
    Status (*take)(void *context, const char *bytes, size_t count, Err *err);
    /* The number of bytes that are there, from which to continue. NULL: requests are always for the whole. */
    uint64_t (*position)(void *context);
} WebSink;

typedef struct {
    long status;         /* of HTTP; 0: no answer */
    long retry_after;    /* seconds, or -1 */
    char error_code[64]; /* the header X-Error-Code of huggingface.co; "" if there is none */
    char fault[200];     /* what failed if `status` is 0 */
    bool broken;         /* the answer is not complete */
} WebReply;

/* Requests an address. OK: reply->status is 200 or 206, and the sink has everything. ERR_IO with reply->status (0 if
 * the server cannot be reached): the caller may explain the status better than *err does. Other errors are those of the
 * sink, or addresses that are not allowed. */
MUST_USE Status web_get(Web *web, const char *url, const WebSink *sink, WebReply *reply, Err *err);

/* Requests a text of at most `most` bytes. */
MUST_USE Status web_get_text(Web *web, const char *url, size_t most, Buf *out, WebReply *reply, Err *err);

/* Puts a text at the end of an address, with all characters but letters, digits and -._~ as %XX. (Sticky:
 * buf_check().) */
void web_put_escaped(Buf *out, const char *text);

/* A function of a shared library, and where its address belongs: a pointer of any function type. */
typedef struct {
    const char *name;
    void *function;
} LoadedFunction;

/* Loads the library `name`, which only downloads need and which stays open until the process ends, and finds its
 * functions. ERR_UNSUPPORTED: the library or a function is missing; the message says what to install. */
MUST_USE Status loaded_library_open(const char *name, const char *purpose, const LoadedFunction *functions,
                                    size_t count, Err *err);

/* --- Files (download.c). --- */

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

/* --- Folders that downloads are written to, and locks between processes that write there (folders.c). --- */

/* Creates the folder and those that it is in. */
MUST_USE Status folders_create(const char *path, Err *err);

/* Returns ERR_IO if the file system of the folder, which exists, has less free space than `bytes`. */
MUST_USE Status folders_check_space(const char *folder, uint64_t bytes, Err *err);

/* Sets *out to the folder that contains `folder`, which exists. If nothing can be written there and renamed into
 * `folder`, as with a mounted folder, *out is `folder` itself. This is tried with an empty file. To be
 * freed by the caller. */
MUST_USE Status folders_find_workplace(char **out, const char *folder, Err *err);

/* Gives the folder `from` the name `to`. A folder that has this name is removed; it stays if renaming fails. Whenever
 * the process ends, there is an old or a new folder of this name; where the system cannot exchange two names, only
 * SIGKILL and a power failure can leave the old one as FROM.old. */
MUST_USE Status folders_replace(const char *from, const char *to, Err *err);

/* Removes everything in the folder whose name `keeps` refuses. */
typedef bool FolderFilter(const void *context, const char *name);
MUST_USE Status folders_clear(const char *folder, FolderFilter *keeps, const void *context, Err *err);

/* Removes a file or a folder with everything in it. Links are removed and not followed. Errors are ignored. */
void folders_remove(const char *path);

/* A lock is a file that exists while a process holds the lock (flock). A signal that ends the process removes the file.
 * Starts as {0}, which is not held. */
typedef struct {
    char *path; /* NULL: not held */
    int fd;
    bool is_exclusive; /* false: the file system has no locks, so other processes may hold it, too */
} FileLock;

/* Waits until no other process holds the lock. The folder of the file exists. File systems without locks are used
 * without them. */
MUST_USE Status file_lock_take(FileLock *lock, const char *path, Err *err);
void file_lock_release(FileLock *lock); /* does nothing if it is not held */

/* --- Sites. --- */

#define GET_MOST_ANSWER ((size_t)16 << 20) /* bytes of a list */

/* A download from a site. Sticky: the first fault sets `st` and writes the message, and the functions below then do
 * nothing. dragoman_download() frees it. (download.c) */
typedef struct {
    Web *web;
    Progress *progress;
    FileLock lock;
    bool refused; /* files cannot be written, as on a full disk */
    Err *err;
    Status st;
} Get;

/* Each downloads a model and sets *path to what dragoman opens, to be freed by the caller. `name` is checked. */
void get_from_hugging_face(Get *get, const char *name, char **path); /* "ORG/NAME" or "ORG/NAME@REVISION" */
void get_from_argos(Get *get, const char *pair, char **path);        /* Argos Translate: "FROM-TO" */
void get_from_firefox(Get *get, const char *pair, char **path);      /* "FROM-TO" */

/* Fails with the message. */
void get_fail(Get *get, Status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Return a text, or a path in a folder, to be freed by the caller; NULL after a fault. */
char *get_format(Get *get, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *get_join(Get *get, const char *folder, const char *name);

/* Creates the folder and those that it is in. */
void get_create_folder(Get *get, const char *path);
/* Waits for the lock and takes it. */
void get_lock(Get *get, const char *path);
/* Opens get->web: see web_new(). */
void get_open(Get *get, const char *base, const char *token);
/* Requests a JSON text, an object or a list; the caller deletes *out. */
void get_json(Get *get, const char *url, bool is_list, cJSON **out);
/* Downloads task->partial, unless `path` has the right bytes already, and gives it the name `path`. Returns whether the
 * file is new. */
bool get_file(Get *get, const DownloadTask *task, const char *path, WebReply *reply);

/* Opens everything but the weights of the model; the message says why dragoman cannot use it. */
void get_try_to_open(Get *get, const char *path);

/* Returns a text of a JSON object; "" if it has none of this name. */
const char *get_text_of(const cJSON *object, const char *key);

/* Whether the version under `key` in `a` is newer than the one in `b`. */
bool get_is_newer(const cJSON *a, const cJSON *b, const char *key);

/* Whether the pair FROM-TO has these languages, of which neither is empty. */
bool get_is_pair(const char *pair, const char *from, const char *to);

/* The newest package of the pair, FROM-TO, in the index of Argos Translate, a list with the languages and links of each
 * package; NULL if there is none. (argos.c) */
const cJSON *argos_index_find(const cJSON *list, const char *pair);

#define FIREFOX_MOST_FILES 8

/* A file of a model in the collection of Mozilla's Remote Settings. The texts are in the JSON tree. */
typedef struct {
    const char *name;     /* unique; letters, digits, '.', '_' and '-', not first a '.' */
    const char *location; /* below the server's address of attachments */
    const char *hash;     /* SHA-256 in hexadecimal */
    uint64_t size;
} FirefoxFile;

typedef struct {
    const char *from, *to, *version;
    FirefoxFile files[FIREFOX_MOST_FILES]; /* [count] */
    size_t count;
} FirefoxModel;

/* Chooses the newest model of the pair, FROM-TO, among the records. The tree must stay valid as long as *out. ERR_IO:
 * there is no such model. ERR_FORMAT: a name leads out of a folder or appears twice, a size or a hash is missing, or
 * there are too many files. (firefox.c) */
MUST_USE Status firefox_records_choose(FirefoxModel *out, const cJSON *records, const char *pair, Err *err);

/* --- The files of a model of the Hugging Face hub, and those that dragoman needs (hugging_face.c). --- */

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
