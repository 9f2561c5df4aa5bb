/* hash.h - hashes of bytes: a checksum for files, and a keyed hash for tables. */
#ifndef DRAGOMAN_HASH_H
#define DRAGOMAN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* --- A checksum: XXH64 with seed 0. It is not cryptographic, but detects any change of a few neighbouring bytes, at
 * several gigabytes a second.
 * Source   doc/xxhash_spec.md of Cyan4973/xxHash.
 * Checked  tests/unit/test_hash.c */

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

/* --- A keyed hash, for tables of strings from files. The key is random: otherwise somebody could prepare a file whose
 * strings all have the same hash and take hours to read. The output must not depend on these hashes. */

typedef struct {
    uint64_t words[2];
} HashKey;

/* Returns a random key; zeros if the system cannot supply one. */
HashKey keyed_hash_random_key(void);

/* SipHash-1-3: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012. */
uint64_t keyed_hash(HashKey key, const void *bytes, size_t count);

#endif
