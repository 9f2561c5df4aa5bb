/* test_err.c - error messages. */
#include "test_support.h"

TEST(returns_the_status_and_formats_the_text)
{
    Err err;

    assert_int_equal(err_set(&err, ERR_USAGE, "%s: %d of %zu", "a.b", -1, (size_t)7), ERR_USAGE);
    assert_string_equal(err.text, "a.b: -1 of 7");
    assert_int_equal(err_set(NULL, ERR_IO, "%s", "x"), ERR_IO);
    assert_int_equal(err_memory(&err, "a thing"), ERR_MEMORY);
    assert_string_equal(err.text, "out of memory for a thing");
    assert_int_equal(err_internal(&err, "two and two are five"), ERR_FORMAT);
    assert_string_equal(err.text, "two and two are five: this is a fault of dragoman, not of your files; please report "
                                  "it, with the command and the file");
}

TEST(allows_the_old_message_in_the_new_one)
{
    Err err;

    err_set(&err, ERR_IO, "inner");
    err_set(&err, ERR_IO, "outer: %s", err.text);
    assert_string_equal(err.text, "outer: inner");
}

TEST(replaces_control_characters_and_ill_formed_text)
{
    Err err;

    err_set(&err, ERR_IO, "a\nb\rc\td\x1b[31m\x7f|\xc2\x9b|\xff|\xe2\x82|\xed\xa0\x80|");
    assert_string_equal(err.text, "a?b?c?d?[31m?|?|?|?|???|");
    err_set(&err, ERR_IO, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_string_equal(err.text, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(ends_a_long_message_in_dots_after_a_whole_character)
{
    char text[3 * 1024 + 1];
    Err err;

    for (size_t len = 1018; len <= 1030; len++) {
        memset(text, 'x', len);
        text[len] = '\0';
        err_set(&err, ERR_IO, "%s", text);
        assert_int_equal(strlen(err.text), len < 1024 ? len : 1023);
        assert_string_equal(err.text + strlen(err.text) - 3, len < 1024 ? "xxx" : "...");
    }
    for (size_t shift = 0; shift < 3; shift++) {
        text[0] = text[1] = 'x';
        for (size_t i = 0; i < 1000; i++) memcpy(text + shift + 3 * i, "\xe2\x82\xac", 4);
        err_set(&err, ERR_IO, "%s", text);
        assert_int_equal(strlen(err.text), shift + (1020 - shift) / 3 * 3 + 3);
        assert_string_equal(err.text + strlen(err.text) - 6, "\xe2\x82\xac...");
    }
}

TESTS(test_err);
