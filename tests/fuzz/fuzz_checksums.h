/* fuzz_checksums.h - makes the checksums of packed models right, so that mutations pass the first checks. Define
 * _GNU_SOURCE, for memmem(). */
#ifndef DRAGOMAN_FUZZ_CHECKSUMS_H
#define DRAGOMAN_FUZZ_CHECKSUMS_H

#include "fuzz_support.h"

#include <inttypes.h>

#include "readers.h"
#include "hash.h"
#include "packed_file.h"
#include "readers.h"

/* Writes the digits of a checksum over those at `at`. */
static inline void fuzz_checksums_put(unsigned char *at, uint64_t hash)
{
    char digits[PACKED_DIGITS + 1];

    (void)snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    memcpy(at, digits, PACKED_DIGITS);
}

/* Makes the checksum of a tensor right where the header has "NAME":"DIGITS". */
static inline void fuzz_checksums_mend_tensor(unsigned char *bytes, size_t header, const Tensor *t)
{
    char key[80];
    const int length = snprintf(key, sizeof key, "\"%s\":\"", t->name);
    unsigned char *at = (size_t)length < sizeof key ? memmem(bytes, header, key, (size_t)length) : NULL;
    Hash64 hash = hash64_begin();

    if (!at || header - (size_t)(at - bytes) < (size_t)length + PACKED_DIGITS) return;
    hash64_add(&hash, t->data, t->bytes);
    fuzz_checksums_put(at + length, hash64_end(&hash));
}

/* Makes the checksums of the header and of all tensors right, if the file has them in their places. */
static inline void fuzz_checksums_mend(unsigned char *bytes, size_t size)
{
    const FileView file = { .path = "a packed model", .map = { .data = bytes, .size = size } };
    uint64_t length = 0;
    Weights *all;
    Err err = { "" };

    if (size < PACKED_HASH_AT + PACKED_DIGITS) return;
    memcpy(&length, bytes, sizeof length);
    if (length > size - 8 || length + 8 < PACKED_HASH_AT + PACKED_DIGITS) return;
    require_ok(weights_new(&all, NULL, &err), &err);
    if (safetensors_read(all, &file, &err) == OK)
        for (size_t i = 0; i < all->tensor_count; i++)
            fuzz_checksums_mend_tensor(bytes, (size_t)length + 8, &all->tensors[i]);
    weights_free(all);
    fuzz_checksums_put(bytes + PACKED_HASH_AT, packed_file_header_hash(bytes, (size_t)length + 8));
}

#endif
