/* json.h - checked reading of JSON files, over cJSON.
 * Every message names the file and the key: "config.json: d_model: ...". */
#ifndef DRAGOMAN_JSON_H
#define DRAGOMAN_JSON_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The largest JSON file of a model is a tokenizer of 40 MB with two million
 * values. cJSON takes about 100 bytes a value, however short its text is. */
#define JSON_MAX_BYTES  ((size_t)1 << 28)
#define JSON_MAX_VALUES ((size_t)1 << 22)

/* Parses an object in UTF-8; `name` stands for the file in messages. *out is the caller's:
 * cJSON_Delete(). No string in it holds a NUL; an object may hold the same key twice. */
MUST_USE Status json_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* The same for a list. */
MUST_USE Status json_parse_list(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* An object and the file it came from, for messages. */
typedef struct {
    const cJSON *node;
    const char *file;
} JsonObject;

/* The member `key`, or NULL when it is absent or null. Exact case. Of several
 * the last one counts, as it does for Python. */
const cJSON *json_member(JsonObject object, const char *key);

/* Each getter leaves *out alone when the member is absent or null, so that
 * the caller sets the default first. A member of another type or outside
 * [low, high] is ERR_FORMAT. */
MUST_USE Status json_get_bool(JsonObject object, const char *key, bool *out, Err *err);
MUST_USE Status json_get_size(JsonObject object, const char *key, size_t low, size_t high, size_t *out, Err *err);
MUST_USE Status json_get_id(JsonObject object, const char *key, int32_t low, int32_t high, int32_t *out, Err *err);
MUST_USE Status json_get_float(JsonObject object, const char *key, double low, double high, float *out, Err *err);
/* *out points into the tree. */
MUST_USE Status json_get_string(JsonObject object, const char *key, const char **out, Err *err);
/* One id or a list of ids, appended to *out. */
MUST_USE Status json_get_ids(JsonObject object, const char *key, int32_t low, int32_t high, IdList *out, Err *err);

/* Sets a member, in place of one of that name. `value` is the object's from now on, and freed where that fails;
 * either is NULL where its making ran out of memory. */
MUST_USE Status json_put(cJSON *object, const char *key, cJSON *value, Err *err);

/* ERR_FORMAT "<file>: <key> is missing" unless the member is there. */
MUST_USE Status json_require(JsonObject object, const char *key, Err *err);

/* A JSON number as an integer inside [low, high], exactly; false otherwise,
 * and for all beyond 2^53 - 1. */
bool json_to_int64(const cJSON *node, int64_t low, int64_t high, int64_t *out);

/* A short name of a value for messages, such as `-1.5`, `"abc"` or `a list`.
 * Returns `out`. */
#define JSON_SHOWN 48
const char *json_show(const cJSON *node, char out[JSON_SHOWN]);

/* Appends `text` as a JSON string with its quotes; the text is valid UTF-8. */
MUST_USE Status json_string_append(Buf *out, const char *text, size_t len, Err *err);

#endif
