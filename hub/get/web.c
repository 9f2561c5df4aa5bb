/* web.c - web requests, and files that are downloaded and checked: see get.h. CURL_LIBRARY and CRYPTO_LIBRARY, defined
 * by the Makefile, are the file names of libcurl and libcrypto that dlopen() needs. */
#define _GNU_SOURCE /* pread() and pwrite() */
#include "get.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "dragoman.h"

_Static_assert(sizeof CURL_LIBRARY > 1, "no shared libcurl was found: set CURL_LIBRARY to its file name");
_Static_assert(sizeof CRYPTO_LIBRARY > 1, "no shared libcrypto was found: set CRYPTO_LIBRARY to its file name");

#define MOST_REDIRECTS   10
#define MOST_FAILURES    5U                  /* most failed requests in a row without progress */
#define MOST_REQUESTS    200                 /* for one file */
#define PROGRESS         ((uint64_t)1 << 16) /* bytes after which failures are counted from 0 again */
#define FIRST_PAUSE      0.5                 /* seconds; each further pause is twice as long */
#define LONGEST_WAIT     120L                /* most seconds of Retry-After; after that, the user must try again */
#define CONNECT_SECONDS  30.0
#define FIRST_CONNECT    6.0 /* seconds for a connection to a service that has not answered yet */
#define FIRST_FAILURES   2U  /* most failures in a row to connect to such a service: the network is probably down */
#define SLOW_BYTES       64L /* per second; a connection that is slower for SLOW_SECONDS counts as broken */
#define SLOW_SECONDS     30L
#define PATIENCE_SECONDS 90L                 /* without progress in all requests for one file together */
#define MOST_ERROR_BYTES ((uint64_t)1 << 20) /* of the text of an error */
#define CHUNK            ((size_t)1 << 13)   /* bytes of a file that are read at once */

/* --- Libraries that are loaded at run time ------------------------------------------- */

Status loaded_library_open(const char *name, const char *purpose, const char *const *names, size_t count,
                           void *functions, Err *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return err_set(err, ERR_UNSUPPORTED, "get: needs the library %s to %s: install it (%s)", name, purpose,
                       dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, names[i]);
        if (!address)
            return err_set(err, ERR_UNSUPPORTED, "get: the library %s has no function %s: install a newer version",
                           name, names[i]);
        memcpy((char *)functions + i * sizeof address, &address, sizeof address);
    }
    return OK;
}

/* The functions of libcurl. */
static const char *const curl_names[] = {
    "curl_global_init",  "curl_easy_init",    "curl_easy_cleanup",  "curl_easy_reset",   "curl_easy_setopt",
    "curl_easy_getinfo", "curl_easy_perform", "curl_easy_strerror", "curl_slist_append", "curl_slist_free_all",
    "curl_url",          "curl_url_cleanup",  "curl_url_get",       "curl_url_set",      "curl_free",
};
typedef struct {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) init;
    __typeof__(&curl_easy_cleanup) cleanup;
    __typeof__(&curl_easy_reset) reset;
    CURLcode (*setopt)(CURL *, CURLoption, ...);
    CURLcode (*getinfo)(CURL *, CURLINFO, ...);
    __typeof__(&curl_easy_perform) perform;
    __typeof__(&curl_easy_strerror) strerror;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free;
    __typeof__(&curl_url) url;
    __typeof__(&curl_url_cleanup) url_cleanup;
    __typeof__(&curl_url_get) url_get;
    __typeof__(&curl_url_set) url_set;
    __typeof__(&curl_free) free;
} Curl;

_Static_assert(sizeof(Curl) == sizeof curl_names, "a member for each name");

