/* test_json_ids.c - objects of integers, read without a tree: plain ones are read as cJSON does,
 * others are left to cJSON. */
#include "test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "json.h"

static Status append_member(void *context, const char *key, size_t len, int32_t id, Err *err)
{
    buf_put(context, key, len);
    buf_put_format(context, "=%d;", (int)id);
    return buf_check(context, err);
}

/* Returns the members as KEY=ID;... */
static Buf read_members(const char *text, size_t len, bool *plain)
{
    Buf got = { 0 };
    Err err;

    buf_put(&got, "", 0);
    assert_ok(json_ids_read(text, len, append_member, &got, plain, &err), &err);
    return got;
}

static void check_plain(const char *text, const char *want)
{
    bool plain;
    FREED_BY(buf_free) Buf got = read_members(text, strlen(text), &plain);

    assert_true(plain);
    assert_string_equal(got.data, want);
}

static void check_not_plain(const char *text, size_t len)
{
    bool plain;
    Buf got = read_members(text, len, &plain);

    buf_free(&got);
    if (plain) fail_msg("taken as plain: %.*s", (int)len, text ? text : "");
}

TEST(passes_members_in_order)
{
    check_plain("{\"b\": 3, \"a\":0 ,\n\t\"b\" :999999999}\r\n", "b=3;a=0;b=999999999;");
    check_plain("{\"\xe2\x96\x81Stra\xc3\x9f"
                "e\":7}",
                "\xe2\x96\x81Stra\xc3\x9f"
                "e=7;");
    check_plain("{\"\": 1}", "=1;");
}

TEST(decodes_escapes)
{
    check_plain("{\"\\u2581a\\\"\\\\\\/b\": 1, \"\\ud83d\\ude00\\u00E9\\u0041\": 2}",
                "\xe2\x96\x81"
                "a\"\\/b=1;\xf0\x9f\x98\x80\xc3\xa9"
                "A=2;");
    check_plain("{\"\\b\\f\\n\\r\\t\": 0}", "\b\f\n\r\t=0;");
}

TEST(leaves_other_objects_to_the_json_parser)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[1]",
        "{\"a\"}",
        "{\"a\": 1",
        "{\"a\": 1,}",
        "{\"a\": 1} x",
        "{\"a\": -1}",
        "{\"a\": 1.5}",
        "{\"a\": 1e2}",
        "{\"a\": 01}",
        "{\"a\": 1234567890}",
        "{\"a\": }",
        "{\"a\": \"1\"}",
        "{\"a\": null}",
        "{\"a\": {\"b\": 1}}",
        "{a: 1}",
        "{\"a: 1}",
        "{\"a\\\": 1}",
        "{\"a\\x\": 1}",
        "{\"\\u0000\": 1}",
        "{\"\\u12g4\": 1}",
        "{\"\\ud800\": 1}",
        "{\"\\ud800\\u0041\": 1}",
        "{\"\\udc00\": 1}",
        "{\"\\u12",
        "{\"a\n\": 1}",
        "{\"\xff\": 1}",
        "{\"\xed\xa0\x80\": 1}",
        "\xef\xbb\xbf{\"a\": 1}",
    };

    for (size_t i = 0; i < COUNT(texts); i++) check_not_plain(texts[i], strlen(texts[i]));
    check_not_plain(NULL, 0);
    check_not_plain("{\"a\0\": 1}", 9);
    check_not_plain("{\"a\"\0: 1}", 9);
}

/* Tries every text that differs in one byte from a valid one, in memory of exactly its size. */
TEST(reads_the_same_members_as_a_tree)
{
    static const char sound[] = "{ \"\\u2581a\": 10, \"b\\n\xc3\xa9\": 2 }";
    size_t len = strlen(sound), both = 0;

    for (size_t i = 0; i < len * 256; i++) {
        FREED char *text = malloc(len);
        Buf want = { 0 }, got;
        cJSON *root;
        bool plain;
        Err err;
        assert_non_null(text);
        memcpy(text, sound, len);
        text[i / 256] = (char)(i % 256);
        got = read_members(text, len, &plain);
        if (plain) {
            buf_put(&want, "", 0);
            assert_ok(json_parse(&root, text, len, "test.json", &err), &err);
            for (const cJSON *node = root->child; node; node = node->next)
                buf_put_format(&want, "%s=%d;", node->string, node->valueint);
            assert_string_equal(got.data, want.data);
            cJSON_Delete(root);
            both++;
        }
        buf_free(&want);
        buf_free(&got);
    }
    assert_true(both > 300);
}

static Status refuse(void *context, const char *key, size_t len, int32_t id, Err *err)
{
    (void)context;
    return err_set(err, ERR_USAGE, "not %.*s %d", (int)len, key, (int)id);
}

TEST(stops_when_the_callback_fails)
{
    bool plain;
    Err err;

    assert_fails(json_ids_read("{\"a\": 5, x", 10, refuse, NULL, &plain, &err), ERR_USAGE, &err, "not a 5");
    assert_true(plain);
}

TESTS(test_json_ids);
