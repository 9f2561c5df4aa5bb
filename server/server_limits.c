/* server_limits.c - see server_limits.h. */
#include "server_limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "buf.h"
#include "clock.h"
#include "path.h"
#include "report.h"
#include "text.h"

#define KEY_BYTES    256 /* of a key, with zeros after it */
#define KEYS_MOST    100000
#define CLIENTS_MOST 4096
#define FULL_SECONDS 5 /* a client that was refused because the server is full should wait so long */

typedef struct {
    char name[CLIENT_NAME];
    char key[KEY_BYTES];
} Key;

typedef LIST_OF(Key) KeyList;

/* A client that has requests in memory or in progress, or has used a part of its rate. */
typedef struct {
    uint64_t id;
    size_t running, waiting;
    size_t bytes;     /* of its requests in memory */
    double allowance; /* requests that the rate allows now; at most the rate */
    double updated;   /* when the allowance was computed */
} Client;

/* The characters of a client. */
typedef struct {
    uint64_t client;
    size_t characters;
} Usage;

struct Limits {
    const ServerOptions *options;
    size_t max_requests, max_waiting, max_per_client, max_per_client_running, max_bytes, max_per_client_bytes;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t left;
    KeyList keys;
    LIST_OF(Client) clients;
    LIST_OF(Usage) usages;
    size_t running, waiting, bytes;
};

size_t limits_value(long option, size_t usual)
{
    return option == NOT_GIVEN ? usual : (size_t)option;
}

/* Refuses names of --host that no request can have. An address is refused because, with other servers, this option says
 * where to listen. */
static Status check_hosts(const ServerOptions *options, Err *err)
{
    struct in6_addr address;

    for (size_t i = 0; i < options->hosts.count; i++) {
        const char *host = options->hosts.items[i];
        const bool is_6 = inet_pton(AF_INET6, host, &address) == 1;
        if (is_6 || inet_pton(AF_INET, host, &address) == 1)
            return err_set(err, ERR_USAGE,
                           "--host: '%s' is an address, not a name; to listen there, use --listen %s%s%s:5000", host,
                           is_6 ? "[" : "", host, is_6 ? "]" : "");
        if (strpbrk(host, ":/"))
            return err_set(err, ERR_USAGE,
                           "--host: '%s' must be a name such as translate.example.com, without https://, port or path",
                           host);
    }
    return OK;
}

/* Refuses origins of --cors that no request can have. */
static Status check_origins(const ServerOptions *options, Err *err)
{
    for (size_t i = 0; i < options->origins.count; i++) {
        const char *origin = options->origins.items[i], *host = strstr(origin, "://");
        if (strcmp(origin, "*") != 0 && strcmp(origin, "null") != 0 && (!host || !host[3] || strchr(host + 3, '/')))
            return err_set(err, ERR_USAGE,
                           "--cors: '%s' must be an origin such as https://www.example.com, with https:// or "
                           "http:// and without a path or a slash at the end",
                           origin);
    }
    return OK;
}

