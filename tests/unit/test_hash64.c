/* test_hash64.c - checksums, compared with those of xxHash 0.8.1. */
#include "test_support.h"

#include "hash.h"

TEST(returns_the_checksums_of_xxhash)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        { "", 0xef46db3751d8e999u },
        { "a", 0xd24ec4f1a98c6e5bu },
        { "abc", 0x44bc2cf5ad770999u },
        { "Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1u },
        { "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0x60dd0d01083b99f0u },
        { "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0xe2df261fc2ec30ebu },
        { "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 0xb3fa465f554208a6u },
    };
    unsigned char bytes[1001];

    for (size_t i = 0; i < COUNT(rows); i++) assert_true(hash64_of(rows[i].text, strlen(rows[i].text)) == rows[i].hash);
    for (size_t i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
    assert_true(hash64_of(bytes, 256) == 0x1facbe8406cd904bu);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7);
    assert_true(hash64_of(bytes, sizeof bytes) == 0x4028f1f4865bbe17u);
}

TEST(hashes_pieces_like_the_whole)
{
    unsigned char bytes[200];

    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 31 >> 2);
    for (size_t count = 0; count <= sizeof bytes; count += 3)
        for (size_t first = 0; first <= count; first++) {
            Hash64 hash = hash64_begin();
            size_t second = first + (count - first) / 3;
            hash64_add(&hash, bytes, first);
            hash64_add(&hash, bytes + first, second - first);
            hash64_add(&hash, bytes + second, count - second);
            assert_true(hash64_end(&hash) == hash64_of(bytes, count));
        }
}

TESTS(test_hash64);
