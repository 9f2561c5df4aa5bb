/* http.c - see http.h. Each listening socket has a daemon of libmicrohttpd, which accepts connections in a thread and
 * runs each of them in another one. The thread of a connection reads requests (answer()), calls handlers, and sends
 * replies. The main thread calls http_watch(), which looks at the connections from outside.
 *
 * Http.lock guards the list of connections. A connection is in the list while its socket is open, and has a request
 * from its first header to the end of its reply. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "chars.h"
#include "clock.h"
#include "hash.h"
#include "json.h"
#include "listen.h"
#include "report.h"
#include "text.h"

#define STACK_BYTES   ((size_t)1 << 20)
#define DRAINED_BYTES ((size_t)64 << 20) /* of a refused body that are read so that the client can read the error */
#define SLOWEST_BYTES 10000 /* per second; reading a request, or sending a reply, may take Http.timeout more */
#define KEPT_SECONDS  60    /* a connection without a request is closed */
#define QUIET_SECONDS 1     /* when the server ends: a connection without a request for so long is closed */
#define FORM_BYTES    1000  /* parameters of a request, besides its texts */

typedef enum { PHASE_IDLE, PHASE_READING, PHASE_WORKING, PHASE_SENDING } Phase;

typedef struct {
    int fd;
    Phase phase;
    double since; /* the beginning of the phase */
    double until; /* READING, SENDING: the connection is closed if this phase has not ended by then */
    Request *request;
} Connection;

struct Http {
    Server *server;
    const Route *routes;
    Sockets sockets;
    struct MHD_Daemon *daemons[SOCKETS_MOST]; /* [sockets.count], NULL: not started */
    HashKey client_key;
    unsigned timeout; /* in seconds: --timeout */
    atomic_bool ends;
    pthread_mutex_t lock; /* guards the list and the fields of its connections */
    LIST_OF(Connection *) connections;
};

/* The part of a request that only this file uses. */
struct Private {
    Http *http;
    struct MHD_Connection *mhd;
    Connection *connection;
    const char *method;
    const char *host, *origin;
    char *target_host; /* the host of an absolute target; NULL: none */
    Origin origin_kind;
    double began;
    size_t most_bytes, drained;
    size_t reserved;  /* of limits_reserve(), for the client Request.address_id */
    bool is_refused;  /* the reply is an error, and the body is not kept */
    bool is_admitted; /* limits_leave() is due */
    Reply reply;
    pthread_mutex_t lock; /* guards the job */
    DragomanJob *job;
};

/* --- Replies ----------------------------------------------------------------- */

void reply_json(Reply *reply)
{
    reply->type = "application/json";
}

void reply_header(Reply *reply, const char *name, const char *value)
{
    char *copy = strdup(value);

    if (!copy || reply->header_count == REPLY_HEADERS) {
        free(copy);
        return;
    }
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = '?';
    reply->headers[reply->header_count].name = name;
    reply->headers[reply->header_count++].value = copy;
}

/* The second form of the name (RFC 8187) is for browsers, the first one for programs that do not know it. */
void reply_file(Reply *reply, const char *name)
{
    Buf header = { 0 };
    bool is_plain = true;

    buf_put_text(&header, "attachment; filename=\"");
    for (const char *at = name; *at; at++) {
        const bool keeps = *at >= ' ' && *at < 0x7f && !strchr("\"\\/", *at);
        if (!char_goes_on(*at)) buf_put_byte(&header, keeps ? *at : '_');
        is_plain &= keeps;
    }
    buf_put_byte(&header, '"');
    if (!is_plain) buf_put_text(&header, "; filename*=UTF-8''");
    for (const unsigned char *at = (const unsigned char *)name; *at && !is_plain; at++)
        buf_put_format(&header, (*at < 0x80 && isalnum(*at)) || strchr("-_.", *at) ? "%c" : "%%%02X", *at);
    if (buf_check(&header, NULL) == OK) reply_header(reply, "Content-Disposition", header.data);
    buf_free(&header);
    reply->type = "application/octet-stream";
}

void reply_error(Reply *reply, unsigned status, const char *format, ...)
{
    va_list args;
    Err line;

    va_start(args, format);
    (void)err_set_list(&line, OK, format, args); /* valid UTF-8 without control characters */
    va_end(args);
    reply->status = status;
    buf_clear(&reply->body);
    buf_put_text(&reply->body, reply->api == API_DEEPL ? "{\"message\":" : "{\"error\":");
    json_put_text(&reply->body, line.text);
    buf_put_text(&reply->body, "}\n");
    reply_json(reply);
}

