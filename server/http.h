/* http.h - the server's side of HTTP: listens, reads requests, calls the handler of a route, and sends its reply.
 * libmicrohttpd runs a thread for each connection, so a handler may wait. A request is read completely, and all of it
 * is bounded, before its handler is called. */
#ifndef DRAGOMAN_HTTP_H
#define DRAGOMAN_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "downloads.h"
#include "dragoman_job.h"
#include "err.h"
#include "document_queue.h"
#include "form.h"
#include "glossaries.h"
#include "server_limits.h"
#include "metrics.h"
#include "models.h"
#include "options.h"

/* What the handlers of all requests share. */
typedef struct Server {
    const Options *options;
    Limits *limits;
    Models *models;
    Metrics *metrics;
    Downloads *downloads;
    Glossaries *glossaries;
    DocumentQueue *documents;
} Server;

typedef struct Request Request;
typedef struct Reply Reply;

/* --- Routes */

enum {
    ROUTE_KEY = 1,  /* needs a key, if the server has keys */
    ROUTE_WORK = 2, /* translates: counts as a request in progress */
    ROUTE_FILE = 4, /* its body may be as large as a document */
    ROUTE_RAW = 8,  /* its body is not parsed */
    ROUTE_ONCE = 16 /* a reply may be given once only, so there is no HEAD */
};

typedef struct {
    const char *method; /* GET also stands for HEAD */
    const char *path;   /* ends with '*' if other text may follow: Request.rest */
    Api api;            /* the form of its errors */
    unsigned flags;     /* a sum of ROUTE_... */
    void (*handle)(Request *request, Reply *reply);
} Route;

/* --- Requests */

struct Request {
    Server *server;
    const Route *route;
    const char *rest; /* what the path has in the place of '*'; "" without one */
    Form form;        /* the parameters of the URL and of the body */
    Buf body;         /* has been changed by the parser of a form */
    char client[CLIENT_NAME];
    uint64_t client_id;  /* of the name of its key, or of its address */
    uint64_t address_id; /* of its address, for limits_reserve(): a key is known only when the body has been read */
    atomic_bool gone;    /* the client has closed the connection, or the server ends: stop working */
    struct Private *own; /* NULL: not a request over HTTP, but a document that is translated later */
};

/* Returns a header of the request; NULL: there is none. */
const char *request_header(const Request *request, const char *name);

/* Sets the job that is canceled when the client goes away; NULL: there is no job any more. */
void request_set_job(Request *request, DragomanJob *job);

/* Reports a fault of the server, unless the client has gone away, because its work fails then. Does nothing for a
 * fault that reply_fault() answers with 400. */
void request_report(const Request *request, Status st, const Err *err);

/* Appends the URL at which the client reaches this path of the server. */
void request_put_url(const Request *request, const char *path, Buf *out);

/* --- Replies. A handler fills in one; without reply_...(), its status is 200. */

#define REPLY_HEADERS 8

/* Gives the next bytes of a reply: fills at most `room` bytes and returns their number; 0: the reply is complete; -1:
 * it has failed, and the connection is closed. May wait. */
typedef ssize_t ReplyReader(void *context, char *bytes, size_t room);

struct Reply {
    const Request *request;
    Api api;
    unsigned status;
    const char *type; /* a constant */
    Buf body;
    struct {
        const char *name; /* a constant */
        char *value;      /* owned */
    } headers[REPLY_HEADERS];
    size_t header_count;
    ReplyReader *read;          /* NULL: the body is the reply */
    void (*end)(void *context); /* called once, when the reply has been sent or has failed; may be NULL */
    void *context;
    size_t size; /* with `read`: its size; SIZE_MAX: not known */
};

/* Appends to the reply's body; json_put_...() of base/json.h do so, too. */
void reply_json(Reply *reply);                                        /* the body is JSON */
void reply_header(Reply *reply, const char *name, const char *value); /* the value is copied */

/* The body is a file that a browser keeps under this name, which is UTF-8. */
void reply_file(Reply *reply, const char *name);

/* Replaces the body by an error, in the form of the route's API. */
void reply_error(Reply *reply, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a function that has failed: a fault of the request is status 400, one of the server 500 or 503. A
 * fault of the server is also reported. */
void reply_fault(Reply *reply, Status st, const Err *err);

/* The bytes come from read(), in the thread of the connection; end() is called once, at the end. */
void reply_stream(Reply *reply, const char *type, size_t size, ReplyReader *read, void (*end)(void *), void *context);

/* --- The daemon */

typedef struct Http Http;

/* Opens the sockets that the options name, or those that systemd passes. Reports where the server listens. `routes`
 * ends with {0}. */
MUST_USE Status http_listen(Http **out, Server *server, const Route *routes, Err *err);

/* Begins to accept connections. */
MUST_USE Status http_start(Http *http, Err *err);

/* Called a few times per second: notices clients that have gone away, and closes connections that are too slow. */
void http_watch(Http *http);

/* Accepts no more connections, waits for the end of the requests that were accepted for at most `seconds`, and closes
 * all connections. Returns the number of requests that were not answered. */
size_t http_end(Http *http, double seconds);
void http_free(Http *http); /* NULL is allowed */

#endif
