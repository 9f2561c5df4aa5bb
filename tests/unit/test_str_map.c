/* test_str_map.c - the hash table from byte strings to numbers. */
#include "test_support.h"

#include "str_map.h"

static StrMap *new_map(void)
{
    StrMap *map;
    Err err;

    assert_ok(str_map_new(&map, &err), &err);
    return map;
}

static bool add(StrMap *map, const char *key, size_t len, int32_t value)
{
    bool added;
    Err err;

    assert_ok(str_map_add(map, key, len, value, &added, &err), &err);
    return added;
}

TEST(finds_nothing_in_an_empty_table)
{
    StrMap *map = new_map();

    assert_int_equal(str_map_count(map), 0);
    assert_int_equal(str_map_get(map, "a", 1, -7), -7);
    assert_int_equal(str_map_get(map, "", 0, 3), 3);
    str_map_free(map);
    str_map_free(NULL);
}

/* Of a key that is added twice, the first value counts. */
TEST(distinguishes_keys_by_bytes_and_length)
{
    static const struct {
        const char *key;
        size_t len;
        int32_t value;
    } rows[] = { { "", 0, 10 },     { "\0", 1, 11 },       { "\0\0", 2, 12 },      { "a\0b", 3, 13 },
                 { "a\0c", 3, 14 }, { "a", 1, INT32_MIN }, { "ab", 2, INT32_MAX }, { "A", 1, 0 } };
    StrMap *map = new_map();

    for (size_t i = 0; i < COUNT(rows); i++) assert_true(add(map, rows[i].key, rows[i].len, rows[i].value));
    assert_false(add(map, "", 0, 99));
    assert_false(add(map, "a", 1, 99));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(str_map_get(map, rows[i].key, rows[i].len, -1), rows[i].value);
    assert_int_equal(str_map_get(map, "b", 1, -1), -1);
    assert_int_equal(str_map_count(map), COUNT(rows));
    str_map_free(map);
}

TEST(copies_keys)
{
    StrMap *map = new_map();
    char key[] = "volatile";

    assert_true(add(map, key, 8, 5));
    memset(key, 'x', 8);
    assert_int_equal(str_map_get(map, "volatile", 8, -1), 5);
    assert_int_equal(str_map_get(map, key, 8, -1), -1);
    str_map_free(map);
}

TEST(finds_every_key_and_no_other_in_a_large_table)
{
    enum { KEYS = 200000 };
    StrMap *map = new_map();
    char key[32];

    for (int32_t i = 0; i < KEYS; i++) assert_true(add(map, key, (size_t)sprintf(key, "\xe2\x96\x81%d", i), i));
    assert_int_equal(str_map_count(map), KEYS);
    for (int32_t i = 0; i < 2 * KEYS; i++) {
        size_t len = (size_t)sprintf(key, "\xe2\x96\x81%d", i);
        assert_int_equal(str_map_get(map, key, len, -1), i < KEYS ? i : -1);
    }
    str_map_free(map);
}

TEST(numbers_keys_in_the_order_of_insertion)
{
    StrMap *map = new_map();

    assert_true(add(map, "b", 1, 5));
    assert_true(add(map, "", 0, 6));
    assert_false(add(map, "b", 1, 7));
    assert_true(add(map, "axx", 1, 8));
    assert_int_equal(str_map_count(map), 3);
    assert_string_equal(str_map_key(map, 0), "b");
    assert_string_equal(str_map_key(map, 1), "");
    assert_string_equal(str_map_key(map, 2), "a");
    assert_int_equal(str_map_get(map, "a", 1, -1), 8);
    assert_int_equal(str_map_value(map, 2), 8);
    str_map_free(map);
}

/* Appends the keys k0, k1, ..., and one of them a second time if it is below `count`. Returns what str_map_index()
 * says is the duplicate. */
static size_t append_all(StrMap *map, int32_t count, int32_t second)
{
    char key[32];
    size_t duplicate;
    Err err;

    for (int32_t i = 0; i < count; i++)
        assert_ok(str_map_append(map, key, (size_t)sprintf(key, "k%d", i), i, &err), &err);
    for (int32_t i = 0; second < count && i < 2; i++)
        assert_ok(str_map_append(map, key, (size_t)sprintf(key, "k%d", second), 7, &err), &err);
    assert_ok(str_map_index(map, &duplicate, &err), &err);
    return duplicate;
}

TEST(finds_appended_keys_once_they_are_indexed)
{
    static const int32_t sizes[] = { 0, 1, 31, 32, 33, 5000 };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        StrMap *map = new_map();
        char key[32];

        assert_int_equal(append_all(map, sizes[i], sizes[i]), sizes[i]);
        for (int32_t k = 0; k < 2 * sizes[i]; k++) {
            const size_t len = (size_t)sprintf(key, "k%d", k);
            assert_int_equal(str_map_get(map, key, len, -1), k < sizes[i] ? k : -1);
        }
        assert_true(add(map, "later", 5, 9));
        assert_false(add(map, "later", 5, 10));
        assert_int_equal(str_map_get(map, "later", 5, -1), 9);
        assert_int_equal(str_map_count(map), sizes[i] + 1);
        str_map_free(map);
    }
}

TEST(names_the_first_appended_key_that_the_map_has)
{
    StrMap *map = new_map();

    assert_int_equal(append_all(map, 100, 42), 100);
    assert_int_equal(str_map_count(map), 102);
    str_map_free(map);
}

TESTS(test_str_map);
