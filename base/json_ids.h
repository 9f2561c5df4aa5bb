/* json_ids.h - JSON objects of whole numbers, {"key": 0, ...}, without a tree:
 * a vocabulary has 60,000 members, and cJSON takes a few allocations each. */
#ifndef DRAGOMAN_JSON_IDS_H
#define DRAGOMAN_JSON_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* Takes one member; the key (not NUL-ended, no NUL in it) is gone after the
 * call. Anything but OK ends the reading. */
typedef Status (*JsonIdFn)(void *context, const char *key, size_t len, int32_t id, Err *err);

/* Gives the members in the text's order. *plain is false where the text is
 * anything else than valid JSON of that kind, numbers of one to nine digits:
 * then some members may have been given, and json_parse() is the one to ask. */
MUST_USE Status json_ids_read(const char *text, size_t len, JsonIdFn each, void *context, bool *plain, Err *err);

#endif
