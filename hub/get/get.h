/* get.h - downloads: web requests, files, folders, and the sites that models come from.
 *
 * Requests use libcurl, which is loaded at run time, in one thread. Redirects are followed here and not by libcurl:
 * each address is checked, and the token goes only to the server that it belongs to. A request is repeated after a
 * pause if its connection breaks, or if its status is 429 or 5xx. */
#ifndef DRAGOMAN_GET_H
#define DRAGOMAN_GET_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dragoman_hub.h"
#include "err.h"

typedef struct Web Web; /* fields: web.c */

/* A lock is a file that exists while a process holds the lock (flock). A signal that ends the process removes the
 * file. */
typedef struct {
    char *path; /* NULL: the lock is not held */
    int fd;
    bool is_exclusive; /* false: the file system has no locks, so other processes may also hold this one */
} FileLock;

/* The answer to a request. */
typedef struct {
    long status;         /* the HTTP status; 0: no answer */
    long retry_after;    /* seconds from the header Retry-After; -1: none */
    char error_code[64]; /* the header X-Error-Code of huggingface.co; "" if there is none */
    char fault[200];     /* if `broken`: the reason */
    bool broken;         /* the answer is not complete */
} WebReply;

/* A download from a site. After the first fault, which sets `st` and writes the message, the functions below do
 * nothing. The owner calls get_unlock() and web_free(). */
typedef struct {
    Web *web;
    WebReply reply; /* to the last request */
    DragomanProgress progress;
    DragomanProgressReader *reader; /* NULL: the progress is not reported */
    void *context;                  /* for the reader */
    FileLock lock;
    /* A connection that is slow for `slow_seconds` is replaced by a new one. A request fails if all its attempts
     * together make no progress for `patience_seconds`. 0 stands for the usual 30 and 90. */
    long slow_seconds, patience_seconds;
    double connect_seconds; /* for one connection; 0: the usual time */
    double most_seconds;    /* for one request from its beginning to its end; 0: no limit */
    unsigned attempts;      /* the most failed requests in a row; 0: the usual 5 */
    bool refused;           /* files cannot be written, as on a full disk */
    Err *err;
    Status st;
} Get;

