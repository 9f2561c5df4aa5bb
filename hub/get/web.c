/* web.c - see get.h. CURL_LIBRARY (Makefile) is the name under which the linker would record libcurl. */
#include "get.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "clock.h"
#include "dragoman.h"
#include "text.h"

_Static_assert(sizeof CURL_LIBRARY > 1, "no shared libcurl was found: set CURL_LIBRARY to its file name");

#define MOST_REDIRECTS   10
#define MOST_FAILURES    5                   /* in a row, without progress */
#define MOST_REQUESTS    200                 /* for one file */
#define PROGRESS         ((uint64_t)1 << 16) /* bytes after which failures count anew */
#define FIRST_PAUSE      0.5                 /* seconds; each further one is twice as long */
#define LONGEST_WAIT     120L                /* seconds of Retry-After; for longer ones the user decides */
#define CONNECT_SECONDS  30L
#define SLOW_BYTES       64L /* a second; for SLOW_SECONDS: the connection counts as broken */
#define SLOW_SECONDS     30L
#define PATIENCE_SECONDS 90L                 /* without progress, with all requests for one file */
#define MOST_ERROR_BYTES ((uint64_t)1 << 20) /* of the text of an error */

/* The functions of libcurl. */
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

struct Web {
    Curl curl;
    CURL *handle;
    char *base, *token;
    bool http_allowed;
    long slow_seconds, patience_seconds;
    double progress; /* when the file that is requested last made progress, by clock_seconds() */
};

/* One request. */
typedef struct {
    Web *web;
    const WebSink *sink;
    WebReply *reply;
    Err *err;
    Status status;  /* of the sink */
    uint64_t from;  /* the first byte that was requested */
    uint64_t begin; /* that of Content-Range */
    bool has_range, begun, wrong_range;
    uint64_t ignored; /* bytes of an error's text */
} Request;

/* --- Loading libcurl --------------------------------------------------------------- */

Status loaded_library_open(const char *name, const char *purpose, const LoadedFunction *functions, size_t count,
                           Err *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return err_set(err, ERR_UNSUPPORTED, "get: needs the library %s to %s: install it (%s)", name, purpose,
                       dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address)
            return err_set(err, ERR_UNSUPPORTED, "get: the library %s has no function %s: install a newer version",
                           name, functions[i].name);
        memcpy(functions[i].function, &address, sizeof address);
    }
    return OK;
}

/* --- Addresses ------------------------------------------------------------------------ */

/* The parts of an address. */
typedef struct {
    char *scheme, *host, *port, *user, *password;
} AddressParts;

/* User and password may be missing. */
static Status split(const Curl *curl, const char *url, AddressParts *out, Err *err)
{
    CURLU *parsed = curl->url();
    CURLUcode code = parsed ? curl->url_set(parsed, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;

    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_SCHEME, &out->scheme, 0);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_HOST, &out->host, 0);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_PORT, &out->port, CURLU_DEFAULT_PORT);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_USER, &out->user, 0);
    if (code == CURLUE_OK || code == CURLUE_NO_USER)
        code = curl->url_get(parsed, CURLUPART_PASSWORD, &out->password, 0);
    if (parsed) curl->url_cleanup(parsed);
    if (code == CURLUE_OK || code == CURLUE_NO_PASSWORD) return OK;
    if (code == CURLUE_OUT_OF_MEMORY) return err_memory(err, "a web address");
    return err_set(err, ERR_FORMAT, "get: %.*s: not a web address", (int)strcspn(url, "?#@"), url);
}

static void free_parts(const Curl *curl, AddressParts *parts)
{
    char *const all[] = { parts->scheme, parts->host, parts->port, parts->user, parts->password };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) curl->free(all[i]);
}

/* Checks an address: https, or http if `http_allowed`, with a host and without a user. `origin` may be NULL; else it is
 * another address, and *same tells whether scheme, host and port are equal. The messages do not contain the part of an
 * address after its path, which may be secret. */
static Status check_address(const Curl *curl, const char *url, bool http_allowed, const char *origin, bool *same,
                            Err *err)
{
    AddressParts parts = { 0 }, other = { 0 };
    Status st = split(curl, url, &parts, err);

    if (st == OK && (parts.user || parts.password))
        st = err_set(err, ERR_FORMAT, "get: addresses with a user name or a password are not supported");
    if (st == OK && strcasecmp(parts.scheme, "https") != 0 && !(http_allowed && strcasecmp(parts.scheme, "http") == 0))
        st = err_set(err, ERR_FORMAT, "get: %.*s: refused: only https:// is used", (int)strcspn(url, "?#"), url);
    if (st == OK && origin) st = split(curl, origin, &other, err);
    if (st == OK && origin)
        *same = strcasecmp(parts.scheme, other.scheme) == 0 && strcasecmp(parts.host, other.host) == 0 &&
                strcmp(parts.port, other.port) == 0;
    free_parts(curl, &parts);
    free_parts(curl, &other);
    return st;
}

/* --- Requests -------------------------------------------------------------------------- */