void request_report(const Request *request, Status st, const Err *err)
{
    if ((st == ERR_IO || st == ERR_MEMORY) && !atomic_load(&request->gone)) report("%s", err->text);
}

void reply_fault(Reply *reply, Status st, const Err *err)
{
    request_report(reply->request, st, err);
    if (st == ERR_MEMORY) reply_header(reply, "Retry-After", "5");
    reply_error(reply, st == ERR_MEMORY ? 503 : st == ERR_IO ? 500 : 400, "%s", err->text);
}

void reply_stream(Reply *reply, const char *type, size_t size, ReplyReader *read, void (*end)(void *), void *context)
{
    reply->type = type;
    reply->size = size;
    reply->read = read;
    reply->end = end;
    reply->context = context;
}

static void free_reply(Reply *reply)
{
    if (reply->end) reply->end(reply->context);
    for (size_t i = 0; i < reply->header_count; i++) free(reply->headers[i].value);
    buf_free(&reply->body);
}

/* --- Connections ------------------------------------------------------------- */

/* `bytes` is the size of the reply that is sent; SIZE_MAX: not known. */
static void set_phase(Http *http, Connection *connection, Phase phase, size_t bytes)
{
    pthread_mutex_lock(&http->lock);
    connection->phase = phase;
    connection->since = clock_seconds();
    connection->until =
        bytes == SIZE_MAX ? INFINITY : connection->since + http->timeout + (double)bytes / SLOWEST_BYTES;
    pthread_mutex_unlock(&http->lock);
}

/* Called when a connection is accepted and when it ends. */
static void notify_connection(void *context, struct MHD_Connection *mhd, void **kept,
                              enum MHD_ConnectionNotificationCode code)
{
    Http *http = context;
    Connection *connection = *kept;

    pthread_mutex_lock(&http->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        connection = info ? calloc(1, sizeof *connection) : NULL;
        if (connection) {
            connection->fd = info->connect_fd;
            connection->since = clock_seconds();
            LIST_PUT(&http->connections, connection);
        }
        if (connection && LIST_CHECK(&http->connections, "a connection", NULL) == OK)
            *kept = connection;
        else
            free(connection); /* its requests are refused */
    } else if (connection) {
        size_t i = 0;
        while (http->connections.data[i] != connection) i++;
        http->connections.data[i] = http->connections.data[--http->connections.len];
        free(connection);
        *kept = NULL;
    }
    pthread_mutex_unlock(&http->lock);
}

/* Stops the work for a request, with the lock of the connections. */
static void abandon(Request *request)
{
    struct Private *own = request->own;

    if (atomic_exchange(&request->gone, true)) return;
    pthread_mutex_lock(&own->lock);
    if (own->job) dragoman_job_cancel(own->job);
    pthread_mutex_unlock(&own->lock);
}

void request_set_job(Request *request, DragomanJob *job)
{
    struct Private *own = request->own;

    if (!own) return;
    pthread_mutex_lock(&own->lock);
    own->job = job;
    if (job && atomic_load(&request->gone)) dragoman_job_cancel(job);
    pthread_mutex_unlock(&own->lock);
}

/* Whether the other side has closed the connection. */
static bool is_closed(int fd)
{
#ifdef POLLRDHUP /* is there, whatever bytes wait to be read */
    struct pollfd poll_fd = { .fd = fd, .events = POLLRDHUP };

    return poll(&poll_fd, 1, 0) > 0;
#else
    char byte;
    const ssize_t count = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return !count || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
#endif
}

void http_watch(Http *http)
{
    const double now = clock_seconds();
    const bool ends = atomic_load(&http->ends);
    const size_t most = (size_t)http->server->options->server.max_connections;
    bool wakes = false;

    pthread_mutex_lock(&http->lock);
    for (size_t i = 0; i < http->connections.len; i++) {
        Connection *connection = http->connections.data[i];
        const bool is_crowded = http->connections.len > most - most / 8;
        bool is_slow = false;
        switch (connection->phase) {
        case PHASE_IDLE:
            is_slow = now - connection->since > (ends || is_crowded ? QUIET_SECONDS : KEPT_SECONDS);
            break;
        case PHASE_READING:
        case PHASE_SENDING:
            is_slow = now > connection->until;
            break;
        case PHASE_WORKING:
            break;
        }
        if (is_slow) (void)shutdown(connection->fd, SHUT_RDWR);
        if (connection->phase < PHASE_WORKING || !connection->request || atomic_load(&connection->request->gone))
            continue;
        if (!is_slow && !is_closed(connection->fd)) continue;
        abandon(connection->request);
        wakes = true;
    }
    pthread_mutex_unlock(&http->lock);
    if (wakes) limits_wake(http->server->limits);
}

