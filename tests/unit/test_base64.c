/* test_base64.c - decoding of base64. */
#include "test_support.h"

#include "base64.h"

static void check(const char *text, const char *bytes, size_t count)
{
    Buf out = { 0 };
    bool valid;
    Err err;

    assert_ok(base64_append(&out, text, strlen(text), &valid, &err), &err);
    assert_true(valid);
    assert_int_equal(out.len, count);
    if (count) assert_memory_equal(out.data, bytes, count);
    buf_free(&out);
}

TEST(decodes_the_examples_of_the_rfc)
{
    check("", "", 0);
    check("Zg==", "f", 1);
    check("Zm8=", "fo", 2);
    check("Zm9v", "foo", 3);
    check("Zm9vYg==", "foob", 4);
    check("Zm9vYmE=", "fooba", 5);
    check("Zm9vYmFy", "foobar", 6);
    check("AAECA+/+/w==", "\x00\x01\x02\x03\xef\xfe\xff", 7);
}

TEST(invalid_text_appends_nothing)
{
    static const char *const bad[] = { "Z",    "Zg",       "Zg=",      "Zg===", "=",    "====",        "Z===", "Zm9v=",
                                       "Zm 9", "Zm9v\nZm", "Zg==Zm9v", "Zm=v",  "-_-_", "Zm9vYmF\xc3", "A=A=" };

    for (size_t i = 0; i < COUNT(bad); i++) {
        Buf out = { 0 };
        bool valid = true;
        Err err;
        buf_put_text(&out, "kept");
        assert_ok(base64_append(&out, bad[i], strlen(bad[i]), &valid, &err), &err);
        if (valid) fail_msg("\"%s\" was taken", bad[i]);
        assert_string_equal(out.data, "kept");
        assert_int_equal(out.len, 4);
        buf_free(&out);
    }
}

TESTS(test_base64);
