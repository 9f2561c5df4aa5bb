/* download.c - see get.h. The digest is computed while bytes arrive. CRYPTO_LIBRARY (Makefile) is the name under
 * which the linker would record libcrypto. */
#define _GNU_SOURCE /* vasprintf() */
#include "get.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dragoman_tools.h"
#include "json.h"
#include "option_fields.h"
#include "path.h"
#include "text.h"

_Static_assert(sizeof CRYPTO_LIBRARY > 1, "no shared libcrypto was found: set CRYPTO_LIBRARY to its file name");

#define CHUNK ((size_t)1 << 13)

/* --- Digests ---------------------------------------------------------------------------- */

typedef struct {
    __typeof__(EVP_MD_CTX_new) *create;
    __typeof__(EVP_MD_CTX_free) *end;
    __typeof__(EVP_DigestInit_ex) *start;
    __typeof__(EVP_DigestUpdate) *update;
    __typeof__(EVP_DigestFinal_ex) *finish;
    __typeof__(EVP_sha256) *sha256;
    __typeof__(EVP_sha1) *sha1;
} Crypto;

struct Digest {
    Crypto crypto;
    EVP_MD_CTX *context;
    DigestKind kind;
    uint64_t size;
};

/* libcrypto has no error of its own for a lack of memory, so errno must have been 0 before the call. */
static Status check(int succeeded, Err *err)
{
    if (!succeeded && errno == ENOMEM) return err_memory(err, "a checksum");
    return succeeded ? OK : err_set(err, ERR_UNSUPPORTED, "get: " CRYPTO_LIBRARY " cannot compute a checksum");
}

Status digest_new(Digest **out, DigestKind kind, uint64_t size, Err *err)
{
    Digest *digest = calloc(1, sizeof *digest);
    Status st;

    *out = NULL;
    if (!digest) return err_memory(err, "a checksum");
    digest->kind = kind;
    digest->size = size;
    const LoadedFunction functions[] = {
        { "EVP_MD_CTX_new", &digest->crypto.create },
        { "EVP_MD_CTX_free", &digest->crypto.end },
        { "EVP_DigestInit_ex", &digest->crypto.start },
        { "EVP_DigestUpdate", &digest->crypto.update },
        { "EVP_DigestFinal_ex", &digest->crypto.finish },
        { "EVP_sha256", &digest->crypto.sha256 },
        { "EVP_sha1", &digest->crypto.sha1 },
    };
    st = loaded_library_open(CRYPTO_LIBRARY, "check downloads", functions, sizeof functions / sizeof *functions, err);
    if (st == OK && !(digest->context = digest->crypto.create())) st = err_memory(err, "a checksum");
    if (st == OK) st = digest_restart(digest, err);
    if (st == OK)
        *out = digest;
    else
        digest_free(digest);
    return st;
}

void digest_free(Digest *digest)
{
    if (!digest) return;
    if (digest->context) digest->crypto.end(digest->context);
    free(digest);
}

Status digest_restart(Digest *digest, Err *err)
{
    const Crypto *crypto = &digest->crypto;
    char head[40];
    Status st;
    int len = snprintf(head, sizeof head, "blob %llu", (unsigned long long)digest->size);

    errno = 0;
    st = check(crypto->start(digest->context, digest->kind == DIGEST_SHA256 ? crypto->sha256() : crypto->sha1(), NULL),
               err);
    if (st != OK || digest->kind == DIGEST_SHA256) return st;
    return digest_add(digest, head, (size_t)len + 1, err); /* with the NUL */
}

Status digest_add(Digest *digest, const void *bytes, size_t count, Err *err)
{
    errno = 0;
    return check(digest->crypto.update(digest->context, bytes, count), err);
}

Status digest_finish(Digest *digest, char out[DIGEST_HEX], Err *err)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    Status st;

    errno = 0;
    st = check(digest->crypto.finish(digest->context, bytes, &count), err);
    for (unsigned i = 0; st == OK && i < count && 2 * i + 2 < DIGEST_HEX; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return st;
}

