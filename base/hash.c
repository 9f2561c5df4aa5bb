/* hash.c - see hash.h. */
#define _DEFAULT_SOURCE /* getentropy() */
#include "hash.h"

#include <string.h>
#include <unistd.h>

#include "bytes.h"

/* 0 < bits < 64 */
static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* --- The checksum --- */

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u

#define STRIPE ((size_t)32)

static uint64_t round_of(uint64_t lane, uint64_t x)
{
    return rotate(lane + x * PRIME_2, 31) * PRIME_1;
}

/* Adds `count` bytes, a multiple of STRIPE. The copies of the lanes stay in registers. */
static void add_stripes(uint64_t lanes[4], const unsigned char *from, size_t count)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];

    for (const unsigned char *end = from + count; from < end; from += STRIPE) {
        a = round_of(a, bytes_number(from, 8));
        b = round_of(b, bytes_number(from + 8, 8));
        c = round_of(c, bytes_number(from + 16, 8));
        d = round_of(d, bytes_number(from + 24, 8));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
}

Hash64 hash64_begin(void)
{
    return (Hash64){ .lanes = { PRIME_1 + PRIME_2, PRIME_2, 0, 0 - PRIME_1 } };
}

void hash64_add(Hash64 *hash, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    size_t waiting = (size_t)(hash->total % STRIPE), step;

    hash->total += count;
    if (waiting) {
        step = STRIPE - waiting < count ? STRIPE - waiting : count;
        memcpy(hash->rest + waiting, from, step);
        if (waiting + step < STRIPE) return;
        add_stripes(hash->lanes, hash->rest, STRIPE);
        from += step;
        count -= step;
    }
    step = count / STRIPE * STRIPE;
    add_stripes(hash->lanes, from, step);
    if (count > step) memcpy(hash->rest, from + step, count - step);
}

void hash64_add_number(Hash64 *hash, uint64_t number)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
    hash64_add(hash, bytes, sizeof bytes);
}

uint64_t hash64_end(const Hash64 *hash)
{
    const uint64_t *lanes = hash->lanes;
    const unsigned char *at = hash->rest;
    size_t left = (size_t)(hash->total % STRIPE);
    uint64_t x = PRIME_5;

    if (hash->total >= STRIPE) {
        x = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        for (size_t i = 0; i < 4; i++) x = (x ^ round_of(0, lanes[i])) * PRIME_1 + PRIME_4;
    }
    x += hash->total;
    for (; left >= 8; at += 8, left -= 8) x = rotate(x ^ round_of(0, bytes_number(at, 8)), 27) * PRIME_1 + PRIME_4;
    for (; left >= 4; at += 4, left -= 4) x = rotate(x ^ bytes_number(at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
    for (; left; at++, left--) x = rotate(x ^ *at * PRIME_5, 11) * PRIME_1;
    x = (x ^ x >> 33) * PRIME_2;
    x = (x ^ x >> 29) * PRIME_3;
    return x ^ x >> 32;
}

uint64_t hash64_of(const void *bytes, size_t count)
{
    Hash64 hash = hash64_begin();

    if (count) hash64_add(&hash, bytes, count);
    return hash64_end(&hash);
}

/* --- The keyed hash --- */

typedef struct {
    uint64_t v0, v1, v2, v3;
} SipState;

HashKey keyed_hash_random_key(void)
{
    HashKey key;

    return getentropy(&key, sizeof key) == 0 ? key : (HashKey){ { 0, 0 } };
}

static void mix(SipState *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32) + s->v3;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
}

static void add_word(SipState *s, uint64_t word)
{
    s->v3 ^= word;
    mix(s);
    s->v0 ^= word;
}

uint64_t keyed_hash(HashKey key, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    SipState s = { key.words[0] ^ 0x736f6d6570736575u, key.words[1] ^ 0x646f72616e646f6du,
                   key.words[0] ^ 0x6c7967656e657261u, key.words[1] ^ 0x7465646279746573u };
    size_t rest = count;

    for (; rest >= 8; rest -= 8, from += 8) add_word(&s, bytes_number(from, 8));
    add_word(&s, (uint64_t)count << 56 | (rest ? bytes_number(from, rest) : 0));
    s.v2 ^= 0xff;
    for (int i = 0; i < 3; i++) mix(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
