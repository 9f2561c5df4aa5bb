/* bytes.h - little-endian numbers in the bytes of a file.
 * Foreign files place numbers at any address: they are copied, never cast. */
#ifndef DRAGOMAN_BYTES_H
#define DRAGOMAN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The unsigned little-endian number in `width` <= 8 bytes, all of which must be readable. */
static inline uint64_t bytes_number(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, bytes, width);
#else
    while (width-- > 0) value = value << 8 | bytes[width];
#endif
    return value;
}

/* The little-endian f32 in four readable bytes. */
static inline float bytes_float(const unsigned char *bytes)
{
    uint32_t bits = (uint32_t)bytes_number(bytes, sizeof bits);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A position in `size` bytes. It never moves beyond their end. */
typedef struct {
    const unsigned char *data;
    size_t size, at;
} ByteReader;

static inline size_t bytes_left(const ByteReader *reader)
{
    return reader->size - reader->at;
}

/* Take the next `count` bytes: *out points to them. False, with the position and
 * *out unchanged, when fewer are left. */
static inline bool bytes_take(ByteReader *reader, uint64_t count, const unsigned char **out)
{
    if (count > bytes_left(reader)) return false;
    *out = reader->data + reader->at;
    reader->at += (size_t)count;
    return true;
}

/* Take a number of `width` <= 8 bytes. False, with *out 0, when fewer are left. */
static inline bool bytes_take_number(ByteReader *reader, size_t width, uint64_t *out)
{
    const unsigned char *bytes;

    *out = 0;
    if (!bytes_take(reader, width, &bytes)) return false;
    *out = bytes_number(bytes, width);
    return true;
}

#endif
