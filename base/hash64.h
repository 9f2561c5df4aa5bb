/* hash64.h - a 64-bit checksum, XXH64 with seed 0. It is not cryptographic, but detects any change of
 * a few neighbouring bytes, at several gigabytes a second.
 * Source   doc/xxhash_spec.md of Cyan4973/xxHash.
 * Checked  tests/unit/test_hash64.c */
#ifndef DRAGOMAN_HASH64_H
#define DRAGOMAN_HASH64_H

#include <stddef.h>
#include <stdint.h>

/* The state of a checksum over bytes that arrive in pieces. */
typedef struct {
    uint64_t lanes[4];
    uint64_t total;
    unsigned char rest[32]; /* total % 32 bytes not hashed yet */
} Hash64;

Hash64 hash64_begin(void);
void hash64_add(Hash64 *hash, const void *bytes, size_t count);
void hash64_add_number(Hash64 *hash, uint64_t number); /* 8 bytes, little-endian on every machine */
uint64_t hash64_end(const Hash64 *hash);

uint64_t hash64_of(const void *bytes, size_t count);

#endif
