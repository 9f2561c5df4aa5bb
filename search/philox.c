/* philox.c - see philox.h. */
#include "philox.h"

#define ROUNDS 10

static PhiloxBlock mix(PhiloxBlock c, uint32_t key0, uint32_t key1)
{
    const uint64_t a = (uint64_t)0xd2511f53 * c.words[0], b = (uint64_t)0xcd9e8d57 * c.words[2];

    return (PhiloxBlock){ { (uint32_t)(b >> 32) ^ c.words[1] ^ key0, (uint32_t)b,
                            (uint32_t)(a >> 32) ^ c.words[3] ^ key1, (uint32_t)a } };
}

PhiloxBlock philox(uint64_t key, PhiloxBlock counter)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);

    for (int i = 0; i < ROUNDS; i++) {
        counter = mix(counter, key0, key1);
        key0 += 0x9e3779b9;
        key1 += 0xbb67ae85;
    }
    return counter;
}

double philox_unit(uint64_t key, PhiloxBlock counter)
{
    const PhiloxBlock bits = philox(key, counter);
    const uint64_t high = ((uint64_t)bits.words[0] << 32 | bits.words[1]) >> 12;

    return ((double)high + 0.5) * 0x1p-52;
}