void limits_set_defaults(ServerOptions *options)
{
    const struct {
        long *option, usual;
    } rows[] = {
        { &options->max_requests, 64 },     { &options->max_waiting, 256 }, { &options->max_per_client, 128 },
        { &options->max_connections, 512 }, { &options->max_body, 4 },      { &options->max_file, 32 },
        { &options->max_uploads, 256 },     { &options->max_texts, 1000 },  { &options->max_chars, 200000 },
        { &options->max_alternatives, 9 },  { &options->timeout, 30 },      { &options->idle, 15 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (*rows[i].option == NOT_GIVEN) *rows[i].option = rows[i].usual;
}

Status limits_new(Limits **out, const ServerOptions *options, Err *err)
{
    const long most = options->max_file > options->max_body ? options->max_file : options->max_body;
    const size_t largest = 3 * ((size_t)most << 20); /* a request with its buffer, and a document in the queue */
    Limits *limits;
    Status st = check_hosts(options, err);

    *out = NULL;
    if (st == OK) st = check_origins(options, err);
    if (st != OK) return st;
    limits = calloc(1, sizeof *limits);
    if (!limits) return err_memory(err, "the limits");
    limits->options = options;
    limits->max_requests = (size_t)options->max_requests;
    limits->max_waiting = (size_t)options->max_waiting;
    limits->max_per_client = (size_t)options->max_per_client;
    limits->max_per_client_running = limits->max_requests > 1 ? limits->max_requests / 2 : 1;
    limits->max_bytes = (size_t)options->max_uploads << 20;
    limits->max_per_client_bytes = limits->max_bytes / 2 > largest ? limits->max_bytes / 2 : largest;
    pthread_mutex_init(&limits->lock, NULL);
    pthread_cond_init(&limits->left, NULL);
    st = limits_read_keys(limits, err);
    if (st == OK)
        *out = limits;
    else
        limits_free(limits);
    return st;
}

void limits_free(Limits *limits)
{
    if (!limits) return;
    free(limits->keys.data);
    free(limits->clients.data);
    free(limits->usages.data);
    pthread_mutex_destroy(&limits->lock);
    pthread_cond_destroy(&limits->left);
    free(limits);
}

/* --- Keys */

/* Reads a line NAME:KEY; the key may contain colons. */
static Status read_key(KeyList *out, const char *path, size_t number, char *line, Err *err)
{
    char *colon, *value;
    Key key = { .name = "" };
    const size_t length = strcspn(line, "\r\n");
    const bool has_return = line[length] == '\r' && line[length + 1] && line[length + 1] != '\n'; /* old Macintosh */

    line[length] = '\0';
    line = text_trim(line);
    if (!*line || *line == '#') return OK;
    colon = strchr(line, ':');
    if (!colon || colon == line || !colon[1] || has_return)
        return err_set(err, ERR_FORMAT, "%s:%zu: must be NAME:KEY", path, number);
    *colon = '\0';
    line = text_trim(line);
    value = text_trim(colon + 1);
    if (strlen(line) >= sizeof key.name || strlen(value) >= sizeof key.key)
        return err_set(err, ERR_FORMAT, "%s:%zu: the name must have less than %zu bytes, the key less than %zu", path,
                       number, sizeof key.name, sizeof key.key);
    if (out->len == KEYS_MOST) return err_set(err, ERR_FORMAT, "%s: more than %d keys", path, KEYS_MOST);
    memcpy(key.name, line, strlen(line));
    memcpy(key.key, value, strlen(value));
    LIST_PUT(out, key);
    return LIST_CHECK(out, "the keys", err);
}

Status limits_read_keys(Limits *limits, Err *err)
{
    const char *path = limits->options->keys;
    char line[KEY_BYTES + CLIENT_NAME + 2];
    KeyList keys = { .data = NULL }, old;
    struct stat info;
    FILE *file;
    Status st = OK;

    if (!path) return OK;
    file = fopen(path, "re");
    if (!file) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (fstat(fileno(file), &info) == 0 && info.st_mode & S_IROTH)
        report("warning: %s: every user of this machine can read the keys; use chmod o-r", path);
    for (size_t number = 1; st == OK && fgets(line, sizeof line, file); number++) {
        if (!strchr(line, '\n') && !feof(file))
            st = err_set(err, ERR_FORMAT, "%s:%zu: the line is too long", path, number);
        else
            st = read_key(&keys, path, number, line, err);
    }
    if (st == OK && ferror(file)) st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    if (st == OK && !keys.len) st = err_set(err, ERR_FORMAT, "%s: has no keys; each line must be NAME:KEY", path);
    pthread_mutex_lock(&limits->lock);
    old = limits->keys;
    if (st == OK) limits->keys = keys;
    pthread_mutex_unlock(&limits->lock);
    free(st == OK ? old.data : keys.data);
    return st;
}

bool limits_has_keys(Limits *limits)
{
    return limits->options->keys != NULL;
}

bool limits_find_key(Limits *limits, const char *key, char name[CLIENT_NAME])
{
    char padded[KEY_BYTES] = "";
    const size_t length = strnlen(key, KEY_BYTES);
    bool found = false;

    if (!length || length == KEY_BYTES) return false;
    memcpy(padded, key, length);
    pthread_mutex_lock(&limits->lock);
    for (size_t i = 0; i < limits->keys.len; i++) { /* all bytes of all keys, so that the time tells nothing */
        const volatile char *other = limits->keys.data[i].key;
        unsigned char differs = 0;
        for (size_t k = 0; k < KEY_BYTES; k++) differs |= (unsigned char)(padded[k] ^ other[k]);
        if (differs) continue;
        memcpy(name, limits->keys.data[i].name, CLIENT_NAME);
        found = true;
    }
    pthread_mutex_unlock(&limits->lock);
    return found;
}

/* --- Hosts and origins */

static bool lists(const OptionList *list, const char *text, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->items[i]) == length && strncasecmp(list->items[i], text, length) == 0) return true;
    return false;
}

