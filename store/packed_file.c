/* packed_file.c - see packed_file.h. Searches for text in the header instead of parsing it: the strings in the JSON
 * cannot contain the text that is searched for, since quotes in them are escaped. */
#define _GNU_SOURCE /* memmem() */
#include "packed_file.h"

#include <string.h>

#include "buf.h"
#include "bytes.h"
#include "hash.h"
#include "json.h"

#define LENGTH_BYTES ((size_t)8)

typedef struct {
    const char *at, *end;
} Text;

/* Returns the header, or the part of it that the file has. */
static Text header_of(const MappedFile *file)
{
    Text header = { NULL, NULL };
    ByteReader reader = { .data = file->data, .size = file->size };
    uint64_t length;

    if (!bytes_take_number(&reader, LENGTH_BYTES, &length)) return header;
    if (length > bytes_left(&reader)) length = bytes_left(&reader);
    header.at = (const char *)file->data + LENGTH_BYTES;
    header.end = header.at + length;
    return header;
}

static bool take(Text *text, const char *expected)
{
    size_t len = strlen(expected);

    if ((size_t)(text->end - text->at) < len || memcmp(text->at, expected, len) != 0) return false;
    text->at += len;
    return true;
}

bool packed_file_is(const MappedFile *file)
{
    Text header = header_of(file);

    return header.at && take(&header, PACKED_HEAD);
}

bool packed_file_is_at(const char *path)
{
    MappedFile file;
    int fault;
    bool is = mapped_file_open(&file, path, &fault, NULL) == OK && packed_file_is(&file);

    mapped_file_close(&file);
    return is;
}

static bool take_digits(Text *text, uint64_t *out)
{
    *out = 0;
    if ((size_t)(text->end - text->at) < PACKED_DIGITS) return false;
    for (size_t i = 0; i < PACKED_DIGITS; i++) {
        char c = *text->at++;
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
        *out = *out << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static bool take_size(Text *text, size_t *out)
{
    const char *first = text->at;

    *out = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        if (*out > SIZE_MAX / 16) return false;
        *out = *out * 10 + (size_t)(*text->at - '0');
    }
    return text->at > first;
}

uint64_t packed_file_header_hash(const void *file, size_t header)
{
    static const char zeros[] = "0000000000000000";
    const size_t rest = PACKED_HASH_AT + PACKED_DIGITS;
    const char *bytes = file;
    Hash64 hash = hash64_begin();

    hash64_add(&hash, bytes, PACKED_HASH_AT);
    hash64_add(&hash, zeros, PACKED_DIGITS);
    hash64_add(&hash, bytes + rest, header - rest);
    return hash64_end(&hash);
}

Status packed_file_check(const MappedFile *file, const char *path, Err *err)
{
    Text header = header_of(file), version;
    uint64_t hash;

    if (!header.at || !take(&header, PACKED_HEAD))
        return err_set(err, ERR_FORMAT, "%s is neither a model's folder nor a packed model", path);
    version = header;
    while (header.at < header.end && *header.at != '"') header.at++;
    if (header.at - version.at != sizeof PACKED_VERSION - 1 || !take(&version, PACKED_VERSION))
        return err_set(err, ERR_UNSUPPORTED, "%s: packed model of version %.*s, expected " PACKED_VERSION, path,
                       header.at - version.at < 20 ? (int)(header.at - version.at) : 20, version.at);
    if (!take(&header, PACKED_HASH_FIELD) || !take_digits(&header, &hash) ||
        hash != packed_file_header_hash(file->data, (size_t)(header.end - (const char *)file->data)))
        return err_set(err, ERR_FORMAT, "%s: header: checksum mismatch: the file is corrupt", path);
    return OK;
}

/* If *text contains "PREFIXname":VALUE, sets *found to true, and *text to the text after it. */
static Status find(bool *found, Text *text, const char *prefix, const char *name, const char *value)
{
    Buf plain = { 0 }, key = { 0 };
    Status st;

    *found = false;
    buf_put_format(&plain, "%s%s", prefix, name);
    st = buf_check(&plain, NULL);
    if (st == OK) json_put_string(&key, plain.data, plain.len);
    buf_put_format(&key, ":%s", value);
    if (st == OK) st = buf_check(&key, NULL);
    if (st == OK) {
        const char *at = memmem(text->at, (size_t)(text->end - text->at), key.data, key.len);
        *found = at != NULL;
        if (at) text->at = at + key.len;
    }
    buf_free(&plain);
    buf_free(&key);
    return st;
}

Status packed_file_checksum(bool *found, const MappedFile *file, const char *name, uint64_t *out)
{
    Text header = header_of(file);
    Status st = OK;

    *found = false;
    if (header.at) st = find(found, &header, "", name, "\"");
    *found = *found && take_digits(&header, out) && take(&header, "\"");
    return st;
}

/* The place of a file is written as SIZE],"data_offsets":[BEGIN,END. */
Status packed_file_find(bool *found, const MappedFile *file, const char *name, size_t *offset, size_t *size)
{
    Text header = header_of(file);
    size_t data = header.at ? (size_t)(header.end - (const char *)file->data) : 0, begin, end;
    Status st = OK;

    *found = false;
    if (header.at) st = find(found, &header, PACKED_FILES, name, "{\"dtype\":\"U8\",\"shape\":[");
    *found = *found && take_size(&header, size) && take(&header, "],\"data_offsets\":[") &&
             take_size(&header, &begin) && take(&header, ",") && take_size(&header, &end) && begin <= end &&
             end - begin == *size && end <= SIZE_MAX - data;
    if (*found) *offset = data + begin;
    return st;
}