/* --- The head of a request --------------------------------------------------- */

const char *request_header(const Request *request, const char *name)
{
    return MHD_lookup_connection_value(request->own->mhd, MHD_HEADER_KIND, name);
}

void request_put_url(const Request *request, const char *path, Buf *out)
{
    const char *scheme =
        request->server->options->server.trust_proxy ? request_header(request, "X-Forwarded-Proto") : NULL;

    buf_put_format(out, "%s://%s%s", scheme && strcasecmp(scheme, "https") == 0 ? "https" : "http",
                   request->own->host ? request->own->host : "localhost", path);
}

static bool is_path(const Route *route, const char *path, const char **rest)
{
    const size_t length = strlen(route->path);

    *rest = "";
    if (route->path[length - 1] != '*') return strcmp(route->path, path) == 0;
    *rest = path + length - 1;
    return strncmp(route->path, path, length - 1) == 0 && **rest;
}

/* Finds the route of a request. *allowed are the methods of its path. */
static const Route *find_route(const Route *routes, const char *method, const char *path, const char **rest,
                               Buf *allowed)
{
    const bool is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

    if (is_head) method = MHD_HTTP_METHOD_GET;
    for (const Route *route = routes; route->path; route++) {
        if (!is_path(route, path, rest)) continue;
        if (strcmp(route->method, method) == 0 && !(is_head && route->flags & ROUTE_ONCE)) return route;
        buf_put_format(allowed, "%s%s", allowed->len ? ", " : "", route->method);
    }
    *rest = "";
    return NULL;
}

/* The API of a path without a route. */
static Api api_of(const char *path)
{
    return text_begins_with(path, "/v2/") || text_begins_with(path, "/v3/") ? API_DEEPL
           : text_begins_with(path, "/v1/")                                 ? API_OWN
                                                                            : API_LIBRETRANSLATE;
}

/* Finds the last header "X-Forwarded-For": some proxies append a header to that of the client. */
static enum MHD_Result find_forwarded(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    const char **found = context;

    (void)kind;
    if (value && strcasecmp(name, "X-Forwarded-For") == 0) *found = value;
    return MHD_YES;
}

/* Writes the address of the client; of an IPv6 address, only the network, because a client has all addresses in it. */
static void write_address(Request *request)
{
    const struct Private *own = request->own;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(own->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    const char *forwarded = NULL;
    struct in6_addr six;
    char text[INET6_ADDRSTRLEN] = "local";
    bool is_6 = false;

    if (request->server->options->server.trust_proxy)
        MHD_get_connection_values(own->mhd, MHD_HEADER_KIND, find_forwarded, &forwarded);
    if (forwarded) {
        const char *last = strrchr(forwarded, ',');
        last = last ? last + 1 : forwarded;
        while (*last == ' ') last++;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(last, " "), last);
        is_6 = inet_pton(AF_INET6, text, &six) == 1;
    } else if (address && address->sa_family == AF_INET) {
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, text, sizeof text);
    } else if (address && address->sa_family == AF_INET6) {
        six = ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        is_6 = true;
    }
    if (is_6 && IN6_IS_ADDR_V4MAPPED(&six)) {
        (void)inet_ntop(AF_INET, &six.s6_addr[12], text, sizeof text);
    } else if (is_6) {
        memset(&six.s6_addr[8], 0, 8);
        (void)inet_ntop(AF_INET6, &six, text, sizeof text);
    }
    snprintf(request->client, sizeof request->client, "%s", text);
}

/* Refuses a request. Its body is read and dropped: a client that is still sending it would not read the reply. */
__attribute__((format(printf, 3, 4))) static void refuse(Request *request, unsigned status, const char *format, ...)
{
    va_list args;
    Err reason;

    va_start(args, format);
    (void)err_set_list(&reason, OK, format, args);
    va_end(args);
    request->own->is_refused = true;
    reply_error(&request->own->reply, status, "%s", reason.text);
}

