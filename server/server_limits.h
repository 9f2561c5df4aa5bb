/* server_limits.h - what bounds the work of the server: who may send requests, how many of them are translated and
 * wait, and how many bytes of requests are in memory. Any thread may call these functions. */
#ifndef DRAGOMAN_SERVER_LIMITS_H
#define DRAGOMAN_SERVER_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "options.h"

typedef struct Limits Limits;

/* Sets the options that the user has not given to the defaults that --help names. */
void limits_set_defaults(ServerOptions *options);

/* Reads the keys, if the options name a file of keys. On OK the caller owns *out. */
MUST_USE Status limits_new(Limits **out, const ServerOptions *options, Err *err);
void limits_free(Limits *limits); /* NULL is allowed */

/* --- Keys */

/* Reads the file of keys again. On failure, the keys stay as they are. */
MUST_USE Status limits_read_keys(Limits *limits, Err *err);

/* Whether requests need a key. */
bool limits_has_keys(Limits *limits);

#define CLIENT_NAME 64 /* size of a buffer for the name of a client: the name of its key, or its address */

/* Finds a key and copies its name. Returns false if there is no such key; the time that this takes does not depend on
 * how much of the key is right. */
bool limits_find_key(Limits *limits, const char *key, char name[CLIENT_NAME]);

/* --- Hosts and origins */

/* Whether requests for this host, the value of a header "Host", are accepted: localhost, an address, or a name of the
 * options. NULL, which HTTP/1.0 allows, is accepted. */
bool limits_accept_host(const Limits *limits, const char *host);

/* Whether web pages of this origin, the value of a header "Origin", may use the server. `host` is that of the request:
 * the server's own page may. */
typedef enum {
    ORIGIN_OWN,   /* of the page of the server, or of no web page */
    ORIGIN_NAMED, /* named by --cors */
    ORIGIN_FOREIGN
} Origin;
Origin limits_find_origin(const Limits *limits, const char *origin, const char *host);

/* --- Requests in progress */

typedef enum {
    ADMITTED,
    REFUSED_CLIENT, /* this client has too many requests, or bytes in memory: status 429 */
    REFUSED_FULL,   /* the server has too many of them: status 503 */
    REFUSED_GONE    /* *gone was set while the request was waiting */
} Admission;

/* Waits until the request of this client may be translated. After ADMITTED, the caller calls limits_leave().
 * *seconds is the time after which a refused client should try again. Call limits_wake() after setting *gone. */
Admission limits_enter(Limits *limits, uint64_t client, const atomic_bool *gone, unsigned *seconds);
void limits_leave(Limits *limits, uint64_t client);
void limits_wake(Limits *limits);

/* The numbers of requests that are translated, and that wait. */
void limits_count(Limits *limits, size_t *running, size_t *waiting);

/* --- Characters of clients, for DeepL's API */

#define QUOTA_EXCEEDED "Quota for this billing period has been exceeded." /* DeepL's message */

/* Counts characters that a client translates. Returns false, and counts nothing, if its total would exceed --quota. */
bool limits_use_characters(Limits *limits, uint64_t client, size_t count);

/* Takes back characters that were counted, but not translated. */
void limits_return_characters(Limits *limits, uint64_t client, size_t count);

/* The characters of a client since the start of the server. */
size_t limits_used_characters(Limits *limits, uint64_t client);

/* --- Memory of requests */

/* Reserves bytes for a request: ADMITTED, or REFUSED_CLIENT or REFUSED_FULL if the requests of this client or of all
 * clients would exceed their limit. */
Admission limits_reserve(Limits *limits, uint64_t client, size_t bytes);
void limits_release(Limits *limits, uint64_t client, size_t bytes);

/* The bytes that one client may have in memory: half of --max-uploads, or three times the largest allowed request if
 * that is more. The requests and the translated documents of a client have this limit each. */
size_t limits_bytes_per_client(const Limits *limits);

/* The value of an option, or its default if it is not given. */
size_t limits_value(long option, size_t usual);

#endif
