/* test_keyed_hash.c - SipHash-1-3, compared with hash() of Python 3.11, whose key is zero with PYTHONHASHSEED=0. */
#include "test_support.h"

#include "hash.h"

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

TESTS(test_keyed_hash);
