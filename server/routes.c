/* routes.c - the table of routes; see http.h. */
#include "routes.h"

const Route route_table[] = {
    { "POST", "/translate", API_LIBRETRANSLATE, ROUTE_KEY | ROUTE_WORK, libretranslate_translate },
    { "POST", "/translate_file", API_LIBRETRANSLATE, ROUTE_KEY | ROUTE_WORK | ROUTE_FILE,
      libretranslate_translate_file },
    { "GET", "/download_file/*", API_LIBRETRANSLATE, 0, libretranslate_download },
    { "POST", "/detect", API_LIBRETRANSLATE, ROUTE_KEY, libretranslate_detect },
    { "GET", "/languages", API_LIBRETRANSLATE, 0, libretranslate_languages },
    { "GET", "/frontend/settings", API_LIBRETRANSLATE, 0, libretranslate_settings },
    { "POST", "/suggest", API_LIBRETRANSLATE, 0, libretranslate_suggest },
    { "GET", "/health", API_LIBRETRANSLATE, 0, libretranslate_health },
    { "POST", "/v1/translate", API_OWN, ROUTE_KEY | ROUTE_WORK, own_api_translate },
    { "POST", "/v1/stream", API_OWN, ROUTE_KEY | ROUTE_WORK | ROUTE_FILE | ROUTE_RAW, own_api_stream },
    { "GET", "/v1/languages", API_OWN, 0, libretranslate_languages },
    { "GET", "/metrics", API_OWN, ROUTE_KEY, own_api_metrics },
    { "GET", "/", API_PAGE, 0, page_show },
    { .path = NULL },
};