/* Adds the first `count` bytes of an open file. */
static Status digest_add_file(Digest *digest, int fd, uint64_t count, const char *path, Err *err)
{
    unsigned char chunk[CHUNK];
    Status st = OK;

    for (uint64_t at = 0; st == OK && at < count;) {
        ssize_t n = pread(fd, chunk, count - at < CHUNK ? (size_t)(count - at) : CHUNK, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return err_set(err, ERR_IO, "%s: %s", path, n < 0 ? strerror(errno) : "the file became shorter");
        st = digest_add(digest, chunk, (size_t)n, err);
        at += (uint64_t)n;
    }
    return st;
}

/* --- Downloads --------------------------------------------------------------------------- */

typedef struct {
    const DownloadTask *task;
    Progress *progress;
    Digest *digest; /* NULL: there is no hash to compare */
    int fd;
    uint64_t at;    /* bytes that are in the file and in the digest */
    bool unusable;  /* the file must not be continued */
    bool continued; /* some bytes come from an earlier download */
} Download;

/* Counts bytes that were there before or, if negative, have to be sent again. */
static void skip(Progress *progress, int64_t bytes)
{
    progress->now.done += (uint64_t)bytes;
    if (bytes > 0) progress->now.had += (uint64_t)bytes;
}

static bool is_size_known(const DownloadTask *task)
{
    return task->size != DOWNLOAD_SIZE_UNKNOWN;
}

static Status fail_to_write(Download *d, int fault, Err *err)
{
    const bool full = fault == ENOSPC || fault == EDQUOT;

    d->unusable = true;
    if (d->task->refused) *d->task->refused = true;
    return err_set(err, ERR_IO, "%s: %s%s", d->task->partial, strerror(fault),
                   full ? "; free some space and run the command again" : "");
}

static Status begin(void *context, uint64_t offset, Err *err)
{
    Download *d = context;

    if (offset == d->at) return OK;
    skip(d->progress, -(int64_t)d->at);
    d->at = 0;
    d->continued = false;
    if (ftruncate(d->fd, 0) != 0) return fail_to_write(d, errno, err);
    return d->digest ? digest_restart(d->digest, err) : OK;
}

static Status take(void *context, const char *bytes, size_t count, Err *err)
{
    Download *d = context;
    const uint64_t most = is_size_known(d->task) ? d->task->size : d->task->most;
    Status st = OK;

    if (count > most - d->at) {
        d->unusable = true;
        return err_set(err, ERR_FORMAT, "get: %s: the server sends more than the %llu bytes that %s", d->task->name,
                       (unsigned long long)most, is_size_known(d->task) ? "it stated" : "are allowed");
    }
    for (size_t done = 0; done < count;) {
        ssize_t n = pwrite(d->fd, bytes + done, count - done, (off_t)(d->at + done));
        if (n < 0 && errno != EINTR) return fail_to_write(d, errno, err);
        if (n > 0) done += (size_t)n;
    }
    if (d->digest) st = digest_add(d->digest, bytes, count, err);
    if (st != OK) return st;
    d->at += count;
    d->progress->now.done += count;
    if (!d->progress->reader || d->progress->reader(d->progress->context, &d->progress->now)) return OK;
    return err_set(err, ERR_IO, "get: %s: canceled", d->task->name);
}

static uint64_t position(void *context)
{
    return ((Download *)context)->at;
}

/* Opens the file and reads what an earlier download left. */
static Status open_partial(Download *d, Err *err)
{
    const DownloadTask *task = d->task;
    struct stat info;
    Status st = OK;

    d->fd = open(task->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (d->fd < 0 || fstat(d->fd, &info) != 0) return err_set(err, ERR_IO, "%s: %s", task->partial, strerror(errno));
    if (!S_ISREG(info.st_mode)) return err_set(err, ERR_IO, "%s: is not a regular file", task->partial);
    if (task->hash) st = digest_new(&d->digest, task->kind, task->size, err);
    if (st != OK) return st;
    if ((uint64_t)info.st_size > (is_size_known(task) ? task->size : task->most)) {
        if (ftruncate(d->fd, 0) != 0) return fail_to_write(d, errno, err);
        info.st_size = 0;
    }
    if (d->digest) st = digest_add_file(d->digest, d->fd, (uint64_t)info.st_size, task->partial, err);
    if (st != OK) return st;
    d->at = (uint64_t)info.st_size;
    d->continued = d->at > 0;
    skip(d->progress, info.st_size);
    return OK;
}

/* *wrong: the file is not what the server stated; the message says how. */
static Status compare(Download *d, bool *wrong, Err *err)
{
    const DownloadTask *task = d->task;
    char hash[DIGEST_HEX];
    Status st;

    *wrong = true;
    if (is_size_known(task) && d->at != task->size)
        return err_set(err, ERR_FORMAT, "get: %s: wrong size: expected %llu bytes, got %llu; try again later",
                       task->name, (unsigned long long)task->size, (unsigned long long)d->at);
    st = d->digest ? digest_finish(d->digest, hash, err) : OK;
    *wrong = d->digest && st == OK && strcmp(hash, task->hash) != 0;
    if (!*wrong) return st;
    return err_set(err, ERR_FORMAT, "get: %s: checksum mismatch: expected %s, got %s; try again later", task->name,
                   task->hash, hash);
}

/* Downloads what is missing and compares. *again: what an earlier download left was wrong. */
static Status attempt(Web *web, const DownloadTask *task, Progress *progress, WebReply *reply, bool *again, Err *err)
{
    const bool known = is_size_known(task);
    Download d = { .task = task, .progress = progress, .fd = -1 };
    const WebSink sink = { &d, begin, take, position };
    bool wrong = false;
    Status st = open_partial(&d, err);

    if (st == OK && (!known || d.at < task->size || !task->size)) st = web_get(web, task->url, &sink, reply, err);
    if (st == OK) st = compare(&d, &wrong, err);
    if (st == OK && fsync(d.fd) != 0 && errno != EINVAL && errno != ENOTSUP) st = fail_to_write(&d, errno, err);
    if (d.fd >= 0 && close(d.fd) != 0 && errno != EINTR && st == OK) st = fail_to_write(&d, errno, err);
    if (wrong || d.unusable || (st != OK && !d.at)) unlink(task->partial);
    if (st != OK) skip(progress, -(int64_t)d.at);
    *again = d.continued && (wrong || (d.unusable && st == ERR_FORMAT));
    digest_free(d.digest);
    return st;
}

Status download_file(Web *web, const DownloadTask *task, Progress *progress, WebReply *reply, Err *err)
{
    bool again;
    Status st;

    *reply = (WebReply){ .status = 200, .retry_after = -1 };
    progress->now.file = task->name;
    st = attempt(web, task, progress, reply, &again, err);
    return again ? attempt(web, task, progress, reply, &again, err) : st;
}

Status download_check_existing(const char *path, const DownloadTask *task, bool *same, Err *err)
{
    Download d = { .task = task };
    struct stat info;
    Status st = OK;

    *same = false;
    d.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (d.fd < 0) return errno == ENOENT ? OK : err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (fstat(d.fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size == task->size) {
        bool wrong = false;
        Err unused;
        d.at = task->size;
        if (task->hash) st = digest_new(&d.digest, task->kind, task->size, err);
        if (st == OK && d.digest) st = digest_add_file(d.digest, d.fd, task->size, path, err);
        if (st == OK) st = compare(&d, &wrong, &unused);
        *same = st == OK;
        if (wrong) st = OK;
        digest_free(d.digest);
    }
    close(d.fd);
    return st;
}

/* --- What the sites share ------------------------------------------------------------------ */

void get_fail(Get *get, Status status, const char *format, ...)
{
    char text[2 * sizeof(Err)];
    va_list args;

    if (get->st != OK) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    get->st = err_set(get->err, status, "%s", text);
}

char *get_format(Get *get, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    if (get->st != OK) return NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        text = NULL;
        get->st = err_memory(get->err, "a path");
    }
    va_end(args);
    return text;
}

char *get_join(Get *get, const char *folder, const char *name)
{
    char *path = get->st == OK ? path_join(folder, name) : NULL;

    if (get->st == OK && !path) get->st = err_memory(get->err, "a path");
    return path;
}

void get_create_folder(Get *get, const char *path)
{
    if (get->st == OK) get->st = folders_create(path, get->err);
}

void get_lock(Get *get, const char *path)
{
    if (get->st == OK) get->st = file_lock_take(&get->lock, path, get->err);
}

void get_open(Get *get, const char *base, const char *token)
{
    if (get->st == OK) get->st = web_new(&get->web, base, token, get->err);
}

void get_json(Get *get, const char *url, bool is_list, cJSON **out)
{
    Buf answer = { 0 };
    WebReply reply;

    *out = NULL;
    if (get->st == OK) get->st = web_get_text(get->web, url, GET_MOST_ANSWER, &answer, &reply, get->err);
    if (get->st == OK) get->st = (is_list ? json_parse_list : json_parse)(out, answer.data, answer.len, url, get->err);
    buf_free(&answer);
}

bool get_file(Get *get, const DownloadTask *task, const char *path, WebReply *reply)
{
    bool same = false;

    if (get->st == OK) get->st = download_check_existing(path, task, &same, get->err);
    if (get->st == OK && !same) get->st = download_file(get->web, task, get->progress, reply, get->err);
    if (get->st == OK && !same && rename(task->partial, path) != 0)
        get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
    return get->st == OK && !same;
}

const char *get_text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

bool get_is_newer(const cJSON *a, const cJSON *b, const char *key)
{
    return text_compare_versions(get_text_of(a, key), get_text_of(b, key)) > 0;
}

bool get_is_pair(const char *pair, const char *from, const char *to)
{
    const size_t length = strlen(from);

    return length && *to && strncmp(pair, from, length) == 0 && pair[length] == '-' &&
           strcmp(pair + length + 1, to) == 0;
}

void get_try_to_open(Get *get, const char *path)
{
    DragomanOptions options = option_fields_default();
    DragomanError error;
    char *languages = NULL;

    if (get->st != OK) return;
    options.model = path;
    get->st = (Status)dragoman_languages(&options, &languages, &error);
    dragoman_free_text(languages);
    if (get->st != OK) (void)err_set(get->err, get->st, "%s", error.message);
}
