/* zip_support.h - writes zip archives with stored entries, byte by byte.
 * Tests of faulty archives change the finished bytes. */
#ifndef DRAGOMAN_ZIP_SUPPORT_H
#define DRAGOMAN_ZIP_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a local header and of a record of the directory, each without the name. */
#define LOCAL_BYTES  ((size_t)30)
#define RECORD_BYTES ((size_t)46)

/* Initialize with {0}. The arrays are large enough for all tests. */
typedef struct {
    unsigned char bytes[8192];
    size_t size;
    unsigned char directory[4096];
    size_t directory_size;
    unsigned count;
    size_t directory_at; /* offset of the directory, set by zip_support_end() */
    size_t end_at;       /* offset of the end record, set by zip_support_end() */
} ZipSupport;

/* Appends a little-endian number of `width` bytes. */
static inline void zip_support_number(unsigned char *bytes, size_t *size, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++) bytes[(*size)++] = (unsigned char)(i < 8 ? number >> 8 * i & 255 : 0);
}

static inline void zip_support_bytes(unsigned char *bytes, size_t *size, const void *more, size_t count)
{
    for (size_t i = 0; i < count; i++) bytes[(*size)++] = ((const unsigned char *)more)[i];
}

/* Appends an entry. wide: its sizes and offset are stored in a ZIP64 field of the directory. */
static inline void zip_support_add(ZipSupport *zip, const char *name, const void *data, size_t size, int wide)
{
    unsigned char *d = zip->directory, *b = zip->bytes;
    size_t name_size = 0, offset = zip->size, *n = &zip->directory_size;

    while (name[name_size]) name_size++;
    zip_support_bytes(d, n, "PK\1\2", 4);
    zip_support_number(d, n, 0, 12); /* versions, flags, method, time */
    zip_support_number(d, n, 0, 4);  /* checksum */
    zip_support_number(d, n, wide ? UINT32_MAX : size, 4);
    zip_support_number(d, n, wide ? UINT32_MAX : size, 4);
    zip_support_number(d, n, name_size, 2);
    zip_support_number(d, n, wide ? 34 : 0, 2);
    zip_support_number(d, n, 0, 10); /* comment, disk, attributes */
    zip_support_number(d, n, wide ? UINT32_MAX : offset, 4);
    zip_support_bytes(d, n, name, name_size);
    if (wide) {
        zip_support_bytes(d, n, "\x99\x99\2\0ab", 6); /* an unknown field */
        zip_support_number(d, n, 1, 2);
        zip_support_number(d, n, 24, 2);
        zip_support_number(d, n, size, 8);
        zip_support_number(d, n, size, 8);
        zip_support_number(d, n, offset, 8);
    }
    zip->count++;
    zip_support_bytes(b, &zip->size, "PK\3\4", 4);
    zip_support_number(b, &zip->size, 0, 22);
    zip_support_number(b, &zip->size, name_size, 2);
    zip_support_number(b, &zip->size, 3, 2);
    zip_support_bytes(b, &zip->size, name, name_size);
    zip_support_bytes(b, &zip->size, "pad", 3);
    zip_support_bytes(b, &zip->size, data, size);
}

static inline void zip_support_end(ZipSupport *zip, int wide)
{
    unsigned char *b = zip->bytes;
    size_t *n = &zip->size, end64;

    zip->directory_at = *n;
    zip_support_bytes(b, n, zip->directory, zip->directory_size);
    end64 = *n;
    if (wide) {
        zip_support_bytes(b, n, "PK\6\6", 4);
        zip_support_number(b, n, 44, 8);
        zip_support_number(b, n, 0, 12);
        zip_support_number(b, n, zip->count, 8);
        zip_support_number(b, n, zip->count, 8);
        zip_support_number(b, n, zip->directory_size, 8);
        zip_support_number(b, n, zip->directory_at, 8);
        zip_support_bytes(b, n, "PK\6\7", 4);
        zip_support_number(b, n, 0, 4);
        zip_support_number(b, n, end64, 8);
        zip_support_number(b, n, 1, 4);
    }
    zip->end_at = *n;
    zip_support_bytes(b, n, "PK\5\6", 4);
    zip_support_number(b, n, 0, 4);
    zip_support_number(b, n, wide ? UINT16_MAX : zip->count, 2);
    zip_support_number(b, n, wide ? UINT16_MAX : zip->count, 2);
    zip_support_number(b, n, wide ? UINT32_MAX : zip->directory_size, 4);
    zip_support_number(b, n, wide ? UINT32_MAX : zip->directory_at, 4);
    zip_support_number(b, n, 0, 2);
}

#endif
