/* test_json.c - checked reading of JSON. */
#include "test_support.h"

#include "json.h"
#include "tree_file.h"

static cJSON *parse(const char *text)
{
    cJSON *root = NULL;
    Err err;

    assert_ok(json_parse(&root, text, strlen(text), "f.json", &err), &err);
    return root;
}

#define TREE                                                                                                           \
    "{\"b\":true,\"n\":7,\"neg\":-3,\"half\":0.5,\"big\":9007199254740993,\"huge\":1e300,\"inf\":1e999,\"s\":\"x\","   \
    "\"null\":null,\"list\":[1,2,3],\"bad\":[1,\"2\"],\"o\":{\"n\":8},\"twice\":1,\"twice\":2,\"gone\":1,\"gone\":"    \
    "null}"

TEST(finds_the_last_member_of_the_exact_name)
{
    cJSON *root = parse(TREE);
    JsonObject object = { root, "f.json" };
    JsonReader r = { .json = object };
    int32_t id = 0;
    Err err;

    assert_non_null(json_member(object, "n"));
    assert_null(json_member(object, "N"));
    assert_null(json_member(object, "null"));
    assert_null(json_member(object, ""));
    assert_null(json_member(object, "gone"));
    assert_null(json_member((JsonObject){ NULL, "f.json" }, "n"));
    assert_null(json_member((JsonObject){ json_member(object, "list"), "f.json" }, "n"));
    json_read_id(&r, "twice", 0, 9, &id);
    assert_int_equal(id, 2);
    assert_ok(json_require(object, "n", &err), &err);
    assert_fails(json_require(object, "null", &err), ERR_FORMAT, &err, "f.json: null is missing");
    assert_fails(json_require(object, "x", &err), ERR_FORMAT, &err, "f.json: x is missing");
    cJSON_Delete(root);
}

TEST(reads_members_and_keeps_defaults_of_absent_ones)
{
    cJSON *root = parse(TREE);
    Err err;
    JsonReader r = { { root, "f.json" }, &err, OK };
    const char *text = "default";
    bool flag = false;
    size_t size = 99;
    int32_t id = 99;
    float number = 99;

    json_read_bool(&r, "x", &flag);
    json_read_size(&r, "null", 0, 1, &size);
    json_read_id(&r, "x", 0, 1, &id);
    json_read_float(&r, "x", 0, 1, &number);
    json_read_string(&r, "null", &text);
    assert_true(!flag && size == 99 && id == 99 && number == 99);
    assert_string_equal(text, "default");
    json_read_bool(&r, "b", &flag);
    json_read_size(&r, "n", 7, 7, &size);
    json_read_id(&r, "neg", -3, -3, &id);
    json_read_float(&r, "half", 0.5, 0.5, &number);
    json_read_string(&r, "s", &text);
    assert_true(flag && size == 7 && id == -3 && number == 0.5f);
    assert_string_equal(text, "x");
    json_read_size(&r, "n", 0, SIZE_MAX, &size);
    assert_int_equal(size, 7);
    assert_ok(r.st, &err);
    cJSON_Delete(root);
}

TEST(rejects_other_types_and_ranges_and_changes_nothing)
{
    enum { BOOL, SIZE, ID, FLOAT, STRING, IDS };
    static const struct {
        int getter;
        const char *key;
        double low, high;
        const char *fault;
    } cases[] = {
        { BOOL, "n", 0, 0, "n must be true or false" },
        { SIZE, "n", 8, 9, "n must be a whole number from 8 to 9" },
        { SIZE, "n", 0, 6, "n must be a whole number from 0 to 6" },
        { SIZE, "neg", 0, 1e18, "neg must be a whole number from 0 to 9007199254740991" },
        { SIZE, "half", 0, 9, "half must be a whole number from 0 to 9" },
        { SIZE, "big", 0, 1e18, "big must be a whole number from 0 to 9007199254740991" },
        { SIZE, "b", 0, 1, "b must be a whole number from 0 to 1" },
        { ID, "huge", INT32_MIN, INT32_MAX, "huge must be a whole number from -2147483648 to 2147483647" },
        { ID, "s", 0, 1, "s must be a whole number from 0 to 1" },
        { ID, "list", 0, 1, "list must be a whole number from 0 to 1" },
        { FLOAT, "s", 0, 1, "s must be a number from 0 to 1" },
        { FLOAT, "half", 0, 0.25, "half must be a number from 0 to 0.25" },
        { FLOAT, "huge", 0, 1e308, "huge must be a number from 0 to 1e+308" },
        { FLOAT, "inf", 0, 1e308, "inf must be a number from 0 to 1e+308" },
        { STRING, "n", 0, 0, "n must be a string" },
        { IDS, "list", 0, 2, "list must hold ids from 0 to 2" },
        { IDS, "bad", 0, 2, "bad must hold ids from 0 to 2" },
        { IDS, "s", 0, 2, "s must hold ids from 0 to 2" },
        { IDS, "o", 0, 2, "o must hold ids from 0 to 2" },
    };
    cJSON *root = parse(TREE);
    IdList ids = { 0 };
    const char *text = "default";
    bool flag = true;
    size_t size = 99;
    int32_t id = 99;
    float number = 99;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *key = cases[i].key;
        const double low = cases[i].low, high = cases[i].high;
        Err e;
        JsonReader r = { { root, "f.json" }, &e, OK };
        switch (cases[i].getter) {
        case BOOL:
            json_read_bool(&r, key, &flag);
            break;
        case SIZE:
            json_read_size(&r, key, (size_t)low, (size_t)high, &size);
            break;
        case ID:
            json_read_id(&r, key, (int32_t)low, (int32_t)high, &id);
            break;
        case FLOAT:
            json_read_float(&r, key, low, high, &number);
            break;
        case STRING:
            json_read_string(&r, key, &text);
            break;
        default:
            json_read_ids(&r, key, (int32_t)low, (int32_t)high, &ids);
        }
        assert_fails_as(r.st, ERR_FORMAT, &e, "f.json: %s", cases[i].fault);
    }
    assert_true(flag && size == 99 && id == 99 && number == 99);
    assert_string_equal(text, "default");
    ids_free(&ids);
    cJSON_Delete(root);
}

