/* test_buf.c - the growing byte string and id list of base/buf.h. */
#include "test_support.h"

#include "buf.h"

TEST(appends_bytes_in_order_and_a_nul)
{
    Buf buf = { 0 };

    buf_put(&buf, "ab\0c", 4);
    buf_put_text(&buf, "de");
    buf_put_format(&buf, "%d-%s", 42, "x");
    assert_int_equal(buf.len, 10);
    assert_memory_equal(buf.data, "ab\0cde42-x", 11);
    buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.len + buf.cap, 0);
}

TEST(appending_nothing_gives_an_empty_text)
{
    Buf buf = { 0 };

    buf_clear(&buf);
    assert_null(buf.data);
    buf_put(&buf, NULL, 0);
    assert_string_equal(buf.data, "");
    buf_put_text(&buf, "");
    buf_put_format(&buf, "%s", "");
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf.data, "");
    buf_free(&buf);
    buf_free(&buf);
}

TEST(clear_keeps_the_memory)
{
    FREED_BY(buf_free) Buf buf = { 0 };
    const char *data;
    size_t cap;

    for (int i = 0; i < 1000; i++) buf_put_text(&buf, "0123456789");
    data = buf.data;
    cap = buf.cap;
    buf_clear(&buf);
    assert_int_equal(buf.len, 0);
    assert_string_equal(buf.data, "");
    for (int i = 0; i < 1000; i++) buf_put_text(&buf, "9876543210");
    assert_ptr_equal(buf.data, data);
    assert_int_equal(buf.cap, cap);
}

TEST(grows_by_single_bytes_over_every_capacity)
{
    FREED_BY(buf_free) Buf buf = { 0 };

    for (size_t i = 0; i < 70000; i++) {
        char c = (char)('a' + i % 26);
        buf_put_byte(&buf, c);
        assert_true(buf.cap > buf.len);
        assert_int_equal(buf.data[buf.len], 0);
    }
    for (size_t i = 0; i < 70000; i++) assert_int_equal(buf.data[i], 'a' + i % 26);
}

TEST(reports_an_absurd_count_as_out_of_memory_and_changes_nothing)
{
    static const size_t counts[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 3, SIZE_MAX / 2, SIZE_MAX / 4 };
    FREED_BY(buf_free) Buf buf = { 0 };
    FREED_BY(ids_free) IdList ids = { 0 };
    int32_t none[1] = { 0 };
    Err err;

    buf_put_text(&buf, "kept");
    assert_ok(ids_append(&ids, 7, &err), &err);
    for (size_t i = 0; i < COUNT(counts); i++) {
        err.text[0] = '\0';
        buf_put(&buf, "", counts[i]);
        assert_fails(buf_check(&buf, &err), ERR_MEMORY, &err, "out of memory for a text");
        assert_fails(ids_append_all(&ids, none, counts[i], &err), ERR_MEMORY, &err, "out of memory for a list of ids");
    }
    assert_string_equal(buf.data, "kept");
    assert_int_equal(ids.len, 1);
    assert_int_equal(ids.data[0], 7);
}

TEST(keeps_ids_in_order_over_every_capacity)
{
    IdList ids = { 0 };
    int32_t more[100];
    Err err;

    for (int32_t i = 0; i < 100; i++) more[i] = -i;
    assert_ok(ids_append_all(&ids, NULL, 0, &err), &err);
    assert_int_equal(ids.len, 0);
    for (int32_t i = 0; i < 1000; i++) {
        assert_ok(ids_append(&ids, i, &err), &err);
        assert_ok(ids_append_all(&ids, more, 100, &err), &err);
    }
    assert_int_equal(ids.len, 101000);
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(ids.data[i * 101], i);
        assert_memory_equal(ids.data + i * 101 + 1, more, sizeof more);
    }
    ids_clear(&ids);
    assert_int_equal(ids.len, 0);
    assert_true(ids.cap >= 101000);
    ids_free(&ids);
    assert_null(ids.data);
    assert_int_equal(ids.cap, 0);
}

TEST(reuse_frees_large_memory)
{
    const size_t counts[] = { 1000, (size_t)1 << 21 };
    FREED_BY(buf_free) Buf buf = { 0 };

    for (size_t i = 0; i < COUNT(counts); i++) {
        FREED char *bytes = calloc(counts[i], 1);
        assert_non_null(bytes);
        buf_put(&buf, bytes, counts[i]);
        buf_reuse(&buf);
        assert_int_equal(buf.len, 0);
        assert_int_equal(buf.cap > 0, counts[i] == 1000);
    }
}

TEST(put_remembers_the_first_failure_until_it_is_checked)
{
    FREED_BY(buf_free) Buf buf = { 0 };
    Err err;

    buf_put_text(&buf, "ab");
    buf_put_format(&buf, "%d", 7);
    buf_put_byte(&buf, '.');
    assert_ok(buf_check(&buf, &err), &err);
    buf_put(&buf, "x", SIZE_MAX);
    buf_put_text(&buf, "lost");
    assert_string_equal(buf.data, "ab7.");
    assert_int_equal(buf_check(&buf, &err), ERR_MEMORY);
    assert_ok(buf_check(&buf, &err), &err);
    buf_put_text(&buf, "later");
    assert_string_equal(buf.data, "ab7.later");
}

TEST(list_put_keeps_elements_in_order_and_remembers_a_failure)
{
    FREED_BY(ids_free) IdList ids = { 0 };
    Err err;

    for (int32_t i = 0; i < 1000; i++) LIST_PUT(&ids, i);
    assert_ok(LIST_CHECK(&ids, "ids", &err), &err);
    assert_int_equal(ids.len, 1000);
    assert_int_equal(ids.data[999], 999);
    ids.failed = true; /* as when there is no memory */
    LIST_PUT(&ids, 1000);
    assert_int_equal(ids.len, 1000);
    assert_int_equal(LIST_CHECK(&ids, "ids", &err), ERR_MEMORY);
    assert_ok(LIST_CHECK(&ids, "ids", &err), &err);
}

TESTS(test_buf);
