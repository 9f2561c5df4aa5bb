/* parts_archive.h - builds zip archives from text, so that a change of a byte is a change of an entry and not a wrong
 * checksum. Each entry is a line "==> NAME" and what follows up to the next such line. The newline before that line
 * belongs to neither. */
#ifndef DRAGOMAN_PARTS_ARCHIVE_H
#define DRAGOMAN_PARTS_ARCHIVE_H

#include <zlib.h>

#include "buf.h"
#include "fuzz_support.h"

#define PARTS_MARK "==> "

static inline void parts_archive_number(Buf *out, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++) buf_put_byte(out, (char)(i < 8 ? number >> 8 * i & 255 : 0));
}

/* Appends what the local header and the directory's entry have in common. */
static inline void parts_archive_head(Buf *out, const char *name_end, const char *name, const char *data, size_t size)
{
    parts_archive_number(out, 20, 2); /* version */
    parts_archive_number(out, 0, 4);  /* flags, stored */
    parts_archive_number(out, 0x21, 4);
    parts_archive_number(out, crc32(0, (const Bytef *)data, (uInt)size), 4);
    parts_archive_number(out, size, 4);
    parts_archive_number(out, size, 4);
    parts_archive_number(out, (uint64_t)(name_end - name), 2);
    parts_archive_number(out, 0, 2); /* extra fields */
}

/* Returns the next line that begins an entry, or the end of the text. */
static inline const char *parts_archive_next(const char *at, const char *end)
{
    const size_t mark = strlen(PARTS_MARK);

    while (at < end && ((size_t)(end - at) < mark || memcmp(at, PARTS_MARK, mark) != 0)) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return at;
}

static inline void parts_archive_end(Buf *out, Buf *directory, size_t count)
{
    const size_t at = out->len;

    if (directory->len) buf_put(out, directory->data, directory->len);
    buf_put(out, "PK\5\6\0\0\0", 8);
    parts_archive_number(out, count, 2);
    parts_archive_number(out, count, 2);
    parts_archive_number(out, directory->len, 4);
    parts_archive_number(out, at, 4);
    parts_archive_number(out, 0, 2);
    buf_free(directory);
}

/* Appends the archive to *out. */
static inline void parts_archive_build(Buf *out, const char *text, size_t size)
{
    const char *end = text + size, *at = parts_archive_next(text, end);
    Buf directory = { 0 };
    size_t count = 0;

    for (; at < end; count++) {
        const char *name = at + strlen(PARTS_MARK), *newline = memchr(name, '\n', (size_t)(end - name));
        const char *name_end = newline ? newline : end, *data = newline ? newline + 1 : end;
        size_t length;
        at = parts_archive_next(data, end);
        length = (size_t)(at - data) - (at < end && at > data);
        buf_put(&directory, "PK\1\2\24", 6);
        parts_archive_head(&directory, name_end, name, data, length);
        parts_archive_number(&directory, 0, 10);
        parts_archive_number(&directory, out->len, 4);
        buf_put(&directory, name, (size_t)(name_end - name));
        buf_put(out, "PK\3\4", 4);
        parts_archive_head(out, name_end, name, data, length);
        buf_put(out, name, (size_t)(name_end - name));
        buf_put(out, data, length);
    }
    parts_archive_end(out, &directory, count);
}

#endif