TEST(reads_one_id_or_a_list_of_ids)
{
    static const int32_t expected[] = { 7, 1, 2, 3 };
    static const char *const keys[] = { "x", "null", "n", "list" };
    cJSON *root = parse(TREE);
    FREED_BY(ids_free) IdList ids = { 0 };
    Err err;
    JsonReader r = { { root, "f.json" }, &err, OK };

    for (size_t i = 0; i < COUNT(keys); i++) json_read_ids(&r, keys[i], 0, 9, &ids);
    assert_ok(r.st, &err);
    assert_int_equal(ids.len, 4);
    assert_memory_equal(ids.data, expected, sizeof expected);
    cJSON_Delete(root);
}

TEST(reports_each_fault_of_a_text)
{
    static const struct {
        const char *text;
        size_t len;
        const char *message;
    } cases[] = {
        { "", 0, "f: not valid JSON near byte 0" },
        { " ", 1, "f: not valid JSON near byte 0" },
        { "{", 1, "f: not valid JSON near byte 0" },
        { "{\"a\":1,}", 8, "f: not valid JSON near byte 7" },
        { "{\"a\":1 \"b\":2}", 13, "f: not valid JSON near byte 7" },
        { "{\"a\":1}x", 8, "f: text after the JSON object" },
        { "{\"a\":1}\0", 8, "f: not valid JSON: a control character at byte 7" },
        { "{}\0", 3, "f: not valid JSON: a control character at byte 2" },
        { "{\0}", 3, "f: not valid JSON: a control character at byte 1" },
        { "{\"a\":\x0b"
          "1}",
          8, "f: not valid JSON: a control character at byte 5" },
        { "[1]", 3, "f is not a JSON object" },
        { "1", 1, "f is not a JSON object" },
        { "\"a\"", 3, "f is not a JSON object" },
        { "{\"a\tb\":1}", 9, "f: not valid JSON: a control character at byte 3" },
        { "{\"a\":\"\xe2\x82\"}", 10, "f: not valid JSON: ill-formed UTF-8 at byte 6" },
        { "{\"a\":\"\xe2", 7, "f: not valid JSON: ill-formed UTF-8 at byte 6" },
        { "{\"a\":\"\\u0000\"}", 14, "f: not valid JSON: a bad \\u escape at byte 7" },
        { "{\"a\":\"\\u12g4\"}", 14, "f: not valid JSON: a bad \\u escape at byte 7" },
        { "{\"a\":\"\\u12", 10, "f: not valid JSON: a bad \\u escape at byte 7" },
        { "{\"a\":\"\\", 7, "f: not valid JSON near byte 6" },
        { "{\"a\":\"\\ud800\"}", 14, "f: not valid JSON near byte 6" },
        { "{\"a\":NaN}", 9, "f: not valid JSON near byte 5" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *exact = malloc(cases[i].len + 1); /* the sanitizer detects a read past the end */
        cJSON *root = (cJSON *)exact;
        Err err;
        memcpy(exact, cases[i].text, cases[i].len);
        exact = realloc(exact, cases[i].len ? cases[i].len : 1);
        assert_fails(json_parse(&root, exact, cases[i].len, "f", &err), ERR_FORMAT, &err, cases[i].message);
        assert_null(root);
        free(exact);
    }
}

TEST(reads_valid_texts)
{
    static const char *const texts[] = {
        "{}",
        "\xef\xbb\xbf{}",
        " \t\r\n{ } \t\r\n",
        "{\"\\u00e9\\\\u0000\\\"\":\"\\ud83d\\ude00\"}",
        "{\"\":[[],{},-0.5e-3]}",
    };
    cJSON *root;

    for (size_t i = 0; i < COUNT(texts); i++) {
        root = parse(texts[i]);
        assert_true(cJSON_IsObject(root));
        cJSON_Delete(root);
    }
    root = parse(texts[3]);
    assert_string_equal(root->child->string, "\xc3\xa9\\u0000\"");
    assert_string_equal(root->child->valuestring, "\xf0\x9f\x98\x80");
    cJSON_Delete(root);
}

TEST(limits_the_values_of_several_texts)
{
    static const char text[] = "{\"a\":[1,2]}"; /* counted as 4 values */
    size_t room = 7;
    cJSON *root;
    Err err;

    assert_ok(json_parse_as(&root, text, sizeof text - 1, "f.json", cJSON_Object, &room, &err), &err);
    cJSON_Delete(root);
    assert_int_equal(room, 3);
    assert_fails(json_parse_as(&root, text, sizeof text - 1, "f.json", cJSON_Object, &room, &err), ERR_FORMAT, &err,
                 "f.json: not valid JSON: too many values at byte 7");
    assert_null(root);
    assert_int_equal(room, 3);
}

FOLDER_TEST(reads_files_or_names_them)
{
    FREED char *path = support_write_text(*state, "a.json", "{\"a\":[1]}");
    cJSON *root;
    Err err;

    assert_ok(tree_file_read_json(&root, path, &err), &err);
    assert_non_null(json_member((JsonObject){ root, path }, "a"));
    cJSON_Delete(root);
    free(support_write_text(*state, "a.json", ""));
    assert_fails_as(tree_file_read_json(&root, path, &err), ERR_FORMAT, &err, "%s is empty", path);
    assert_int_equal(unlink(path), 0);
    assert_fails_as(tree_file_read_json(&root, path, &err), ERR_IO, &err, "%s: %s", path, strerror(ENOENT));
    assert_null(root);
}

TEST(reads_integers_exactly_or_rejects_them)
{
    static const struct {
        double value;
        int64_t low, high;
        bool fits;
    } cases[] = {
        { 0, 0, 0, true },
        { -0.0, 0, 0, true },
        { 0.5, 0, 1, false },
        { -1, 0, INT64_MAX, false },
        { 9007199254740991.0, INT64_MIN, INT64_MAX, true },
        { 9007199254740992.0, INT64_MIN, INT64_MAX, false },
        { -9007199254740991.0, INT64_MIN, INT64_MAX, true },
        { -9007199254740992.0, INT64_MIN, INT64_MAX, false },
        { 9.3e18, INT64_MIN, INT64_MAX, false },
        { 1e300, INT64_MIN, INT64_MAX, false },
        { -1e300, INT64_MIN, INT64_MAX, false },
        { 5, 6, 9, false },
        { 5, 1, 4, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        cJSON *node = cJSON_CreateNumber(cases[i].value);
        int64_t out = -77;
        assert_int_equal(json_to_int64(node, cases[i].low, cases[i].high, &out), cases[i].fits);
        assert_true(cases[i].fits ? (double)out == cases[i].value : out == -77);
        cJSON_Delete(node);
    }
    assert_false(json_to_int64(NULL, 0, 1, &(int64_t){ 0 }));
}

TEST(describes_values_in_a_few_bytes)
{
    cJSON *root = parse(TREE);
    JsonObject o = { root, "f" };
    char shown[JSON_SHOWN];

    assert_string_equal(json_show(json_member(o, "neg"), shown), "-3");
    assert_string_equal(json_show(json_member(o, "s"), shown), "\"x\"");
    assert_string_equal(json_show(json_member(o, "b"), shown), "true");
    assert_string_equal(json_show(json_member(o, "list"), shown), "a list");
    assert_string_equal(json_show(json_member(o, "o"), shown), "an object");
    assert_string_equal(json_show(NULL, shown), "nothing");
    cJSON_Delete(root);
    root =
        parse("{\"a\":\"123456789012345678901234567890123456789012345\",\"b\":\"1234567890123456789012345678901234567"
              "890123456\"}");
    o.node = root;
    assert_string_equal(json_show(json_member(o, "a"), shown), "\"123456789012345678901234567890123456789012345\"");
    assert_string_equal(json_show(json_member(o, "b"), shown), "a long string");
    cJSON_Delete(root);
}

TEST(reads_back_the_string_that_was_written)
{
    FREED_BY(buf_free) Buf out = { 0 };
    char text[130];
    cJSON *node;

    for (int i = 0; i < 127; i++) text[i] = (char)(i + 1);
    memcpy(text + 127, "\xc3\xa9", 3);
    json_put_string(&out, text, 129);
    for (size_t i = 0; i < out.len; i++) assert_true((unsigned char)out.data[i] >= 0x20);
    node = cJSON_ParseWithLength(out.data, out.len);
    assert_non_null(node);
    assert_string_equal(node->valuestring, text);
    buf_clear(&out);
    json_put_string(&out, "a\0\"\\/\x1f\x7f", 7);
    assert_string_equal(out.data, "\"a\\u0000\\\"\\\\/\\u001f\\u007f\"");
    buf_clear(&out);
    json_put_string(&out, "", 0);
    assert_string_equal(out.data, "\"\"");
    cJSON_Delete(node);
}

TESTS(test_json);
