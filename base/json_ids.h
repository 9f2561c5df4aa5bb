/* json_ids.h - reads JSON objects of integers, {"key": 0, ...}, without building a tree: a vocabulary
 * has 60,000 members, and cJSON needs several allocations for each. */
#ifndef DRAGOMAN_JSON_IDS_H
#define DRAGOMAN_JSON_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* Receives one member. The key, which has no NUL at its end or inside, is valid only during the call.
 * Any status but OK stops reading. */
typedef Status (*JsonIdFn)(void *context, const char *key, size_t len, int32_t id, Err *err);

/* Calls each() for the members in order. *plain is false if the text is not valid JSON of this kind,
 * with numbers of one to nine digits; each() may have been called by then. Use json_parse() to find
 * out what is wrong. */
MUST_USE Status json_ids_read(const char *text, size_t len, JsonIdFn each, void *context, bool *plain, Err *err);

#endif