/* The functions of libcrypto. */
static const char *const crypto_names[] = {
    "EVP_MD_CTX_new",     "EVP_MD_CTX_free", "EVP_DigestInit_ex", "EVP_DigestUpdate",
    "EVP_DigestFinal_ex", "EVP_sha256",      "EVP_sha1",
};
typedef struct {
    __typeof__(EVP_MD_CTX_new) *create;
    __typeof__(EVP_MD_CTX_free) *end;
    __typeof__(EVP_DigestInit_ex) *start;
    __typeof__(EVP_DigestUpdate) *update;
    __typeof__(EVP_DigestFinal_ex) *finish;
    __typeof__(EVP_sha256) *sha256;
    __typeof__(EVP_sha1) *sha1;
} Crypto;

_Static_assert(sizeof(Crypto) == sizeof crypto_names, "a member for each name");

struct Web {
    Curl curl;
    CURL *handle;
    char *base, *token;
    bool http_allowed;
    bool has_answered; /* there was a reply to a request */
    double waiting;    /* when the request was sent, or report_waiting() last called the reader */
    double progress;   /* time of the last progress of the requested file, by clock_seconds() */
};

/* --- Where the bytes of an answer go: into a text, or into a file and its checksum ---- */

typedef struct {
    Get *get;
    Buf *text; /* NULL: the bytes go to a file */
    size_t most;
    const char *url; /* of the text, for messages */
    /* For a file: */
    const DownloadTask *task;
    int fd;
    uint64_t at;         /* bytes that are in the file and in the checksum */
    bool unusable;       /* the file must not be continued */
    bool continued;      /* some bytes come from an earlier download */
    EVP_MD_CTX *context; /* computes the checksum; NULL: the task has none */
    Crypto crypto;
} Receiver;

/* Converts the result of a call of libcrypto to a Status. libcrypto does not report a lack of memory, so errno is used,
 * which must have been 0 before the call. */
static Status check_crypto(const Receiver *r, int succeeded)
{
    if (!succeeded && errno == ENOMEM) return err_memory(r->get->err, "a checksum");
    return succeeded ? OK : err_set(r->get->err, ERR_UNSUPPORTED, "get: " CRYPTO_LIBRARY " cannot compute a checksum");
}

static Status add_to_checksum(Receiver *r, const void *bytes, size_t count)
{
    errno = 0;
    return r->context ? check_crypto(r, r->crypto.update(r->context, bytes, count)) : OK;
}

/* Starts the checksum anew, before the first byte of the file. */
static Status restart_checksum(Receiver *r)
{
    const bool is_sha256 = r->task->file->kind == DIGEST_SHA256;
    char head[40];
    const int len = snprintf(head, sizeof head, "blob %llu", (unsigned long long)r->task->file->size);
    Status st;

    if (!r->context) return OK;
    errno = 0;
    st = check_crypto(r, r->crypto.start(r->context, is_sha256 ? r->crypto.sha256() : r->crypto.sha1(), NULL));
    return st == OK && !is_sha256 ? add_to_checksum(r, head, (size_t)len + 1) : st; /* with the NUL */
}