/* Answers the question of a browser whether a page may send a request. */
static void answer_preflight(Request *request, const char *allowed)
{
    Reply *reply = &request->own->reply;

    request->own->is_refused = true; /* it has no body */
    reply->status = MHD_HTTP_NO_CONTENT;
    reply_header(reply, "Allow", allowed);
    if (request->own->origin_kind != ORIGIN_NAMED) return;
    reply_header(reply, "Access-Control-Allow-Methods", allowed);
    reply_header(reply, "Access-Control-Allow-Headers", "Authorization, Content-Type");
    reply_header(reply, "Access-Control-Max-Age", "86400");
}

/* The headers that say where a request ends, and for which host it is. */
typedef struct {
    unsigned lengths, codings, hosts;
} HeaderCounts;

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    HeaderCounts *counts = context;

    (void)kind;
    (void)value;
    counts->lengths += strcasecmp(name, "Content-Length") == 0;
    counts->codings += strcasecmp(name, "Transfer-Encoding") == 0;
    counts->hosts += strcasecmp(name, "Host") == 0;
    return MHD_YES;
}

/* Takes the host from a target in absolute form, http://HOST/PATH, which counts instead of the header Host (RFC 9112,
 * 3.2.2). Returns the path. */
static const char *split_target(const Request *request, const char *target)
{
    struct Private *own = request->own;
    const char *host = strncasecmp(target, "http://", 7) == 0    ? target + 7
                       : strncasecmp(target, "https://", 8) == 0 ? target + 8
                                                                 : NULL;

    own->host = request_header(request, "Host");
    if (!host) return target;
    own->target_host = strndup(host, strcspn(host, "/"));
    own->host = own->target_host ? own->target_host : "";
    host += strcspn(host, "/");
    return *host ? host : "/";
}

/* Checks everything that the head tells. */
static void check_head(Request *request, const char *target)
{
    struct Private *own = request->own;
    Limits *limits = request->server->limits;
    const ServerOptions *options = &request->server->options->server;
    const char *length = request_header(request, "Content-Length"), *path = split_target(request, target);
    HeaderCounts counts = { 0 };
    Buf allowed = { 0 };

    MHD_get_connection_values(own->mhd, MHD_HEADER_KIND, count_header, &counts);
    own->origin = request_header(request, "Origin");
    own->origin_kind = limits_find_origin(limits, own->origin, own->host);
    request->route = find_route(own->http->routes, own->method, path, &request->rest, &allowed);
    own->reply.api = request->route ? request->route->api : api_of(path);
    own->most_bytes = (size_t)options->max_body << 20;
    if (request->route && request->route->flags & ROUTE_FILE) own->most_bytes = (size_t)options->max_file << 20;
    write_address(request);
    request->address_id = keyed_hash(own->http->client_key, request->client, strlen(request->client));
    if (!own->connection)
        refuse(request, 503, "out of memory");
    else if (counts.lengths + counts.codings > 1 || counts.hosts > 1) {
        /* A proxy might see another end of the request, and give the next reply to another client (RFC 9112, 6.3). */
        refuse(request, 400, "the request has several lengths or hosts");
        reply_header(&own->reply, "Connection", "close");
    } else if (!limits_accept_host(limits, own->host))
        refuse(request, 403, "the host '%s' is not served here; the option --host names hosts", own->host);
    else if (!request->route && !allowed.len)
        refuse(request, 404, "Not found");
    else if (strcmp(own->method, MHD_HTTP_METHOD_OPTIONS) == 0)
        answer_preflight(request, allowed.data);
    else if (!request->route) {
        refuse(request, 405, "Method not allowed");
        reply_header(&own->reply, "Allow", allowed.data);
    } else if (own->origin_kind == ORIGIN_FOREIGN && strcmp(request->route->method, MHD_HTTP_METHOD_GET) != 0)
        refuse(request, 403, "web pages of %s may not use this server; the option --cors names those that may",
               own->origin);
    else if (length && strtoull(length, NULL, 10) > own->most_bytes)
        refuse(request, 413, "the request is larger than %zu MB", own->most_bytes >> 20);
    buf_free(&allowed);
}

static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    if (value) form_add(&((Request *)context)->form, (Field){ .name = name, .value = value, .length = strlen(value) });
    return MHD_YES;
}

