/* web.h - HTTPS requests with libcurl, which is loaded at run time. One thread.
 *
 * Redirects are followed here and not by libcurl: each address is checked, and the token goes only to the server that
 * it belongs to. Connections that break, 429 and 5xx are tried again after a pause. */
#ifndef DRAGOMAN_WEB_H
#define DRAGOMAN_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

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

#endif