/* Fails with the message. (get.c) */
void get_fail(Get *get, Status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* These functions return a text, or a path in a folder; NULL after a fault. The caller frees it. (get.c) */
char *get_format(Get *get, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *get_join(Get *get, const char *folder, const char *name);

/* Returns ERR_USAGE if the name does not have the form of a model's name. (get.c) */
MUST_USE Status get_check_name(const char *name, Err *err);

/* --- Requests (web.c). --- */

/* Opens get->web. `base` is the address of the service. Only addresses with https:// are allowed, and if `base` begins
 * with http://, also addresses with http://. `token` is sent only to the scheme, host and port of `base`; NULL: none.
 * ERR_UNSUPPORTED: libcurl is missing. */
void get_open(Get *get, const char *base, const char *token);
void web_free(Web *web); /* NULL is allowed */

/* Requests a text of at most `most` bytes. After ERR_IO, get->reply.status is the HTTP status (0 if the server cannot
 * be reached): the caller may replace the message by a better one. */
void get_answer(Get *get, const char *url, size_t most, Buf *out);

/* Appends a text to an address: letters, digits and -._~ unchanged, all other bytes as %XX. Faults: see buf_check(). */
void web_put_escaped(Buf *out, const char *text);

/* Loads the library `name`, which stays loaded until the process ends. `functions` is a struct of function pointers,
 * which are set to the `count` functions that `names` names, in the same order. Only downloads need such libraries.
 * `purpose` is for the message. ERR_UNSUPPORTED: the library or a function is missing; the message says what to
 * install. */
MUST_USE Status loaded_library_open(const char *name, const char *purpose, const char *const *names, size_t count,
                                    void *functions, Err *err);

/* --- Files (web.c). --- */

/* A checksum: SHA-256, or the id that git gives a file, which is the SHA-1 of "blob SIZE", a NUL and the content. */
typedef enum { DIGEST_SHA256, DIGEST_GIT_BLOB } DigestKind;

#define DIGEST_HEX 65 /* with the NUL */

#define DOWNLOAD_SIZE_UNKNOWN UINT64_MAX

/* A file that a site has. The texts belong to the site's answer. */
typedef struct {
    const char *name;     /* name of the file in a model; also for messages */
    const char *location; /* address below the server's folder of attachments; for Firefox */
    const char *hash;     /* in hexadecimal; NULL: not known */
    DigestKind kind;
    uint64_t size; /* the size that the server states, or DOWNLOAD_SIZE_UNKNOWN */
    bool wanted;   /* in a HubListing: dragoman needs the file */
} RemoteFile;

typedef struct {
    const RemoteFile *file;
    const char *url;
    const char *partial; /* the file to write; an earlier download in it is continued */
    uint64_t most;       /* the largest allowed size if the size is not known */
} DownloadTask;

/* Downloads the file and counts its bytes as progress. On success, task->partial is complete, checked and on the disk.
 * ERR_IO with get->reply.status: as for get_answer(). After a fault or a cancellation, the bytes that have arrived stay
 * in task->partial; but if the size or the checksum is wrong or the disk is full, the file is removed. */
void get_download(Get *get, const DownloadTask *task);

/* Returns whether the file at `path` exists and has the size and the checksum of `file`. */
bool get_has_file(Get *get, const char *path, const RemoteFile *file);

/* --- Folders that downloads are written to, and locks between processes that write there (folders.c). --- */

/* Creates the folder and its missing parent folders. */
void folders_create(Get *get, const char *path);

/* Fails with ERR_IO if the file system of the folder, which must exist, has less than `bytes` of free space. */
void folders_check_space(Get *get, const char *folder, uint64_t bytes);

/* Returns the parent folder of `folder`, which must exist. If files of the parent folder cannot be renamed into
 * `folder`, for example because `folder` is a mount, returns `folder` itself. Renames an empty file to find this out.
 * The caller frees the result. */
char *folders_find_workplace(Get *get, const char *folder);

/* Renames the folder `from` to `to` and removes the folder that had the name `to`. If renaming fails, the old folder
 * stays. If the process ends meanwhile, `to` is the old or the new folder. The only exception: where the system cannot
 * exchange two names, SIGKILL or a power failure can leave the old folder as FROM.old. */
void folders_replace(Get *get, const char *from, const char *to);

/* folders_clear() removes every entry of the folder, except those for whose names `keeps` returns true. */
typedef bool FolderFilter(const void *context, const char *name);
void folders_clear(Get *get, const char *folder, FolderFilter *keeps, const void *context);

/* Removes a file or a folder with everything in it, also after a fault. Links are removed and not followed. Errors are
 * ignored. */
void folders_remove(const char *path);

/* Waits until no other process holds the lock of the file `path`, and takes the lock as get->lock. If it has to wait,
 * calls the reader before. Takes over `path` and frees it. The folder of the file must exist. Goes on without a lock if
 * the file system has none: a downloaded file is never incomplete even then, because it gets its name when it is
 * complete. */
void get_lock(Get *get, char *path);
void get_unlock(Get *get); /* does nothing if it is not held */

/* --- Answers of the sites (get.c). A list of files is checked before anything is downloaded. --- */

/* Returns the string `key` of a JSON object; "" if there is none. */
const char *get_text_of(const cJSON *object, const char *key);

/* Whether HF_HUB_OFFLINE forbids connections. */
bool get_is_offline(void);

/* Opens get->web for a site and requests its list: the index of Argos Translate, an array, and the records of Firefox's
 * registry, an object with the array "data". *address is that of the index, or of the registry. The caller frees it and
 * deletes the list, also after a fault. */
cJSON *argos_index_fetch(Get *get, char **address);
cJSON *firefox_records_fetch(Get *get, char **address);

/* Whether a record of Firefox's registry belongs to a model that is released for all users; and whether it is a file
 * that dragoman needs. */
bool firefox_is_release(const cJSON *record);
bool firefox_is_needed(const cJSON *record);

/* Returns the newest package of the pair FROM-TO in `list`, the index of Argos Translate (packages with their languages
 * and links); NULL if there is none. */
const cJSON *argos_index_find(const cJSON *list, const char *pair);

#define FIREFOX_MOST_FILES 8

/* A model in the collection of Mozilla's Remote Settings. */
typedef struct {
    const char *from, *to, *version;
    RemoteFile files[FIREFOX_MOST_FILES]; /* [count]; names are unique and do not begin with '.' */
    size_t count;
} FirefoxModel;

/* Chooses the newest model of the pair, FROM-TO, among the records. The tree must stay valid as long as *out. ERR_IO:
 * there is no such model. ERR_FORMAT: a name leads out of a folder or appears twice, a size or a hash is missing, or
 * there are too many files. */
void firefox_records_choose(Get *get, FirefoxModel *out, const cJSON *records, const char *pair);

#define HUB_COMMIT_LENGTH 40

/* The files of a model of the Hugging Face hub. Starts as {0}; free it with hub_listing_free(). */
typedef struct {
    const char *commit;
    RemoteFile *files; /* sorted by names, which are unique; the hash is also the name of a blob */
    size_t count, capacity;
    cJSON *answer; /* has the texts */
} HubListing;

/* Reads the answer of the hub. `model` is for messages. ERR_FORMAT: a name leads out of the folder, or a size or a hash
 * is missing. Marks the files that dragoman needs, except weights in several files, which an index lists:
 * hub_listing_want_parts() marks those. ERR_UNSUPPORTED: no weights have a format that dragoman reads. */
void hub_listing_read(Get *get, HubListing *out, const Buf *answer, const char *model);
void hub_listing_free(HubListing *listing);

/* Returns the wanted file that is the index of weights in several files; NULL: there is none. */
const RemoteFile *hub_listing_index(const HubListing *listing);
/* Marks the files that the index lists. index[0, size) is its JSON text. */
void hub_listing_want_parts(Get *get, HubListing *listing, const char *index, size_t size, const char *model);

/* Links the wanted files, whose blobs must exist, in a snapshot in `model`, the folder of a model in the cache. `locks`
 * is the folder of lock files. A new snapshot appears with all its files at once. *path is the path of the snapshot;
 * the caller frees it, also after a fault. */
void hub_cache_link(Get *get, const char *model, const char *locks, const HubListing *listing, char **path);

#endif