static enum MHD_Result begin_request(Http *http, struct MHD_Connection *mhd, const char *path, const char *method,
                                     void **kept)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Request *request = calloc(1, sizeof *request);
    struct Private *own = calloc(1, sizeof *own);

    if (!request || !own) {
        free(request);
        free(own);
        return MHD_NO;
    }
    *kept = request;
    request->server = http->server;
    request->own = own;
    request->rest = "";
    request->form.most = 10 * (size_t)http->server->options->server.max_texts + FORM_BYTES;
    *own = (struct Private){ .http = http, .mhd = mhd, .method = method, .began = clock_seconds() };
    own->connection = info ? info->socket_context : NULL;
    own->reply.request = request;
    own->reply.status = MHD_HTTP_OK;
    pthread_mutex_init(&own->lock, NULL);
    check_head(request, path);
    MHD_get_connection_values(mhd, MHD_GET_ARGUMENT_KIND, add_parameter, request);
    if (own->connection) {
        pthread_mutex_lock(&http->lock);
        own->connection->request = request;
        pthread_mutex_unlock(&http->lock);
        set_phase(http, own->connection, PHASE_READING, 0);
    }
    return MHD_YES;
}

/* --- The body of a request --------------------------------------------------- */

/* Takes bytes of the body. Returns false if the connection has to be closed. */
static bool take_bytes(Request *request, const char *bytes, size_t count)
{
    struct Private *own = request->own;
    Buf *body = &request->body;
    const size_t cap = body->cap;

    if (own->connection) { /* a client that has sent much at once must not get hours for the rest */
        const double latest = clock_seconds() + own->http->timeout;
        pthread_mutex_lock(&own->http->lock);
        own->connection->until = fmin(own->connection->until + (double)count / SLOWEST_BYTES, latest);
        pthread_mutex_unlock(&own->http->lock);
    }
    if (!own->is_refused && count > own->most_bytes - body->len)
        refuse(request, 413, "the request is larger than %zu MB", own->most_bytes >> 20);
    if (!own->is_refused && body->len + count >= cap) { /* it will grow to at most twice this size */
        const size_t more = 2 * (body->len + count) + 64 - own->reserved;
        const Admission answer = limits_reserve(request->server->limits, request->address_id, more);
        if (answer == ADMITTED)
            own->reserved += more;
        else if (answer == REFUSED_CLIENT)
            refuse(request, 429, "%stoo many bytes of this address in memory; try again in 5 seconds",
                   own->reply.api == API_LIBRETRANSLATE ? "Slowdown: " : "");
        else
            refuse(request, 503, "the server has too many requests in memory; try again in 5 seconds");
        if (answer != ADMITTED) reply_header(&own->reply, "Retry-After", "5");
    }
    if (own->is_refused) {
        buf_free(body);
        limits_release(request->server->limits, request->address_id, own->reserved);
        own->reserved = 0;
        own->drained += count;
        return own->drained <= DRAINED_BYTES;
    }
    buf_put(body, bytes, count);
    if (buf_check(body, NULL) != OK) refuse(request, 503, "out of memory");
    return true;
}

static bool is_type(const char *type, const char *name)
{
    const size_t length = strlen(name);

    return strncasecmp(type, name, length) == 0 && (!type[length] || strchr("; \t", type[length]));
}

/* Finds the boundary of a multipart form in its content type. */
static const char *find_boundary(const char *type, size_t *length)
{
    for (const char *at = strchr(type, ';'); at; at = strchr(at, ';')) {
        for (at++; char_is_blank(*at);) at++;
        if (strncasecmp(at, "boundary=", 9) != 0) continue;
        at += 9;
        *length = *at == '"' ? strcspn(at + 1, "\"") : strcspn(at, "; \t");
        return *at == '"' ? at + 1 : at;
    }
    *length = 0;
    return type;
}