/* Starts the checksum, if the task has one, and adds the first `count` bytes of the file at `path`. */
static Status start_checksum(Receiver *r, uint64_t count, const char *path)
{
    Err *err = r->get->err;
    unsigned char chunk[CHUNK];
    Status st;

    if (!r->task->file->hash) return OK;
    st = loaded_library_open(CRYPTO_LIBRARY, "check downloads", crypto_names,
                             sizeof crypto_names / sizeof *crypto_names, &r->crypto, err);
    if (st == OK && !(r->context = r->crypto.create())) st = err_memory(err, "a checksum");
    if (st == OK) st = restart_checksum(r);
    for (uint64_t at = 0; st == OK && at < count;) {
        const ssize_t n = pread(r->fd, chunk, count - at < CHUNK ? (size_t)(count - at) : CHUNK, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return err_set(err, ERR_IO, "%s: %s", path, n < 0 ? strerror(errno) : "the file became shorter");
        st = add_to_checksum(r, chunk, (size_t)n);
        at += (uint64_t)n;
    }
    return st;
}

/* Writes the checksum in hexadecimal. After this call, no bytes can be added. */
static Status finish_checksum(Receiver *r, char out[DIGEST_HEX])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    Status st;

    errno = 0;
    st = check_crypto(r, r->crypto.finish(r->context, bytes, &count));
    for (unsigned i = 0; st == OK && i < count && 2 * i + 2 < DIGEST_HEX; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return st;
}

/* Adds bytes of an earlier download to the progress. If negative, subtracts bytes that must be downloaded again. */
static void skip(Get *get, int64_t bytes)
{
    get->progress.done += (uint64_t)bytes;
    if (bytes > 0) get->progress.had += (uint64_t)bytes;
}

static bool is_size_known(const DownloadTask *task)
{
    return task->file->size != DOWNLOAD_SIZE_UNKNOWN;
}

static Status fail_to_write(Receiver *r, int fault)
{
    const bool full = fault == ENOSPC || fault == EDQUOT;

    r->unusable = true;
    r->get->refused = true;
    return err_set(r->get->err, ERR_IO, "%s: %s%s", r->task->partial, strerror(fault),
                   full ? "; free some space and run the command again" : "");
}

/* Prepares for bytes that begin at `offset` of the file. If this is not where the file ends now, empties the file. Call
 * it before the first byte of an answer, and with 0 before the whole file is requested again. */
static Status receive_from(Receiver *r, uint64_t offset)
{
    if (r->text) buf_clear(r->text);
    if (r->text || offset == r->at) return OK;
    skip(r->get, -(int64_t)r->at);
    r->at = 0;
    r->continued = false;
    return ftruncate(r->fd, 0) == 0 ? restart_checksum(r) : fail_to_write(r, errno);
}

static Status fail_as_canceled(const Get *get)
{
    const char *file = get->progress.file;

    return err_set(get->err, ERR_IO, "get: %s%scanceled", file ? file : "", file ? ": " : "");
}

static Status receive(Receiver *r, const char *bytes, size_t count)
{
    const DownloadTask *task = r->task;
    Get *get = r->get;
    uint64_t most;
    Status st;

    if (r->text) {
        if (count > r->most - r->text->len)
            return err_set(get->err, ERR_FORMAT, "get: %s: the answer has more than %zu bytes", r->url, r->most);
        buf_put(r->text, bytes, count);
        return buf_check(r->text, get->err);
    }
    most = is_size_known(task) ? task->file->size : task->most;
    if (count > most - r->at) {
        r->unusable = true;
        return err_set(get->err, ERR_FORMAT, "get: %s: the server sends more than the %llu bytes that %s",
                       task->file->name, (unsigned long long)most, is_size_known(task) ? "it stated" : "are allowed");
    }
    for (size_t done = 0; done < count;) {
        const ssize_t n = pwrite(r->fd, bytes + done, count - done, (off_t)(r->at + done));
        if (n < 0 && errno != EINTR) return fail_to_write(r, errno);
        if (n > 0) done += (size_t)n;
    }
    st = add_to_checksum(r, bytes, count);
    if (st != OK) return st;
    r->at += count;
    get->progress.done += count;
    if (!get->reader || get->reader(get->context, &get->progress)) return OK;
    return fail_as_canceled(get);
}

/* --- Addresses ------------------------------------------------------------------------ */

enum { SCHEME, HOST, PORT, USER, PASSWORD, ADDRESS_PARTS };

/* Splits an address into its parts, which the caller frees. User and password may be missing. */
static Status split(const Curl *curl, const char *url, char *parts[ADDRESS_PARTS], Err *err)
{
    static const CURLUPart kinds[ADDRESS_PARTS] = { CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT, CURLUPART_USER,
                                                    CURLUPART_PASSWORD };
    CURLU *parsed = curl->url();
    CURLUcode code = parsed ? curl->url_set(parsed, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;

    for (size_t i = 0; code == CURLUE_OK && i < ADDRESS_PARTS; i++) {
        code = curl->url_get(parsed, kinds[i], &parts[i], i == PORT ? CURLU_DEFAULT_PORT : 0);
        if (code == CURLUE_NO_USER || code == CURLUE_NO_PASSWORD) code = CURLUE_OK;
    }
    if (parsed) curl->url_cleanup(parsed);
    if (code == CURLUE_OK) return OK;
    if (code == CURLUE_OUT_OF_MEMORY) return err_memory(err, "a web address");
    return err_set(err, ERR_FORMAT, "get: %.*s: not a web address", (int)strcspn(url, "?#@"), url);
}

/* Checks an address: it must begin with https (or http, if the address of the service does), and must have a host and
 * no user. Sets *same to whether scheme, host and port are those of the service. The messages do not contain the query
 * of an address, which may be secret. */
static Status check_address(const Web *web, const char *url, bool *same, Err *err)
{
    char *parts[ADDRESS_PARTS] = { NULL }, *base[ADDRESS_PARTS] = { NULL };
    Status st = split(&web->curl, url, parts, err);

    if (st == OK && (parts[USER] || parts[PASSWORD]))
        st = err_set(err, ERR_FORMAT, "get: addresses with a user name or a password are not supported");
    if (st == OK && strcasecmp(parts[SCHEME], "https") != 0 &&
        !(web->http_allowed && strcasecmp(parts[SCHEME], "http") == 0))
        st = err_set(err, ERR_FORMAT, "get: %.*s: refused: only https:// is used", (int)strcspn(url, "?#"), url);
    if (st == OK) st = split(&web->curl, web->base, base, err);
    *same = st == OK && strcasecmp(parts[SCHEME], base[SCHEME]) == 0 && strcasecmp(parts[HOST], base[HOST]) == 0 &&
            strcmp(parts[PORT], base[PORT]) == 0;
    for (size_t i = 0; i < ADDRESS_PARTS; i++) {
        web->curl.free(parts[i]);
        web->curl.free(base[i]);
    }
    return st;
}

/* --- Requests -------------------------------------------------------------------------- */

/* One request. */
typedef struct {
    Receiver *receiver;
    Status status;  /* of the receiver */
    uint64_t from;  /* the first byte that was requested */
    uint64_t begin; /* the first byte that Content-Range states */
    bool has_range, begun, wrong_range;
    uint64_t ignored; /* bytes of an error page, which are not used */
} Request;

void get_open(Get *get, const char *base, const char *token)
{
    Web *web = get->st == OK ? calloc(1, sizeof *web) : NULL;
    Err *err = get->err;
    bool same;

    if (get->st == OK && !web) get->st = err_memory(err, "a connection");
    if (get->st != OK) return;
    get->web = web;
    web->http_allowed = strncasecmp(base, "http://", 7) == 0;
    if (!get->slow_seconds) get->slow_seconds = SLOW_SECONDS;
    if (!get->patience_seconds) get->patience_seconds = PATIENCE_SECONDS;
    web->base = strdup(base);
    web->token = token ? strdup(token) : NULL;
    if (!web->base || (token && !web->token)) get->st = err_memory(err, "a connection");
    if (get->st == OK)
        get->st = loaded_library_open(CURL_LIBRARY, "download", curl_names, sizeof curl_names / sizeof *curl_names,
                                      &web->curl, err);
    if (get->st == OK && web->curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        get->st = err_set(err, ERR_UNSUPPORTED, "get: " CURL_LIBRARY " cannot be used");
    if (get->st == OK && !(web->handle = web->curl.init())) get->st = err_memory(err, "a connection");
    if (get->st == OK) get->st = check_address(web, base, &same, err);
}

void web_free(Web *web)
{
    if (!web) return;
    if (web->handle) web->curl.cleanup(web->handle);
    free(web->base);
    free(web->token);
    free(web);
}

/* Whether the file has made no progress for so long that no further request is sent. */
static bool has_stalled(const Get *get)
{
    return clock_seconds() - get->web->progress >= (double)get->patience_seconds;
}

void web_put_escaped(Buf *out, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *text; text++) {
        if (strchr(plain, *text))
            buf_put_byte(out, *text);
        else
            buf_put_format(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

/* Whether the line is the header `name`; *value is its value without spaces at the beginning. */
static bool is_header(const char *line, const char *name, const char **value)
{
    size_t len = strlen(name);

    if (strncasecmp(line, name, len) != 0 || line[len] != ':') return false;
    *value = line + len + 1 + strspn(line + len + 1, " \t");
    return true;
}

/* Reads a header. Retry-After is used only if it is a number of seconds, and ignored if it is a date. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    Request *request = context;
    WebReply *reply = &request->receiver->get->reply;
    const char *value;
    char line[512], *end;
    size_t len = size * count, kept = len < sizeof line - 1 ? len : sizeof line - 1;

    memcpy(line, bytes, kept);
    line[kept] = '\0';
    if (is_header(line, "Retry-After", &value)) {
        long seconds = strtol(value, &end, 10);
        if (end != value && seconds >= 0) reply->retry_after = seconds;
    } else if (is_header(line, "Content-Range", &value) && strncasecmp(value, "bytes ", 6) == 0) {
        request->begin = strtoull(value + 6, &end, 10);
        request->has_range = end != value + 6;
    } else if (is_header(line, "X-Error-Code", &value)) {
        snprintf(reply->error_code, sizeof reply->error_code, "%.*s", (int)strcspn(value, " \r\n"), value);
    }
    return len;
}

/* Prepares the receiver for the first byte of the answer. */
static Status begin(Request *request)
{
    const bool part = request->receiver->get->reply.status == 206;

    request->begun = true;
    request->wrong_range = part && (!request->has_range || request->begin != request->from);
    return receive_from(request->receiver, part && !request->wrong_range ? request->from : 0);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    Request *request = context;
    Get *get = request->receiver->get;
    const size_t len = size * count;

    (void)get->web->curl.getinfo(get->web->handle, CURLINFO_RESPONSE_CODE, &get->reply.status);
    if (get->reply.status != 200 && get->reply.status != 206) {
        request->ignored += len;
        return request->ignored > MOST_ERROR_BYTES ? 0 : len;
    }
    if (!request->begun) request->status = begin(request);
    if (request->status == OK && !request->wrong_range) request->status = receive(request->receiver, bytes, len);
    return request->status == OK && !request->wrong_range ? len : 0;
}

/* libcurl calls this again and again, also while no bytes arrive. Calls the reader once a second. */
static int report_waiting(void *context, curl_off_t total, curl_off_t done, curl_off_t up_total, curl_off_t up_done)
{
    const Get *get = context;
    const double now = clock_seconds();

    (void)total, (void)done, (void)up_total, (void)up_done;
    if (!get->reader || now - get->web->waiting < 1) return 0;
    get->web->waiting = now;
    return !get->reader(get->context, &get->progress);
}

/* Sends one request. *next is the address of a redirect, to be freed by the caller; NULL if there is none. */
static Status perform(Request *request, const char *url, bool with_token, char **next)
{
    Get *get = request->receiver->get;
    const Curl *curl = &get->web->curl;
    CURL *handle = get->web->handle;
    WebReply *reply = &get->reply;
    const double usual = get->web->has_answered ? CONNECT_SECONDS : FIRST_CONNECT;
    const double connect = get->connect_seconds > 0 ? get->connect_seconds : usual;
    Err *err = get->err;
    struct curl_slist *headers = NULL;
    const char *target = NULL;
    char text[32];
    Buf line = { 0 };
    CURLcode code = CURLE_OK;
    Status st = OK;

    *next = NULL;
    curl->reset(handle);
    (void)curl->setopt(handle, CURLOPT_NOSIGNAL, 1L);
    (void)curl->setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl->setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)(connect * 1e3));
    (void)curl->setopt(handle, CURLOPT_TIMEOUT_MS, (long)(get->most_seconds * 1e3));
#if LIBCURL_VERSION_NUM >= 0x075700
    (void)curl->setopt(handle, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a name server that does not answer */
#endif
    (void)curl->setopt(handle, CURLOPT_NOPROGRESS, 0L);
    (void)curl->setopt(handle, CURLOPT_XFERINFOFUNCTION, report_waiting);
    (void)curl->setopt(handle, CURLOPT_XFERINFODATA, get);
    (void)curl->setopt(handle, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
    (void)curl->setopt(handle, CURLOPT_LOW_SPEED_TIME, get->slow_seconds);
    (void)curl->setopt(handle, CURLOPT_USERAGENT, "dragoman/" DRAGOMAN_VERSION);
    (void)curl->setopt(handle, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    (void)curl->setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
    (void)curl->setopt(handle, CURLOPT_WRITEDATA, request);
    (void)curl->setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
    (void)curl->setopt(handle, CURLOPT_HEADERDATA, request);
    if (request->from) {
        snprintf(text, sizeof text, "%llu-", (unsigned long long)request->from);
        (void)curl->setopt(handle, CURLOPT_RANGE, text);
    }
    if (with_token) {
        buf_put_format(&line, "Authorization: Bearer %s", get->web->token);
        st = buf_check(&line, err);
        if (st == OK && !(headers = curl->slist_append(NULL, line.data))) st = err_memory(err, "a request");
        (void)curl->setopt(handle, CURLOPT_HTTPHEADER, headers);
        buf_free(&line);
    }
    if (st == OK && curl->setopt(handle, CURLOPT_URL, url) != CURLE_OK) st = err_memory(err, "a request");

    if (st == OK) {
        get->web->waiting = clock_seconds();
        code = curl->perform(handle);
        (void)curl->getinfo(handle, CURLINFO_RESPONSE_CODE, &reply->status);
        (void)curl->getinfo(handle, CURLINFO_REDIRECT_URL, &target);
        st = request->status;
        if (reply->status) get->web->has_answered = true;
        if (code == CURLE_ABORTED_BY_CALLBACK && st == OK) st = fail_as_canceled(get);
    }
    if (st == OK && !target && (reply->status == 200 || reply->status == 206) && code == CURLE_OK && !request->begun)
        st = begin(request); /* an empty answer */
    if (st == OK && (code != CURLE_OK || request->wrong_range)) {
        reply->broken = true;
        snprintf(reply->fault, sizeof reply->fault, "%s",
                 request->wrong_range ? "the server sent another part than the requested one" : curl->strerror(code));
    }
    if (st == OK && target && reply->status >= 300 && reply->status < 400 && !(*next = strdup(target)))
        st = err_memory(err, "an address");
    curl->slist_free(headers);
    return st;
}

/* Requests the address once and follows redirects. */
static Status request_once(const char *url, Receiver *receiver)
{
    Get *get = receiver->get;
    Web *web = get->web;
    Err *err = get->err;
    char *address = strdup(url);
    Status st = address ? OK : err_memory(err, "an address");

    for (int i = 0; st == OK; i++) {
        Request request = { .receiver = receiver, .from = receiver->at };
        bool same;
        char *next;
        get->reply = (WebReply){ .retry_after = -1 };
        st = check_address(web, address, &same, err);
        if (st == OK) st = perform(&request, address, same && web->token, &next);
        if (st != OK || !next) break;
        free(address);
        address = next;
        if (i >= MOST_REDIRECTS) st = err_set(err, ERR_FORMAT, "get: %s: too many redirects", url);
        if (has_stalled(get)) {
            get->reply = (WebReply){ .broken = true, .fault = "redirects take too long" };
            break;
        }
    }
    free(address);
    return st;
}

/* Whether to try again; *pause is the number of seconds to wait first. */
static bool may_repeat(const Get *get, unsigned failures, double *pause)
{
    const WebReply *reply = &get->reply;
    const double usual = FIRST_PAUSE * (double)(1u << (failures - 1));

    *pause = usual;
    if (failures >= (get->attempts ? get->attempts : get->web->has_answered ? MOST_FAILURES : FIRST_FAILURES))
        return false;
    if (reply->broken) return reply->status == 0 || reply->status == 200 || reply->status == 206;
    if (reply->status == 429 && reply->retry_after > LONGEST_WAIT) return false;
    if (reply->retry_after >= 0 && reply->retry_after <= LONGEST_WAIT && (double)reply->retry_after > usual)
        *pause = (double)reply->retry_after;
    return reply->status == 429 || reply->status == 408 || reply->status == 416 || reply->status >= 500;
}

static Status explain(const Get *get, const char *url)
{
    const WebReply *reply = &get->reply;
    Err *err = get->err;
    const int shown = (int)strcspn(url, "?#");

    if (reply->broken && has_stalled(get))
        return err_set(err, ERR_IO,
                       "get: %.*s: the server sent next to nothing for %ld seconds (%s); check the network, and run "
                       "the command again to continue",
                       shown, url, get->patience_seconds, reply->fault);
    if (reply->broken && reply->status)
        return err_set(err, ERR_IO,
                       "get: %.*s: the connection broke again and again (%s); run the command again to "
                       "continue",
                       shown, url, reply->fault);
    if (reply->broken)
        return err_set(err, ERR_IO, "get: %.*s: %s; check the network and the proxy settings", shown, url,
                       reply->fault);
    if (reply->status == 429 && reply->retry_after >= 0)
        return err_set(err, ERR_IO, "get: %.*s: too many requests (429); try again in %ld seconds", shown, url,
                       reply->retry_after);
    if (reply->status == 429)
        return err_set(err, ERR_IO, "get: %.*s: too many requests (429); try again later", shown, url);
    if (reply->status >= 500)
        return err_set(err, ERR_IO, "get: %.*s: the server failed (%ld); try again later", shown, url, reply->status);
    return err_set(err, ERR_IO, "get: %.*s: the server refused the request (%ld)", shown, url, reply->status);
}

/* Requests an address and tries again as long as that may help. OK: the status is 200 or 206, and the receiver has
 * everything. After ERR_IO, get->reply.status is the HTTP status (0 if the server cannot be reached): the caller may
 * replace the message by a better one. Other errors: the receiver has failed, or an address is not allowed. */
static Status request(const char *url, Receiver *receiver)
{
    const WebReply *reply = &receiver->get->reply;
    Web *web = receiver->get->web;
    unsigned failures = 0;
    uint64_t before = receiver->at;

    web->progress = clock_seconds();
    for (unsigned i = 0;; i++) {
        struct timespec left;
        double pause = 0;
        Status st = request_once(url, receiver);
        if (st != OK) return st;
        if (!reply->broken && (reply->status == 200 || reply->status == 206)) return OK;
        if (reply->status == 416) st = receive_from(receiver, 0); /* the file has changed */
        if (st != OK) return st;
        if (receiver->at > before + PROGRESS) {
            failures = 0;
            web->progress = clock_seconds();
        }
        before = receiver->at;
        if (!may_repeat(receiver->get, ++failures, &pause) || i >= MOST_REQUESTS ||
            (reply->broken && has_stalled(receiver->get)))
            return explain(receiver->get, url);
        left = (struct timespec){ .tv_sec = (time_t)pause };
        left.tv_nsec = (long)((pause - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
        web->progress += pause; /* the server may have asked for it */
    }
}

void get_answer(Get *get, const char *url, size_t most, Buf *out)
{
    Receiver receiver = { .get = get, .text = out, .most = most, .url = url };

    if (get->st == OK) get->st = request(url, &receiver);
    if (get->st == OK && !out->data) buf_put_text(out, "");
    if (get->st == OK) get->st = buf_check(out, get->err);
}

/* --- Files ----------------------------------------------------------------------------- */

/* Opens the file and reads the bytes that an earlier download left. */
static Status open_partial(Receiver *r)
{
    const DownloadTask *task = r->task;
    Err *err = r->get->err;
    struct stat info;
    Status st;

    r->fd = open(task->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (r->fd < 0 || fstat(r->fd, &info) != 0) return err_set(err, ERR_IO, "%s: %s", task->partial, strerror(errno));
    if (!S_ISREG(info.st_mode)) return err_set(err, ERR_IO, "%s is not a regular file", task->partial);
    if ((uint64_t)info.st_size > (is_size_known(task) ? task->file->size : task->most)) {
        if (ftruncate(r->fd, 0) != 0) return fail_to_write(r, errno);
        info.st_size = 0;
    }
    st = start_checksum(r, (uint64_t)info.st_size, task->partial);
    if (st != OK) return st;
    r->at = (uint64_t)info.st_size;
    r->continued = r->at > 0;
    skip(r->get, info.st_size);
    return OK;
}

/* Sets *wrong to whether the size or the checksum differs from what the server stated; then the message has both. */
static Status compare(Receiver *r, bool *wrong)
{
    const DownloadTask *task = r->task;
    Err *err = r->get->err;
    char hash[DIGEST_HEX];
    Status st;

    *wrong = true;
    if (is_size_known(task) && r->at != task->file->size)
        return err_set(err, ERR_FORMAT, "get: %s: wrong size: expected %llu bytes, got %llu; try again later",
                       task->file->name, (unsigned long long)task->file->size, (unsigned long long)r->at);
    st = r->context ? finish_checksum(r, hash) : OK;
    *wrong = r->context && st == OK && strcmp(hash, task->file->hash) != 0;
    if (!*wrong) return st;
    return err_set(err, ERR_FORMAT, "get: %s: checksum mismatch: expected %s, got %s; try again later",
                   task->file->name, task->file->hash, hash);
}

/* Downloads the missing bytes, and compares size and checksum. Sets *again to whether another attempt makes sense,
 * because bytes of an earlier download were wrong. */
static Status attempt(Get *get, const DownloadTask *task, bool *again)
{
    Receiver r = { .get = get, .task = task, .fd = -1 };
    bool wrong = false;
    Status st = open_partial(&r);

    if (st == OK && (!is_size_known(task) || r.at < task->file->size || !task->file->size)) st = request(task->url, &r);
    if (st == OK) st = compare(&r, &wrong);
    if (st == OK && fsync(r.fd) != 0 && errno != EINVAL && errno != ENOTSUP) st = fail_to_write(&r, errno);
    if (r.fd >= 0 && close(r.fd) != 0 && errno != EINTR && st == OK) st = fail_to_write(&r, errno);
    if (wrong || r.unusable || (st != OK && !r.at)) unlink(task->partial);
    if (st != OK) skip(get, -(int64_t)r.at);
    *again = r.continued && (wrong || (r.unusable && st == ERR_FORMAT));
    if (r.context) r.crypto.end(r.context);
    return st;
}

void get_download(Get *get, const DownloadTask *task)
{
    bool again;

    if (get->st != OK) return;
    get->reply = (WebReply){ .status = 200, .retry_after = -1 };
    get->progress.file = task->file->name;
    get->st = attempt(get, task, &again);
    if (again) get->st = attempt(get, task, &again);
}

bool get_has_file(Get *get, const char *path, const RemoteFile *file)
{
    Receiver r = { .get = get, .task = &(DownloadTask){ .file = file }, .at = file->size };
    struct stat info;
    bool wrong = false, same = false;

    if (get->st != OK) return false;
    r.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r.fd < 0 && errno != ENOENT) get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
    if (r.fd < 0) return false;
    if (fstat(r.fd, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size == file->size) {
        get->st = start_checksum(&r, file->size, path);
        if (get->st == OK) {
            get->st = compare(&r, &wrong);
            same = get->st == OK;
            if (wrong) get->st = OK;
        }
        if (r.context) r.crypto.end(r.context);
    }
    close(r.fd);
    return same;
}
