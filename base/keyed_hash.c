/* keyed_hash.c - see keyed_hash.h. */
#define _DEFAULT_SOURCE /* getentropy() */
#include "keyed_hash.h"

#include <unistd.h>

#include "bytes.h"
#include "rotate.h"

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