/* Parses the body as its content type says. */
static void parse_body(Request *request, Reply *reply)
{
    const char *type = request_header(request, "Content-Type"), *boundary;
    const size_t type_end = type ? strcspn(type, "; \t") : 0;
    const bool is_json =
        type ? is_type(type, "application/json") || (type_end > 5 && strncasecmp(type + type_end - 5, "+json", 5) == 0)
             : request->body.len && *request->body.data == '{';
    Buf *body = &request->body;
    size_t length;
    Err err;
    Status st = OK;

    if (!body->len && (!is_json || reply->api == API_DEEPL)) return; /* some clients name the type in any request */
    if (is_json) {
        st = form_parse_json(&request->form, body->data ? body->data : "", body->len, &err);
        if (st == ERR_FORMAT && reply->api == API_LIBRETRANSLATE)
            st = err_set(&err, st, "Invalid JSON format"); /* what LibreTranslate says */
    } else if (!type || is_type(type, "application/x-www-form-urlencoded")) {
        st = form_parse_encoded(&request->form, body->data, body->len, &err);
    } else if (is_type(type, "multipart/form-data")) {
        boundary = find_boundary(type, &length);
        st = form_parse_multipart(&request->form, body->data, body->len, boundary, length, &err);
    } else {
        reply_error(reply, 415, "the content type '%s' is not supported; send JSON or a form", type);
        return;
    }
    if (st != OK) reply_fault(reply, st, &err);
}

/* --- Keys and limits --------------------------------------------------------- */

/* Finds the key of the request: a parameter, or a header "Authorization". */
static const char *find_key(const Request *request)
{
    const char *key = form_text(&request->form, "api_key", NULL), *header = request_header(request, "Authorization");

    if (!key || !*key) key = form_text(&request->form, "auth_key", NULL);
    if ((!key || !*key) && header && strncasecmp(header, "Bearer ", 7) == 0) key = header + 7;
    if ((!key || !*key) && header && strncasecmp(header, "DeepL-Auth-Key ", 15) == 0) key = header + 15;
    while (key && *key == ' ') key++;
    return key && *key ? key : NULL;
}

/* Refuses requests without a key. With a key, the client is known by its name. */
static void check_key(Request *request, Reply *reply)
{
    Limits *limits = request->server->limits;
    const char *key = limits_has_keys(limits) ? find_key(request) : NULL;

    if (!limits_has_keys(limits) || (key && limits_find_key(limits, key, request->client))) return;
    if (!(request->route->flags & ROUTE_KEY)) return;
    if (key || reply->api == API_DEEPL) {
        reply_error(reply, 403, "Invalid API key");
    } else if (reply->api == API_LIBRETRANSLATE) {
        reply_error(reply, 400, "Please contact the server operator to get an API key");
    } else {
        reply_header(reply, "WWW-Authenticate", "Bearer");
        reply_error(reply, 401, "this server needs a key: send 'Authorization: Bearer KEY', or the parameter api_key");
    }
}

/* Waits until the request may be translated, or refuses it. */
static void enter(Request *request, Reply *reply)
{
    char text[16];
    unsigned seconds;

    if (!(request->route->flags & ROUTE_WORK)) return;
    switch (limits_enter(request->server->limits, request->client_id, &request->gone, &seconds)) {
    case ADMITTED:
        request->own->is_admitted = true;
        return;
    case REFUSED_CLIENT:
        reply_error(reply, 429, "%stoo many requests of this client; try again in %u second%s",
                    reply->api == API_LIBRETRANSLATE ? "Slowdown: " : "", seconds, plural(seconds));
        break;
    case REFUSED_FULL:
        reply_error(reply, 503, "the server has too many requests; try again in %u seconds", seconds);
        break;
    case REFUSED_GONE:
        reply_error(reply, 503, "the client has gone away");
        return;
    }
    snprintf(text, sizeof text, "%u", seconds);
    reply_header(reply, "Retry-After", text);
}

static void leave(Request *request)
{
    if (request->own->is_admitted) limits_leave(request->server->limits, request->client_id);
    request->own->is_admitted = false;
}

/* --- The reply --------------------------------------------------------------- */

static void set_timeout(const Request *request, bool is_on)
{
    MHD_set_connection_option(request->own->mhd, MHD_CONNECTION_OPTION_TIMEOUT,
                              is_on ? request->own->http->timeout : 0);
}

/* Reads a part of a streamed reply. Meanwhile the connection has no time limit; afterwards, a new one for this part
 * begins. */
