/* test_hash.c - checksums, compared with those of xxHash 0.8.1, and SipHash-1-3, compared with hash() of Python 3.11,
 * whose key is zero with PYTHONHASHSEED=0. */
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

TEST(returns_the_hashes_of_python)
{
    static const HashKey zero = { { 0, 0 } };
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        { "a", 0x407448d2b89b1813u },        { "abc", 0xc03bc3a0042630f2u },       { "1234567", 0xa33d651594fdae81u },
        { "12345678", 0x3489982430560a87u }, { "123456789", 0x0fbc0f0007965fcfu },
    };
    unsigned char bytes[1001];

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(keyed_hash(zero, rows[i].text, strlen(rows[i].text)) == rows[i].hash);
    for (size_t i = 0; i < 64; i++) bytes[i] = (unsigned char)i;
    assert_true(keyed_hash(zero, bytes, 64) == 0x75e05fd5bbc870c6u);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7);
    assert_true(keyed_hash(zero, bytes, sizeof bytes) == 0x54bf9e7c1c7e1ccau);
}

TEST(depends_on_the_whole_key)
{
    static const HashKey keys[] = { { { 0, 0 } }, { { 1, 0 } }, { { 0, 1 } }, { { 0, 1ull << 63 } } };

    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < i; j++) assert_true(keyed_hash(keys[i], "abc", 3) != keyed_hash(keys[j], "abc", 3));
}

TEST(draws_a_new_key_each_time)
{
    const HashKey a = keyed_hash_random_key(), b = keyed_hash_random_key();

    assert_true(a.words[0] != b.words[0]);
    assert_true(a.words[1] != b.words[1]);
}

TESTS(test_hash);