Status web_new(Web **out, const char *base, const char *token, Err *err)
{
    Web *web = calloc(1, sizeof *web);
    Curl *curl;
    Status st;

    *out = NULL;
    if (!web) return err_memory(err, "a connection");
    curl = &web->curl;
    const LoadedFunction functions[] = {
        { "curl_global_init", &curl->global_init },
        { "curl_easy_init", &curl->init },
        { "curl_easy_cleanup", &curl->cleanup },
        { "curl_easy_reset", &curl->reset },
        { "curl_easy_setopt", &curl->setopt },
        { "curl_easy_getinfo", &curl->getinfo },
        { "curl_easy_perform", &curl->perform },
        { "curl_easy_strerror", &curl->strerror },
        { "curl_slist_append", &curl->slist_append },
        { "curl_slist_free_all", &curl->slist_free },
        { "curl_url", &curl->url },
        { "curl_url_cleanup", &curl->url_cleanup },
        { "curl_url_get", &curl->url_get },
        { "curl_url_set", &curl->url_set },
        { "curl_free", &curl->free },
    };
    web->http_allowed = strncasecmp(base, "http://", 7) == 0;
    web_set_patience(web, SLOW_SECONDS, PATIENCE_SECONDS);
    web->base = strdup(base);
    web->token = token ? strdup(token) : NULL;
    st = web->base && (web->token || !token) ? OK : err_memory(err, "a connection");
    if (st == OK)
        st = loaded_library_open(CURL_LIBRARY, "download", functions, sizeof functions / sizeof *functions, err);
    if (st == OK && web->curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        st = err_set(err, ERR_UNSUPPORTED, "get: " CURL_LIBRARY " cannot be used");
    if (st == OK && !(web->handle = web->curl.init())) st = err_memory(err, "a connection");
    if (st == OK) st = check_address(&web->curl, base, web->http_allowed, NULL, NULL, err);
    if (st == OK)
        *out = web;
    else
        web_free(web);
    return st;
}

void web_free(Web *web)
{
    if (!web) return;
    if (web->handle) web->curl.cleanup(web->handle);
    free(web->base);
    free(web->token);
    free(web);
}

void web_set_patience(Web *web, long slow_seconds, long patience_seconds)
{
    web->slow_seconds = slow_seconds;
    web->patience_seconds = patience_seconds;
}

/* Whether requests for the file have brought nothing for so long that further ones are of no use. */
static bool has_stalled(const Web *web)
{
    return clock_seconds() - web->progress >= (double)web->patience_seconds;
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

/* Only numbers of seconds are understood in Retry-After; a date counts as none. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    Request *request = context;
    const char *value;
    char line[512], *end;
    size_t len = size * count, kept = len < sizeof line - 1 ? len : sizeof line - 1;

    memcpy(line, bytes, kept);
    line[kept] = '\0';
    if (is_header(line, "Retry-After", &value)) {
        long seconds = strtol(value, &end, 10);
        if (end != value && seconds >= 0) request->reply->retry_after = seconds;
    } else if (is_header(line, "Content-Range", &value) && strncasecmp(value, "bytes ", 6) == 0) {
        request->begin = strtoull(value + 6, &end, 10);
        request->has_range = end != value + 6;
    } else if (is_header(line, "X-Error-Code", &value)) {
        snprintf(request->reply->error_code, sizeof request->reply->error_code, "%.*s", (int)strcspn(value, " \r\n"),
                 value);
    }
    return len;
}

/* Tells the sink where the answer begins. */
static Status begin(Request *request)
{
    const bool part = request->reply->status == 206;

    request->begun = true;
    request->wrong_range = part && (!request->has_range || request->begin != request->from);
    return request->sink->begin(request->sink->context, part && !request->wrong_range ? request->from : 0,
                                request->err);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    Request *request = context;
    const size_t len = size * count;

    (void)request->web->curl.getinfo(request->web->handle, CURLINFO_RESPONSE_CODE, &request->reply->status);
    if (request->reply->status != 200 && request->reply->status != 206) {
        request->ignored += len;
        return request->ignored > MOST_ERROR_BYTES ? 0 : len;
    }
    if (!request->begun) request->status = begin(request);
    if (request->status == OK && !request->wrong_range)
        request->status = request->sink->take(request->sink->context, bytes, len, request->err);
    return request->status == OK && !request->wrong_range ? len : 0;
}

/* Sends one request. *next is the address of a redirect, to be freed by the caller; NULL if there is none. */
static Status perform(Request *request, const char *url, bool with_token, char **next, Err *err)
{
    const Curl *curl = &request->web->curl;
    CURL *handle = request->web->handle;
    WebReply *reply = request->reply;
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
    (void)curl->setopt(handle, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    (void)curl->setopt(handle, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
    (void)curl->setopt(handle, CURLOPT_LOW_SPEED_TIME, request->web->slow_seconds);
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
        buf_put_format(&line, "Authorization: Bearer %s", request->web->token);
        st = buf_check(&line, err);
        if (st == OK && !(headers = curl->slist_append(NULL, line.data))) st = err_memory(err, "a request");
        (void)curl->setopt(handle, CURLOPT_HTTPHEADER, headers);
        buf_free(&line);
    }
    if (st == OK && curl->setopt(handle, CURLOPT_URL, url) != CURLE_OK) st = err_memory(err, "a request");

    if (st == OK) {
        code = curl->perform(handle);
        (void)curl->getinfo(handle, CURLINFO_RESPONSE_CODE, &reply->status);
        (void)curl->getinfo(handle, CURLINFO_REDIRECT_URL, &target);
        st = request->status;
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
static Status request_once(Web *web, const char *url, const WebSink *sink, WebReply *reply, Err *err)
{
    char *address = strdup(url);
    Status st = address ? OK : err_memory(err, "an address");

    for (int i = 0; st == OK; i++) {
        Request request = { .web = web, .sink = sink, .reply = reply, .err = err };
        bool same = false;
        char *next;
        *reply = (WebReply){ .retry_after = -1 };
        if (sink->position) request.from = sink->position(sink->context);
        st = check_address(&web->curl, address, web->http_allowed, web->base, &same, err);
        if (st == OK) st = perform(&request, address, same && web->token, &next, err);
        if (st != OK || !next) break;
        free(address);
        address = next;
        if (i >= MOST_REDIRECTS) st = err_set(err, ERR_FORMAT, "get: %s: too many redirects", url);
        if (has_stalled(web)) {
            *reply = (WebReply){ .broken = true, .fault = "redirects take too long" };
            break;
        }
    }
    free(address);
    return st;
}

/* Whether to try again, and after how many seconds. */
static bool may_repeat(const WebReply *reply, unsigned failures, double *pause)
{
    const double usual = FIRST_PAUSE * (double)(1u << (failures - 1));

    *pause = usual;
    if (failures >= MOST_FAILURES) return false;
    if (reply->broken) return reply->status == 0 || reply->status == 200 || reply->status == 206;
    if (reply->status == 429 && reply->retry_after > LONGEST_WAIT) return false;
    if (reply->retry_after >= 0 && reply->retry_after <= LONGEST_WAIT && (double)reply->retry_after > usual)
        *pause = (double)reply->retry_after;
    return reply->status == 429 || reply->status == 408 || reply->status == 416 || reply->status >= 500;
}

static Status explain(const Web *web, const char *url, const WebReply *reply, Err *err)
{
    const int shown = (int)strcspn(url, "?#");

    if (reply->broken && has_stalled(web))
        return err_set(err, ERR_IO,
                       "get: %.*s: the server sent next to nothing for %ld seconds (%s); check the network, and run "
                       "the command again to continue",
                       shown, url, web->patience_seconds, reply->fault);
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

static uint64_t position_of(const WebSink *sink)
{
    return sink->position ? sink->position(sink->context) : 0;
}

Status web_get(Web *web, const char *url, const WebSink *sink, WebReply *reply, Err *err)
{
    unsigned failures = 0;
    uint64_t before = position_of(sink);

    web->progress = clock_seconds();
    for (unsigned i = 0;; i++) {
        struct timespec left;
        double pause = 0;
        uint64_t now;
        Status st = request_once(web, url, sink, reply, err);
        if (st != OK) return st;
        if (!reply->broken && (reply->status == 200 || reply->status == 206)) return OK;
        if (reply->status == 416) st = sink->begin(sink->context, 0, err); /* the file has changed */
        if (st != OK) return st;
        now = position_of(sink);
        if (now > before + PROGRESS) {
            failures = 0;
            web->progress = clock_seconds();
        }
        before = now;
        if (!may_repeat(reply, ++failures, &pause) || i >= MOST_REQUESTS || (reply->broken && has_stalled(web)))
            return explain(web, url, reply, err);
        left = (struct timespec){ .tv_sec = (time_t)pause };
        left.tv_nsec = (long)((pause - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
        web->progress += pause; /* the server may have asked for it */
    }
}

typedef struct {
    Buf *text;
    size_t most;
    const char *url;
} TextSink;

static Status begin_text(void *context, uint64_t offset, Err *err)
{
    TextSink *sink = context;

    (void)offset;
    (void)err;
    buf_clear(sink->text);
    return OK;
}

static Status take_text(void *context, const char *bytes, size_t count, Err *err)
{
    TextSink *sink = context;

    if (count > sink->most - sink->text->len)
        return err_set(err, ERR_FORMAT, "get: %s: the answer has more than %zu bytes", sink->url, sink->most);
    buf_put(sink->text, bytes, count);
    return buf_check(sink->text, err);
}

Status web_get_text(Web *web, const char *url, size_t most, Buf *out, WebReply *reply, Err *err)
{
    TextSink context = { out, most, url };
    const WebSink sink = { &context, begin_text, take_text, NULL };
    Status st = web_get(web, url, &sink, reply, err);

    if (st == OK && !out->data) buf_put_text(out, "");
    return st == OK ? buf_check(out, err) : st;
}