static ssize_t read_part(void *context, uint64_t position, char *bytes, size_t room)
{
    Request *request = context;
    ssize_t count;

    (void)position;
    set_timeout(request, false);
    set_phase(request->own->http, request->own->connection, PHASE_WORKING, 0);
    count = request->own->reply.read(request->own->reply.context, bytes, room);
    set_phase(request->own->http, request->own->connection, PHASE_SENDING, count > 0 ? (size_t)count : 0);
    set_timeout(request, true);
    return count > 0 ? count : count ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(Request *request)
{
    Reply *reply = &request->own->reply;
    struct MHD_Response *response;

    if (buf_check(&reply->body, NULL) != OK) reply_error(reply, 503, "out of memory");
    if (reply->read)
        return MHD_create_response_from_callback(reply->size == SIZE_MAX ? MHD_SIZE_UNKNOWN : reply->size, 32 << 10,
                                                 read_part, request, NULL);
    response = MHD_create_response_from_buffer(reply->body.len, reply->body.data ? reply->body.data : (char *)"",
                                               reply->body.data ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (response) {
        reply->size = reply->body.len;
        reply->body = (Buf){ .data = NULL };
    }
    return response;
}

static enum MHD_Result send_reply(Request *request)
{
    struct Private *own = request->own;
    Reply *reply = &own->reply;
    struct MHD_Response *response = make_response(request);
    enum MHD_Result result;

    if (!response) return MHD_NO;
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (reply->type) (void)MHD_add_response_header(response, "Content-Type", reply->type);
    for (size_t i = 0; i < reply->header_count; i++)
        (void)MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
    if (own->origin_kind == ORIGIN_NAMED) {
        (void)MHD_add_response_header(response, "Access-Control-Allow-Origin", own->origin);
        (void)MHD_add_response_header(response, "Vary", "Origin");
    }
    if (atomic_load(&own->http->ends)) (void)MHD_add_response_header(response, "Connection", "close");
    if (own->connection) set_phase(own->http, own->connection, PHASE_SENDING, reply->size);
    result = MHD_queue_response(own->mhd, reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Called for a complete request. */
static enum MHD_Result work(Request *request)
{
    struct Private *own = request->own;
    Reply *reply = &own->reply;

    if (own->is_refused) return send_reply(request);
    set_phase(own->http, own->connection, PHASE_WORKING, 0);
    set_timeout(request, false);
    if (!(request->route->flags & ROUTE_RAW)) parse_body(request, reply);
    if (strcmp(request->route->method, MHD_HTTP_METHOD_GET) == 0) {
        /* DeepL's Python library sends parameters in the body of GET, but a body that is no form has no meaning. */
        buf_clear(&reply->body);
        reply->status = MHD_HTTP_OK;
        reply->type = NULL;
    }
    if (reply->status == MHD_HTTP_OK) check_key(request, reply);
    request->client_id = keyed_hash(own->http->client_key, request->client, strlen(request->client));
    if (reply->status == MHD_HTTP_OK) enter(request, reply);
    if (reply->status == MHD_HTTP_OK) request->route->handle(request, reply);
    if (!reply->read) leave(request);
    set_timeout(request, true);
    return atomic_load(&request->gone) ? MHD_NO : send_reply(request);
}

/* libmicrohttpd calls it for the head of a request, for each part of its body, and at its end. */
static enum MHD_Result answer(void *context, struct MHD_Connection *mhd, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *count, void **kept)
{
    Request *request = *kept;
    bool goes_on;

    (void)version;
    if (!request) return begin_request(context, mhd, path, method, kept);
    if (!*count) return work(request);
    goes_on = take_bytes(request, bytes, *count);
    *count = 0;
    return goes_on ? MHD_YES : MHD_NO;
}

/* Called when a reply is complete, or when the connection ends before that. */
static void notify_completed(void *context, struct MHD_Connection *mhd, void **kept,
                             enum MHD_RequestTerminationCode code)
{
    Http *http = context;
    Request *request = *kept;
    struct Private *own;
    double seconds;

    (void)mhd;
    if (!request) return;
    own = request->own;
    seconds = clock_seconds() - own->began;
    if (own->connection) {
        pthread_mutex_lock(&http->lock);
        own->connection->request = NULL;
        pthread_mutex_unlock(&http->lock);
        set_phase(http, own->connection, PHASE_IDLE, 0);
    }
    leave(request);
    metrics_count_request(http->server->metrics, own->reply.api,
                          code == MHD_REQUEST_TERMINATED_COMPLETED_OK ? own->reply.status : 499, seconds);
    if (http->server->options->verbose)
        report("%s %s %u %zu bytes %.0f ms %s%s", own->method, request->route ? request->route->path : "-",
               own->reply.status, own->reply.size == SIZE_MAX ? 0 : own->reply.size, seconds * 1e3, request->client,
               code == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : " (not completed)");
    free_reply(&own->reply);
    limits_release(http->server->limits, request->address_id, own->reserved);
    form_free(&request->form);
    buf_free(&request->body);
    pthread_mutex_destroy(&own->lock);
    free(own->target_host);
    free(own);
    free(request);
    *kept = NULL;
}

/* --- The daemons ------------------------------------------------------------- */

/* Decodes the path and the query. A NUL would cut them off, so it becomes another character. */
static size_t decode(void *context, struct MHD_Connection *mhd, char *text)
{
    const size_t length = form_decode(text, strlen(text));

    (void)context;
    (void)mhd;
    for (size_t i = 0; i < length; i++)
        if (!text[i]) text[i] = '?';
    text[length] = '\0';
    return length;
}

static void ignore_log(void *context, const char *format, va_list args)
{
    (void)context;
    (void)format;
    (void)args;
}

Status http_listen(Http **out, Server *server, const Route *routes, Err *err)
{
    Http *http = calloc(1, sizeof *http);
    Status st;

    *out = NULL;
    if (!http) return err_memory(err, "the server");
    http->server = server;
    http->routes = routes;
    http->timeout = (unsigned)server->options->server.timeout;
    http->client_key = keyed_hash_random_key();
    pthread_mutex_init(&http->lock, NULL);
    st = sockets_open(&http->sockets, &server->options->server, err);
    if (st == OK)
        *out = http;
    else
        http_free(http);
    return st;
}

Status http_start(Http *http, Err *err)
{
    const size_t most = (size_t)http->server->options->server.max_connections, count = http->sockets.count;
    const unsigned each = (unsigned)(most > count ? most / count : 1);

    for (size_t i = 0; i < count; i++) {
        http->daemons[i] = MHD_start_daemon(
            MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC, 0, NULL, NULL,
            answer, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET, http->sockets.fds[i],
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT, each, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
            each > 1 ? each / 2 : 1, MHD_OPTION_CONNECTION_TIMEOUT, http->timeout, MHD_OPTION_THREAD_STACK_SIZE,
            STACK_BYTES, MHD_OPTION_UNESCAPE_CALLBACK, decode, NULL, MHD_OPTION_NOTIFY_CONNECTION, notify_connection,
            http, MHD_OPTION_NOTIFY_COMPLETED, notify_completed, http, MHD_OPTION_END);
        if (!http->daemons[i]) return err_set(err, ERR_IO, "the server does not start: %s", strerror(errno));
    }
    return OK;
}

/* Takes over the connections that the kernel has accepted for a socket, but the daemon has not. */
static void accept_rest(struct MHD_Daemon *daemon, int fd)
{
    struct sockaddr_storage address;

    for (;;) {
        socklen_t size = sizeof address;
        const int connection = accept(fd, (struct sockaddr *)&address, &size);
        if (connection < 0 && errno == EINTR) continue;
        if (connection < 0) return;
        (void)MHD_add_connection(daemon, connection, (struct sockaddr *)&address, size);
    }
}

static size_t count_connections(Http *http)
{
    size_t count;

    pthread_mutex_lock(&http->lock);
    count = http->connections.len;
    pthread_mutex_unlock(&http->lock);
    return count;
}

size_t http_end(Http *http, double seconds)
{
    const struct timespec pause = { .tv_nsec = 20000000 };
    const double begin = clock_seconds();
    size_t lost = 0;

    atomic_store(&http->ends, true);
    for (size_t i = 0; i < http->sockets.count; i++) {
        if (!http->daemons[i]) continue;
        (void)MHD_quiesce_daemon(http->daemons[i]);
        if (i >= http->sockets.passed) accept_rest(http->daemons[i], http->sockets.fds[i]);
    }
    sockets_refuse(&http->sockets);
    while (count_connections(http) && clock_seconds() - begin < seconds) {
        nanosleep(&pause, NULL);
        http_watch(http);
    }
    pthread_mutex_lock(&http->lock);
    for (size_t i = 0; i < http->connections.len; i++) {
        Connection *connection = http->connections.data[i];
        if (connection->request) abandon(connection->request);
        lost += connection->request != NULL;
    }
    pthread_mutex_unlock(&http->lock);
    limits_wake(http->server->limits);
    for (size_t i = 0; i < SOCKETS_MOST; i++) {
        if (http->daemons[i]) MHD_stop_daemon(http->daemons[i]);
        http->daemons[i] = NULL;
    }
    return lost;
}

void http_free(Http *http)
{
    if (!http) return;
    sockets_close(&http->sockets);
    free(http->connections.data);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