/* Whether the text after the name of a host is empty, or a port. */
static bool is_port(const char *text)
{
    return !*text || (*text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
}

/* An attacker's web page can have a name that stands for the address of the server (DNS rebinding). Its requests have
 * this name in "Host". They never have an address there, because the browser would then show a page of that address. */
bool limits_accept_host(const Limits *limits, const char *host)
{
    static const char local[] = ".localhost";
    char name[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];
    size_t length;

    if (!host) return true;
    if (*host == '[') {
        const char *end = strchr(host, ']');
        if (!end || end - host - 1 >= (ptrdiff_t)sizeof name || !is_port(end + 1)) return false;
        memcpy(name, host + 1, (size_t)(end - host - 1));
        name[end - host - 1] = '\0';
        return inet_pton(AF_INET6, name, address) == 1;
    }
    length = strcspn(host, ":");
    if (!is_port(host + length)) return false;
    if (length == 9 && strncasecmp(host, "localhost", 9) == 0) return true;
    if (length >= sizeof local && strncasecmp(host + length - (sizeof local - 1), local, sizeof local - 1) == 0)
        return true;
    if (lists(&limits->options->hosts, host, length)) return true;
    if (length >= sizeof name) return false;
    memcpy(name, host, length);
    name[length] = '\0';
    return inet_pton(AF_INET, name, address) == 1;
}

/* Extensions of browsers have origins of other kinds, such as chrome-extension://; the browser decides what they may
 * do. */
Origin limits_find_origin(const Limits *limits, const char *origin, const char *host)
{
    const char *name;

    if (!origin) return ORIGIN_OWN;
    if (lists(&limits->options->origins, origin, strlen(origin)) || lists(&limits->options->origins, "*", 1))
        return ORIGIN_NAMED;
    if (strncasecmp(origin, "http://", 7) == 0)
        name = origin + 7;
    else if (strncasecmp(origin, "https://", 8) == 0)
        name = origin + 8;
    else
        return strcasecmp(origin, "null") == 0 ? ORIGIN_FOREIGN : ORIGIN_OWN;
    return host && strcasecmp(name, host) == 0 ? ORIGIN_OWN : ORIGIN_FOREIGN;
}

/* --- Requests in progress */

/* Brings the allowance of a client up to date: it grows by `rate` requests per minute, up to a minute's worth. */
static void update_allowance(Client *client, double rate, double now)
{
    client->allowance += (now - client->updated) * rate / 60;
    if (client->allowance > rate) client->allowance = rate;
    client->updated = now;
}

/* Returns the client, which is added if it is new; NULL: there is no memory, or there are too many. Forgets clients
 * that have no requests and their whole rate. */
static Client *find_client(Limits *limits, uint64_t id, double rate, double now)
{
    size_t used = 0;

    for (size_t i = 0; i < limits->clients.len; i++)
        if (limits->clients.data[i].id == id) return &limits->clients.data[i];
    for (size_t i = 0; i < limits->clients.len; i++) {
        Client *client = &limits->clients.data[i];
        update_allowance(client, rate, now);
        if (client->running || client->waiting || client->bytes || client->allowance < rate)
            limits->clients.data[used++] = *client;
    }
    limits->clients.len = used;
    if (used == CLIENTS_MOST) return NULL;
    LIST_PUT(&limits->clients, ((Client){ .id = id, .allowance = rate, .updated = now }));
    return LIST_CHECK(&limits->clients, "the clients", NULL) == OK ? &limits->clients.data[used] : NULL;
}

/* Whether a request of this client has to wait. */
static bool must_wait(const Limits *limits, const Client *client)
{
    return limits->running >= limits->max_requests || client->running >= limits->max_per_client_running;
}

/* Decides whether a request may run or wait, with the lock. */
static Admission admit(const Limits *limits, Client *client, double rate, unsigned *seconds)
{
    *seconds = FULL_SECONDS;
    if (!client) return REFUSED_FULL;
    if (rate > 0 && client->allowance < 1) {
        *seconds = (unsigned)((1 - client->allowance) * 60 / rate) + 1;
        return REFUSED_CLIENT;
    }
    if (client->running + client->waiting >= limits->max_per_client) {
        *seconds = 1;
        return REFUSED_CLIENT;
    }
    return must_wait(limits, client) && limits->waiting >= limits->max_waiting ? REFUSED_FULL : ADMITTED;
}

Admission limits_enter(Limits *limits, uint64_t id, const atomic_bool *gone, unsigned *seconds)
{
    const double rate = (double)limits_value(limits->options->rate, 0);
    Admission answer;
    Client *client;

    pthread_mutex_lock(&limits->lock);
    client = find_client(limits, id, rate, clock_seconds());
    if (client) update_allowance(client, rate, clock_seconds());
    answer = admit(limits, client, rate, seconds);
    if (answer == ADMITTED) {
        if (rate > 0) client->allowance--;
        client->waiting++;
        limits->waiting++;
        while (!atomic_load(gone) && must_wait(limits, client)) {
            pthread_cond_wait(&limits->left, &limits->lock);
            client = find_client(limits, id, rate, clock_seconds()); /* it may have moved in the list */
        }
        limits->waiting--;
        client->waiting--;
        if (atomic_load(gone)) {
            answer = REFUSED_GONE;
        } else {
            client->running++;
            limits->running++;
        }
    }
    pthread_mutex_unlock(&limits->lock);
    return answer;
}

void limits_leave(Limits *limits, uint64_t id)
{
    pthread_mutex_lock(&limits->lock);
    find_client(limits, id, 0, 0)->running--;
    limits->running--;
    pthread_cond_broadcast(&limits->left);
    pthread_mutex_unlock(&limits->lock);
}

void limits_wake(Limits *limits)
{
    pthread_mutex_lock(&limits->lock);
    pthread_cond_broadcast(&limits->left);
    pthread_mutex_unlock(&limits->lock);
}

void limits_count(Limits *limits, size_t *running, size_t *waiting)
{
    pthread_mutex_lock(&limits->lock);
    *running = limits->running;
    *waiting = limits->waiting;
    pthread_mutex_unlock(&limits->lock);
}

/* --- Characters of clients */

/* Returns the count of a client. If there are too many clients, forgets the one with the smallest count. */
static Usage *find_usage(Limits *limits, uint64_t client)
{
    Usage *smallest = NULL;

    for (size_t i = 0; i < limits->usages.len; i++) {
        Usage *usage = &limits->usages.data[i];
        if (usage->client == client) return usage;
        if (!smallest || usage->characters < smallest->characters) smallest = usage;
    }
    if (limits->usages.len < CLIENTS_MOST) {
        LIST_PUT(&limits->usages, (Usage){ .client = client });
        if (LIST_CHECK(&limits->usages, "the clients", NULL) == OK) return &limits->usages.data[limits->usages.len - 1];
    }
    if (smallest) *smallest = (Usage){ .client = client };
    return smallest;
}

bool limits_use_characters(Limits *limits, uint64_t client, size_t count)
{
    const size_t most = limits_value(limits->options->quota, SIZE_MAX);
    Usage *usage;
    bool fits;

    pthread_mutex_lock(&limits->lock);
    usage = find_usage(limits, client);
    fits = !usage || (usage->characters <= most && count <= most - usage->characters);
    if (usage && fits) usage->characters += count;
    pthread_mutex_unlock(&limits->lock);
    return fits;
}

void limits_return_characters(Limits *limits, uint64_t client, size_t count)
{
    Usage *usage;

    pthread_mutex_lock(&limits->lock);
    usage = find_usage(limits, client);
    if (usage) usage->characters -= count < usage->characters ? count : usage->characters; /* it may be a new one */
    pthread_mutex_unlock(&limits->lock);
}

size_t limits_used_characters(Limits *limits, uint64_t client)
{
    const Usage *usage;
    size_t characters;

    pthread_mutex_lock(&limits->lock);
    usage = find_usage(limits, client);
    characters = usage ? usage->characters : 0;
    pthread_mutex_unlock(&limits->lock);
    return characters;
}

/* --- Memory of requests */

Admission limits_reserve(Limits *limits, uint64_t client, size_t bytes)
{
    Admission answer = ADMITTED;
    Client *owner;

    pthread_mutex_lock(&limits->lock);
    owner = find_client(limits, client, (double)limits_value(limits->options->rate, 0), clock_seconds());
    if (owner && owner->bytes + bytes > limits->max_per_client_bytes) {
        answer = REFUSED_CLIENT;
    } else if (!owner || bytes > limits->max_bytes - limits->bytes) {
        answer = REFUSED_FULL;
    } else {
        owner->bytes += bytes;
        limits->bytes += bytes;
    }
    pthread_mutex_unlock(&limits->lock);
    return answer;
}

void limits_release(Limits *limits, uint64_t client, size_t bytes)
{
    if (!bytes) return; /* the client may be forgotten */
    pthread_mutex_lock(&limits->lock);
    find_client(limits, client, 0, 0)->bytes -= bytes;
    limits->bytes -= bytes;
    pthread_mutex_unlock(&limits->lock);
}

size_t limits_bytes_per_client(const Limits *limits)
{
    return limits->max_per_client_bytes;
}
