/* keyed_hash.h - hashes for tables of strings from files. The key is random, so that nobody can prepare a file whose
 * strings all collide and take hours to read. Output must not depend on these hashes. */
#ifndef DRAGOMAN_KEYED_HASH_H
#define DRAGOMAN_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t words[2];
} HashKey;

/* Returns a random key; zeros if the system cannot supply one. */
HashKey keyed_hash_random_key(void);

/* SipHash-1-3: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012. */
uint64_t keyed_hash(HashKey key, const void *bytes, size_t count);

#endif
