/* web_curl.h - the functions of libcurl, for web.c. */
#ifndef DRAGOMAN_WEB_CURL_H
#define DRAGOMAN_WEB_CURL_H

#include <curl/curl.h>
#include <stdbool.h>

#include "err.h"

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

MUST_USE Status web_curl_load(Curl *curl, Err *err);

/* Checks an address: https, or http if `http_allowed`, with a host and without a user. `origin` may be NULL; else it is
 * another address, and *same tells whether scheme, host and port are equal. The messages do not contain the part of an
 * address after its path, which may be secret. */
MUST_USE Status web_curl_check(const Curl *curl, const char *url, bool http_allowed, const char *origin, bool *same,
                               Err *err);

#endif
