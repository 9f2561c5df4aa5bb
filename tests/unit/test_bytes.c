/* test_bytes.c - numbers in bytes, growing lists, functions on strings. */
#include "test_support.h"

#include "buf.h"
#include "bytes.h"
#include "text.h"

TEST(reads_little_endian_numbers_at_any_address)
{
    static const unsigned char bytes[] = { 0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88 };

    assert_int_equal(bytes_number(bytes + 1, 0), 0);
    assert_int_equal(bytes_number(bytes + 1, 1), 0x01);
    assert_int_equal(bytes_number(bytes + 1, 2), 0x0201);
    assert_int_equal(bytes_number(bytes + 1, 4), 0x04030201);
    assert_true(bytes_number(bytes + 1, 8) == UINT64_C(0x8807060504030201));
    assert_true(bytes_float((const unsigned char *)"\0\0\xc0\x3f") == 1.5f);
}

TEST(reader_never_moves_past_the_end)
{
    static const unsigned char bytes[] = { 1, 2, 3, 4, 5 };
    ByteReader reader = { .data = bytes, .size = sizeof bytes };
    const unsigned char *at = NULL;
    uint64_t number = 0;

    assert_true(bytes_take_number(&reader, 2, &number));
    assert_int_equal(number, 0x0201);
    assert_false(bytes_take_number(&reader, 4, &number));
    assert_int_equal(number, 0);
    assert_false(bytes_take(&reader, UINT64_MAX, &at));
    assert_null(at);
    assert_int_equal(bytes_left(&reader), 3);
    assert_true(bytes_take(&reader, 3, &at));
    assert_ptr_equal(at, bytes + 2);
    assert_true(bytes_take(&reader, 0, &at));
    assert_false(bytes_take(&reader, 1, &at));
}

TEST(list_keeps_its_elements_while_it_grows)
{
    size_t *list = NULL, cap = 0;
    Err err;

    for (size_t len = 0; len < 1000; len++) {
        assert_int_equal(buf_grow_list(&list, &cap, len, 1, sizeof *list, "numbers", &err), OK);
        assert_true(cap > len);
        list[len] = len;
    }
    for (size_t i = 0; i < 1000; i++) assert_int_equal(list[i], i);
    free(list);
}

TEST(list_rejects_sizes_that_overflow)
{
    size_t *list = NULL, cap = 0;
    Err err;

    assert_int_equal(buf_grow_list(&list, &cap, 0, SIZE_MAX, sizeof *list, "numbers", &err), ERR_MEMORY);
    assert_non_null(strstr(err.text, "numbers"));
    assert_int_equal(buf_grow_list(&list, &cap, SIZE_MAX - 1, 1, sizeof *list, "numbers", &err), ERR_MEMORY);
    assert_null(list);
    assert_int_equal(cap, 0);
}

TEST(finds_prefixes_and_suffixes_of_any_length)
{
    assert_true(text_begins_with("model.bin", "model"));
    assert_true(text_begins_with("model", "model"));
    assert_true(text_begins_with("", ""));
    assert_false(text_begins_with("mod", "model"));
    assert_true(text_ends_with("a/c.txt", ".txt"));
    assert_true(text_ends_with(".txt", ".txt"));
    assert_false(text_ends_with("txt", ".txt"));
    assert_false(text_ends_with("a.txt.gz", ".txt"));
}

TEST(orders_versions_by_their_numbers)
{
    static const char *const ascending[] = { "", "0.9", "1", "1.0", "1.0.1", "1.9", "1.10", "2.0" };

    for (size_t i = 0; i < COUNT(ascending); i++)
        for (size_t k = 0; k < COUNT(ascending); k++) {
            const int order = text_compare_versions(ascending[i], ascending[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

TESTS(test_bytes);
