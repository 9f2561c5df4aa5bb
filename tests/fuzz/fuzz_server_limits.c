/* fuzz_server_limits.c - fuzzes what the server checks before a request: files of keys, and the headers "Host" and
 * "Origin" (server/server_limits.c).
 * Input    A byte that selects the check; then the file, or a header and, after a newline, another header.
 * Checks   A file of keys is refused with one line that begins with its path, or has at least one key. A host that is
 *          accepted is localhost, the named one or an address. A page of another host is foreign.
 * Options  -max_len=1024 */
#include "fuzz_folder.h"

#include <strings.h>
#include <sys/stat.h>

#include "server_limits.h"

#define NAMED_HOST   "named.example"
#define NAMED_ORIGIN "https://named.example"

static void check_keys(const uint8_t *data, size_t size)
{
    static char *folder, *path;
    ServerOptions options = { .max_requests = 1, .max_waiting = 1, .max_per_client = 1, .max_uploads = 1 };
    char name[CLIENT_NAME], first[512];
    Limits *limits = NULL;
    Err err;
    Status st;

    if (!folder) {
        folder = fuzz_folder_new();
        path = fuzz_folder_path(folder, "keys");
    }
    (void)umask(077); /* without a warning */
    fuzz_folder_write(folder, "keys", data, size);
    options.keys = path;
    st = limits_new(&limits, &options, &err);
    if (st != OK) {
        require_message(&err, path);
        return;
    }
    require(!limits_find_key(limits, "", name), "no empty key", "keys");
    /* The first line, if it is no comment, is NAME:KEY and can be found. */
    snprintf(first, sizeof first, "%.*s", (int)(size < sizeof first ? size : sizeof first - 1), (const char *)data);
    first[strcspn(first, "\r\n")] = '\0';
    if (*first && *first != '#')
        require(limits_find_key(limits, strchr(first, ':') + 1, name), "the first key is found", first);
    limits_free(limits);
}

/* Whether text[0, length) ends with `end`, ignoring case. */
static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t count = strlen(end);

    return length >= count && strncasecmp(text + length - count, end, count) == 0;
}

static void check_headers(const uint8_t *data, size_t size)
{
    ServerOptions options = { .hosts = { .items = { NAMED_HOST }, .count = 1 },
                              .origins = { .items = { NAMED_ORIGIN }, .count = 1 } };
    Limits *limits = NULL;
    char *text = malloc(size + 1), *host, *origin;
    size_t length;
    Origin kind;
    Err err;

    require(text != NULL, "memory", "the headers");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    origin = text + strcspn(text, "\n");
    if (*origin) *origin++ = '\0';
    host = fuzz_copy(text, strlen(text) + 1);
    require_ok(limits_new(&limits, &options, &err), &err);
    length = *host == '[' ? strlen(host) : strcspn(host, ":");
    if (limits_accept_host(limits, host) && !ends_with(host, length, "localhost") &&
        (length != strlen(NAMED_HOST) || !ends_with(host, length, NAMED_HOST)))
        require(*host && strspn(host, "0123456789abcdefABCDEF.:[]") == strlen(host), "an address", host);
    kind = limits_find_origin(limits, origin, host);
    if (kind == ORIGIN_NAMED) require(strcasecmp(origin, NAMED_ORIGIN) == 0, "the named origin", origin);
    if (kind == ORIGIN_OWN && (strncasecmp(origin, "http://", 7) == 0 || strncasecmp(origin, "https://", 8) == 0))
        require(ends_with(origin, strlen(origin), host), "the host of the request", origin);
    limits_free(limits);
    free(host);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_take(&data, &size) % 2)
        check_headers(data, size);
    else
        check_keys(data, size);
    return 0;
}
