/* web_curl.c - see web_curl.h. CURL_LIBRARY (Makefile) is the name under which the linker would record libcurl. */
#include "web_curl.h"

#include <string.h>
#include <strings.h>

#include "loaded_library.h"

_Static_assert(sizeof CURL_LIBRARY > 1, "no shared libcurl was found: set CURL_LIBRARY to its file name");

Status web_curl_load(Curl *curl, Err *err)
{
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

    return loaded_library_open(CURL_LIBRARY, "download", functions, sizeof functions / sizeof *functions, err);
}

/* The parts of an address. */
typedef struct {
    char *scheme, *host, *port, *user, *password;
} Parts;

/* User and password may be missing. */
static CURLUcode read_parts(const Curl *curl, CURLU *parsed, const char *url, Parts *out)
{
    CURLUcode code = curl->url_set(parsed, CURLUPART_URL, url, 0);

    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_SCHEME, &out->scheme, 0);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_HOST, &out->host, 0);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_PORT, &out->port, CURLU_DEFAULT_PORT);
    if (code == CURLUE_OK) code = curl->url_get(parsed, CURLUPART_USER, &out->user, 0);
    if (code == CURLUE_OK || code == CURLUE_NO_USER)
        code = curl->url_get(parsed, CURLUPART_PASSWORD, &out->password, 0);
    return code == CURLUE_NO_PASSWORD ? CURLUE_OK : code;
}

static Status split(const Curl *curl, const char *url, Parts *out, Err *err)
{
    CURLU *parsed = curl->url();
    const CURLUcode code = parsed ? read_parts(curl, parsed, url, out) : CURLUE_OUT_OF_MEMORY;

    if (parsed) curl->url_cleanup(parsed);
    if (code == CURLUE_OK) return OK;
    if (code == CURLUE_OUT_OF_MEMORY) return err_memory(err, "a web address");
    return err_set(err, ERR_FORMAT, "get: %.*s: not a web address", (int)strcspn(url, "?#@"), url);
}

static void free_parts(const Curl *curl, Parts *parts)
{
    char *const all[] = { parts->scheme, parts->host, parts->port, parts->user, parts->password };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) curl->free(all[i]);
}

static Status check_parts(const Parts *parts, const char *url, bool http_allowed, Err *err)
{
    const int shown = (int)strcspn(url, "?#");

    if (parts->user || parts->password)
        return err_set(err, ERR_FORMAT, "get: addresses with a user name or a password are not supported");
    if (strcasecmp(parts->scheme, "https") == 0 || (http_allowed && strcasecmp(parts->scheme, "http") == 0)) return OK;
    return err_set(err, ERR_FORMAT, "get: %.*s: refused: only https:// is used", shown, url);
}

Status web_curl_check(const Curl *curl, const char *url, bool http_allowed, const char *origin, bool *same, Err *err)
{
    Parts parts = { 0 }, other = { 0 };
    Status st = split(curl, url, &parts, err);

    if (st == OK) st = check_parts(&parts, url, http_allowed, err);
    if (st == OK && same && origin) st = split(curl, origin, &other, err);
    if (st == OK && same)
        *same = origin && strcasecmp(parts.scheme, other.scheme) == 0 && strcasecmp(parts.host, other.host) == 0 &&
                strcmp(parts.port, other.port) == 0;
    free_parts(curl, &parts);
    free_parts(curl, &other);
    return st;
}
