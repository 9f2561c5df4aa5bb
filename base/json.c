/* json.c - see json.h. */
#include "json.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "chars.h"
#include "utf8.h"

/* Integers beyond 2^53 - 1 may have been rounded when they were parsed. */
#define MAX_INTEGER 9007199254740991

/* escape[0..len) follows "\u": four hex digits that are not all 0. */
static bool is_good_escape(const char *escape, size_t len)
{
    if (len < 4 || memcmp(escape, "0000", 4) == 0) return false;
    for (size_t i = 0; i < 4; i++)
        if (char_hex_value(escape[i]) < 0) return false;
    return true;
}

/* Rejects what cJSON wrongly accepts: ill-formed UTF-8; control characters, which it treats as white space; \u0000 and
 * \u without four hex digits, which become a NUL that truncates the string. Also rejects more values than *room, and
 * reduces *room by their number. */
static Status check_text(const char *text, size_t len, const char *name, size_t *room, Err *err)
{
    const char *fault = *room ? NULL : "too many values";
    size_t values = 1, i = 0;
    bool in_string = false;

    while (i < len && !fault) {
        unsigned char c = (unsigned char)text[i];
        size_t step = 1;
        uint32_t code = c;
        if (c >= 0x80) step = utf8_next(text + i, len - i, &code);
        if (code == UTF8_INVALID)
            fault = "ill-formed UTF-8";
        else if (c < 0x20 && (in_string || (c != '\n' && c != '\r' && c != '\t')))
            fault = "a control character";
        else if (c == '"')
            in_string = !in_string;
        else if (in_string && c == '\\') {
            if (++i < len && text[i] == 'u' && !is_good_escape(text + i + 1, len - i - 1)) fault = "a bad \\u escape";
        } else if (!in_string && (c == ',' || c == '[' || c == '{') && ++values > *room)
            fault = "too many values";
        if (!fault) i += step;
    }
    if (!fault) *room -= values;
    return fault ? err_set(err, ERR_FORMAT, "%s: not valid JSON: %s at byte %zu", name, fault, i) : OK;
}

Status json_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err)
{
    return json_parse_as(out, text, len, name, cJSON_Object, NULL, err);
}

Status json_parse_as(cJSON **out, const char *text, size_t len, const char *name, int kind, size_t *room, Err *err)
{
    const char *kind_name = kind == cJSON_Object ? "object" : "list";
    size_t mark = chars_skip_mark(text, 0, len), most = JSON_MAX_VALUES;
    const char *end = NULL;
    bool out_of_memory;
    locale_t old;
    Status st;

    *out = NULL;
    if (len > JSON_MAX_BYTES) return err_set(err, ERR_FORMAT, "%s: too large for JSON (%zu bytes)", name, len);
    st = check_text(text, len, name, room ? room : &most, err);
    if (st != OK) return st;
    old = c_locale_enter(); /* cJSON fails in locales whose decimal point has several bytes */
    errno = 0;
    *out = cJSON_ParseWithLengthOpts(text + mark, len - mark, &end, 0);
    out_of_memory = !*out && errno == ENOMEM; /* cJSON gives no reason, but malloc() sets errno */
    c_locale_leave(old);
    if (out_of_memory) return err_memory(err, name);
    if (!*out)
        return err_set(err, ERR_FORMAT, "%s: not valid JSON near byte %zu", name, end ? (size_t)(end - text) : mark);
    while (end < text + len && char_is_space(*end)) end++;
    if (((*out)->type & 0xff) != kind)
        st = err_set(err, ERR_FORMAT, "%s is not a JSON %s", name, kind_name);
    else if (end < text + len)
        st = err_set(err, ERR_FORMAT, "%s: text after the JSON %s", name, kind_name);
    if (st == OK) return OK;
    cJSON_Delete(*out);
    *out = NULL;
    return st;
}

const cJSON *json_member(JsonObject object, const char *key)
{
    const cJSON *node = NULL, *item;

    if (!cJSON_IsObject(object.node)) return NULL;
    cJSON_ArrayForEach(item, object.node)
    {
        if (strcmp(item->string, key) == 0) node = item;
    }
    return node && !cJSON_IsNull(node) ? node : NULL;
}

const char *json_unknown_key(JsonObject object, const char *const *keys, size_t count)
{
    for (const cJSON *item = object.node ? object.node->child : NULL; item; item = item->next) {
        size_t i = 0;
        if (!item->string || *item->string == '_' || cJSON_IsNull(item)) continue;
        while (i < count && (!keys[i] || strcmp(keys[i], item->string) != 0)) i++;
        if (i == count) return item->string;
    }
    return NULL;
}

Status json_require(JsonObject object, const char *key, Err *err)
{
    if (json_member(object, key)) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s is missing", object.file, key);
}

bool json_to_int64(const cJSON *node, int64_t low, int64_t high, int64_t *out)
{
    double value;

    if (!cJSON_IsNumber(node)) return false;
    value = node->valuedouble;
    if (!(value >= -MAX_INTEGER && value <= MAX_INTEGER) || value != floor(value)) return false;
    if ((int64_t)value < low || (int64_t)value > high) return false;
    *out = (int64_t)value;
    return true;
}

