/* bytes.h - reading little-endian values from the bytes of a file.
 * Values in files may be unaligned: they are copied, never cast. */
#ifndef DRAGOMAN_BYTES_H
#define DRAGOMAN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the unsigned little-endian number in `width` <= 8 readable bytes. */
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

/* Returns the little-endian f32 in four readable bytes. */
static inline float bytes_float(const unsigned char *bytes)
{
    uint32_t bits = (uint32_t)bytes_number(bytes, sizeof bits);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A position in `size` bytes, never past their end. */
typedef struct {
    const unsigned char *data;
    size_t size, at;
} ByteReader;

static inline size_t bytes_left(const ByteReader *reader)
{
    return reader->size - reader->at;
}

/* Takes the next `count` bytes: *out points to them. If fewer are left, returns false and changes nothing. */
static inline bool bytes_take(ByteReader *reader, uint64_t count, const unsigned char **out)
{
    if (count > bytes_left(reader)) return false;
    *out = reader->data + reader->at;
    reader->at += (size_t)count;
    return true;
}

/* Takes a number of `width` <= 8 bytes. If fewer are left, returns false and sets *out to 0. */
static inline bool bytes_take_number(ByteReader *reader, size_t width, uint64_t *out)
{
    const unsigned char *bytes;

    *out = 0;
    if (!bytes_take(reader, width, &bytes)) return false;
    *out = bytes_number(bytes, width);
    return true;
}

#endif
