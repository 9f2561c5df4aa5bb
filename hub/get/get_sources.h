/* get_sources.h - where models come from. */
#ifndef DRAGOMAN_GET_SOURCES_H
#define DRAGOMAN_GET_SOURCES_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "meter.h"
#include "web.h"

#define GET_MOST_ANSWER ((size_t)16 << 20) /* bytes of a list */

/* Each downloads a model and sets *path to what dragoman opens, to be freed by the caller. `name` is checked. */

/* Hugging Face: "ORG/NAME" or "ORG/NAME@REVISION". (hub_get.c) */
MUST_USE Status get_from_hub(char **path, const char *name, Meter *meter, Err *err);
/* Argos Translate: "FROM-TO". (argos_get.c) */
MUST_USE Status get_from_argos(char **path, const char *pair, Meter *meter, Err *err);
/* Firefox: "FROM-TO". (firefox_get.c) */
MUST_USE Status get_from_firefox(char **path, const char *pair, Meter *meter, Err *err);

/* Opens everything but the weights of the model; the message says why dragoman cannot use it. (get.c) */
MUST_USE Status get_try_to_open(const char *path, Err *err);

/* Returns a text of a JSON object; "" if it has none of this name. (get.c) */
const char *get_text_of(const cJSON *object, const char *key);

/* Whether the version under `key` in `a` is newer than the one in `b`. (get.c) */
bool get_is_newer(const cJSON *a, const cJSON *b, const char *key);

/* Whether the pair FROM-TO has these languages, of which neither is empty. (get.c) */
bool get_is_pair(const char *pair, const char *from, const char *to);

/* ERR_USAGE if an environment variable forbids connections: HF_HUB_OFFLINE, as for Hugging Face's programs. (get.c) */
MUST_USE Status get_check_online(Err *err);

#endif