/* Returns the member, or NULL if it is absent or an earlier call has failed. */
static const cJSON *next_member(const JsonReader *r, const char *key)
{
    return r->st == OK ? json_member(r->json, key) : NULL;
}

void json_read_bool(JsonReader *r, const char *key, bool *out)
{
    const cJSON *node = next_member(r, key);

    if (cJSON_IsBool(node))
        *out = cJSON_IsTrue(node);
    else if (node)
        json_fault(r, ERR_FORMAT, "%s must be true or false", key);
}

static void read_integer(JsonReader *r, const char *key, int64_t low, int64_t high, int64_t *out)
{
    const cJSON *node = next_member(r, key);

    if (node && !json_to_int64(node, low, high, out))
        json_fault(r, ERR_FORMAT, "%s must be a whole number from %lld to %lld", key, (long long)low, (long long)high);
}

void json_read_size(JsonReader *r, const char *key, size_t low, size_t high, size_t *out)
{
    const size_t most = MAX_INTEGER;
    int64_t value = -1;

    read_integer(r, key, (int64_t)(low < most ? low : most), (int64_t)(high < most ? high : most), &value);
    if (value >= 0) *out = (size_t)value;
}

void json_read_id(JsonReader *r, const char *key, int32_t low, int32_t high, int32_t *out)
{
    int64_t value = *out;

    read_integer(r, key, low, high, &value);
    *out = (int32_t)value;
}

void json_read_float(JsonReader *r, const char *key, double low, double high, float *out)
{
    const cJSON *node = next_member(r, key);
    const double value = cJSON_IsNumber(node) ? node->valuedouble : (double)NAN;

    if (value >= low && value <= high && fabs(value) <= (double)FLT_MAX)
        *out = (float)value;
    else if (node)
        json_fault(r, ERR_FORMAT, "%s must be a number from %g to %g", key, low, high);
}

void json_read_string(JsonReader *r, const char *key, const char **out)
{
    const cJSON *node = next_member(r, key);

    if (cJSON_IsString(node))
        *out = node->valuestring;
    else if (node)
        json_fault(r, ERR_FORMAT, "%s must be a string", key);
}

void json_read_ids(JsonReader *r, const char *key, int32_t low, int32_t high, IdList *out)
{
    const cJSON *node = next_member(r, key), *item = cJSON_IsArray(node) ? node->child : node;

    for (; r->st == OK && item; item = cJSON_IsArray(node) ? item->next : NULL) {
        int64_t id = 0;
        if (!json_to_int64(item, low, high, &id))
            json_fault(r, ERR_FORMAT, "%s must hold ids from %d to %d", key, low, high);
        else
            LIST_PUT(out, (int32_t)id);
    }
    if (r->st == OK) r->st = LIST_CHECK(out, "a list of ids", r->err);
}

void json_read_required_size(JsonReader *r, const char *key, size_t low, size_t high, size_t *out)
{
    if (r->st == OK) r->st = json_require(r->json, key, r->err);
    json_read_size(r, key, low, high, out);
}

void json_fault(JsonReader *r, Status st, const char *format, ...)
{
    char text[sizeof(Err)];
    va_list args;

    if (r->st != OK) return;
    va_start(args, format);
    c_locale_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->st = err_set(r->err, st, "%s: %s", r->json.file, text);
}

Status json_put(cJSON *object, const char *key, cJSON *value, Err *err)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (object && value && cJSON_AddItemToObject(object, key, value)) return OK;
    cJSON_Delete(value);
    return err_memory(err, "JSON");
}

char *json_print(const cJSON *node)
{
    const locale_t old = c_locale_enter();
    char *text = cJSON_PrintUnformatted(node);

    c_locale_leave(old);
    return text;
}

const char *json_show(const cJSON *node, char out[JSON_SHOWN])
{
    const char *kind = "nothing";
    const locale_t old = c_locale_enter();

    if (cJSON_IsNumber(node))
        snprintf(out, JSON_SHOWN, "%.17g", node->valuedouble);
    else if (cJSON_IsString(node) && strlen(node->valuestring) <= JSON_SHOWN - 3)
        snprintf(out, JSON_SHOWN, "\"%s\"", node->valuestring);
    else {
        if (cJSON_IsString(node)) kind = "a long string";
        if (cJSON_IsArray(node)) kind = "a list";
        if (cJSON_IsObject(node)) kind = "an object";
        if (cJSON_IsBool(node)) kind = cJSON_IsTrue(node) ? "true" : "false";
        if (cJSON_IsNull(node)) kind = "null";
        snprintf(out, JSON_SHOWN, "%s", kind);
    }
    c_locale_leave(old);
    return out;
}

void json_put_text(Buf *out, const char *text)
{
    json_put_string(out, text, strlen(text));
}

void json_put_string(Buf *out, const char *text, size_t len)
{
    static const char *const names[] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t", ['\b'] = "\\b", ['\f'] = "\\f"
    };
    size_t start = 0;

    buf_put_byte(out, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *name = c < sizeof names / sizeof *names ? names[c] : NULL;
        if (!name && c >= 0x20 && c != 0x7f) continue;
        buf_put(out, text + start, i - start);
        if (name)
            buf_put_text(out, name);
        else
            buf_put_format(out, "\\u%04x", (unsigned)c);
        start = i + 1;
    }
    buf_put(out, text + start, len - start);
    buf_put_byte(out, '"');
}

