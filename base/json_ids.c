/* json_ids.c - see json_ids.h. */
#include "json_ids.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "utf8.h"

typedef struct {
    const char *at, *end;
    char *key; /* the decoded key, if it has escapes; has room for the whole text, which decoding only shortens */
    size_t key_len;
} Reader;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(Reader *reader)
{
    while (reader->at < reader->end && is_space(*reader->at)) reader->at++;
}

/* Skips white space and takes `c` if it is next. */
static bool take(Reader *reader, char c)
{
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != c) return false;
    reader->at++;
    return true;
}

/* Returns the value of a hex digit, or -1. */
static int hex_value(char c)
{
    const int letter = c | 0x20; /* in lower case */

    if (c >= '0' && c <= '9') return c - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Reads four hex digits. */
static bool take_hex(Reader *reader, uint32_t *out)
{
    *out = 0;
    if (reader->end - reader->at < 4) return false;
    for (size_t i = 0; i < 4; i++) {
        const int digit = hex_value(*reader->at++);
        if (digit < 0) return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return *out != 0;
}

/* Decodes an escape after "\u"; two surrogates may encode one character. */
static bool take_code(Reader *reader, uint32_t *code)
{
    uint32_t low;

    if (!take_hex(reader, code)) return false;
    if (*code < 0xd800 || *code > 0xdfff) return true;
    if (*code > 0xdbff || reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2) != 0) return false;
    reader->at += 2;
    if (!take_hex(reader, &low) || low < 0xdc00 || low > 0xdfff) return false;
    *code = 0x10000 + ((*code & 0x3ff) << 10 | (low & 0x3ff));
    return true;
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
    uint32_t code;

    if (name) {
        append(reader, &bytes[name - names], 1);
        return true;
    }
    if (c != 'u' || !take_code(reader, &code)) return false;
    append(reader, text, utf8_put(code, text));
    return true;
}

/* Takes the bytes up to a quote or backslash. Returns false if they are not text. */
static bool pass_plain(Reader *reader)
{
    const char *at = reader->at, *end = reader->end; /* copies, which stay in registers */

    while (at < end && *at != '"' && *at != '\\') {
        uint32_t code = (unsigned char)*at;
        if (code < 0x20) return false;
        at += code < 0x80 ? 1 : utf8_next(at, (size_t)(end - at), &code);
        if (code == UTF8_INVALID) return false;
    }
    reader->at = at;
    return at < end;
}

/* Reads a string after its opening quote. One without escapes is not copied. */
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

/* The caller detects a digit, fraction or exponent that follows. */
static bool take_number(Reader *reader, int32_t *out)
{
    const char *start;

    skip_space(reader);
    start = reader->at;
    *out = 0;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9' && reader->at - start < 9)
        *out = *out * 10 + (*reader->at++ - '0');
    return reader->at > start && (*start != '0' || reader->at - start == 1);
}

static bool read_members(Reader *reader, JsonIdFn each, void *context, Status *st, Err *err)
{
    size_t count = 0, len;
    const char *key;
    int32_t id;

    if (!take(reader, '{')) return false;
    do {
        if (++count > JSON_MAX_VALUES || !take(reader, '"')) return false;
        if (!take_string(reader, &key, &len) || !take(reader, ':') || !take_number(reader, &id)) return false;
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
