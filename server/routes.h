/* routes.h - the handlers of the routes. */
#ifndef DRAGOMAN_ROUTES_H
#define DRAGOMAN_ROUTES_H

#include "http.h"

/* The routes of all APIs; ends with {0}. */
extern const Route route_table[];

/* LibreTranslate's API (libretranslate.c) */
void libretranslate_translate(Request *request, Reply *reply);
void libretranslate_translate_file(Request *request, Reply *reply);
void libretranslate_download(Request *request, Reply *reply);
void libretranslate_detect(Request *request, Reply *reply);
void libretranslate_languages(Request *request, Reply *reply);
void libretranslate_settings(Request *request, Reply *reply);
void libretranslate_suggest(Request *request, Reply *reply);
void libretranslate_health(Request *request, Reply *reply);

/* dragoman's own API (own_api.c) */
void own_api_translate(Request *request, Reply *reply);
void own_api_stream(Request *request, Reply *reply);
void own_api_metrics(Request *request, Reply *reply);

/* The web page (page.c) */
void page_show(Request *request, Reply *reply);

#endif