/* --- Objects of integers without a tree --- */

typedef struct {
    const char *at, *end;
    char *key; /* the decoded key, if it has escapes; has room for the whole text, which decoding only shortens */
    size_t key_len;
} Reader;

/* Like other functions here, copies the position, so that it stays in a register. */
static void skip_space(Reader *reader)
{
    const char *at = reader->at, *end = reader->end;

    while (at < end && char_is_space(*at)) at++;
    reader->at = at;
}

/* Skips white space and takes `c` if it is next. */
static bool take(Reader *reader, char c)
{
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != c) return false;
    reader->at++;
    return true;
}

/* Reads four hex digits. */
static bool take_hex(Reader *reader, uint32_t *out)
{
    *out = 0;
    if (reader->end - reader->at < 4) return false;
    for (size_t i = 0; i < 4; i++) {
        const int digit = char_hex_value(*reader->at++);
        if (digit < 0) return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return *out != 0;
}

static void append(Reader *reader, const char *bytes, size_t count)
{
    memcpy(reader->key + reader->key_len, bytes, count);
    reader->key_len += count;
}

/* Decodes an escape after the backslash. Returns false if JSON has no such escape. */
static bool append_escape(Reader *reader)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    char c = reader->at < reader->end ? *reader->at++ : '\0', text[4];
    const char *name = c ? strchr(names, c) : NULL;
    uint32_t code, low;

    if (name) {
        append(reader, &bytes[name - names], 1);
        return true;
    }
    if (c != 'u' || !take_hex(reader, &code)) return false;

    /* Two \u escapes with surrogates are one character. */
    if (code >= 0xd800 && code <= 0xdfff) {
        if (code > 0xdbff || reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2) != 0) return false;
        reader->at += 2;
        if (!take_hex(reader, &low) || low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
    }
    append(reader, text, utf8_put(code, text));
    return true;
}

/* Takes the bytes up to a quote or backslash. Returns false if they are not text. */
static bool pass_plain(Reader *reader)
{
    const char *at = reader->at, *end = reader->end;

    while (at < end && *at != '"' && *at != '\\') {
        uint32_t code = (unsigned char)*at;
        if ((signed char)*at >= 0x20) { /* ASCII */
            at++;
            continue;
        }
        if (code < 0x20) return false;
        at += utf8_next(at, (size_t)(end - at), &code);
        if (code == UTF8_INVALID) return false;
    }
    reader->at = at;
    return at < end;
}

/* Reads a string after its opening quote. A string without escapes is not copied. */
static bool take_string(Reader *reader, const char **out, size_t *len)
{
    const char *start = reader->at;

    if (!pass_plain(reader)) return false;
    *out = start;
    *len = (size_t)(reader->at - start);
    if (*reader->at++ == '"') return true;
    reader->key_len = 0;
    for (;;) {
        append(reader, start, (size_t)(reader->at - 1 - start));
        if (reader->at[-1] == '"') break;
        if (!append_escape(reader)) return false;
        start = reader->at;
        if (!pass_plain(reader)) return false;
        reader->at++;
    }
    *out = reader->key;
    *len = reader->key_len;
    return true;
}

/* Takes a number of up to nine digits without a sign. */
static bool take_number(Reader *reader, int32_t *out)
{
    const char *const digits = reader->at, *at = digits, *end = reader->end;
    int32_t value = 0;

    while (at < end && *at >= '0' && *at <= '9' && at - digits < 9) value = value * 10 + (*at++ - '0');
    reader->at = at;
    *out = value;
    return at > digits && (*digits != '0' || at - digits == 1);
}

static bool read_members(Reader *reader, JsonIdFn each, void *context, Status *st, Err *err)
{
    size_t count = 0, len;
    const char *key;
    int32_t id;

    if (!take(reader, '{')) return false;
    do {
        if (++count > JSON_MAX_VALUES || !take(reader, '"')) return false;
        if (!take_string(reader, &key, &len) || !take(reader, ':')) return false;
        skip_space(reader);
        if (!take_number(reader, &id)) return false;
        /* After the number only a comma or the end may follow, not another digit, a fraction or an exponent. */
        *st = each(context, key, len, id, err);
        if (*st != OK) return true;
    } while (take(reader, ','));
    if (!take(reader, '}')) return false;
    skip_space(reader);
    return reader->at == reader->end;
}

Status json_ids_read(const char *text, size_t len, JsonIdFn each, void *context, bool *plain, Err *err)
{
    Reader reader = { .at = text };
    Status st = OK;

    *plain = len > 0 && len <= JSON_MAX_BYTES;
    if (!*plain) return OK;
    reader.end = text + len;
    reader.key = malloc(len);
    if (!reader.key) return err_memory(err, "a vocabulary");
    *plain = read_members(&reader, each, context, &st, err);
    free(reader.key);
    return st;
}
