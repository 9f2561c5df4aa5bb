/* test_family_tokenizer_golden.c - compares ids, languages and text of the multilingual and the T5 families with
 * transformers 4.57.1. References: scripts/reference/make_family_tokenizers.py. */
#include "golden_folders.h"

#include "model_support.h"
#include "path.h"
#include "tokenizer.h"
#include "tree_file.h"

#define ROOT   GOLDEN_ROOT "/family_tokenizers"
#define WINDOW 300

typedef struct {
    const char *folder;
    Tokenizer *tokenizer;
    char **lines; /* a window on the folder's lines */
} Case;

static char **all_lines; /* of lines.jsonl, and a final NULL */

static bool keep_line(void *context, size_t number, const cJSON *json)
{
    (void)context;
    all_lines = realloc(all_lines, (number + 1) * sizeof *all_lines);
    assert_non_null(all_lines);
    all_lines[number - 1] = strdup(cJSON_GetObjectItemCaseSensitive(json, "text")->valuestring);
    all_lines[number] = NULL;
    assert_non_null(all_lines[number - 1]);
    return true;
}

static int read_lines(void **state)
{
    (void)state;
    assert_true(golden_each_line(ROOT "/lines.jsonl", keep_line, NULL) > 1000);
    return 0;
}

static int free_lines(void **state)
{
    (void)state;
    for (size_t i = 0; all_lines[i]; i++) free(all_lines[i]);
    free(all_lines);
    return 0;
}

static const char *text_of(const cJSON *json, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
}

static int number_of(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key)->valueint;
}

/* Opens a folder with the languages of its choice.json, and checks their effect on the decoder. */
static Case open_case(const char *folder)
{
    Case c = { .folder = folder };
    FREED char *path = support_path(folder, "choice.json");
    cJSON *json;
    Err err;

    assert_ok(tree_file_read_json(&json, path, &err), &err);
    assert_ok(open_tokenizer(&c.tokenizer, folder, text_of(json, "model_type"), text_of(json, "from"),
                             text_of(json, "to"), &err),
              &err);
    assert_ok(tokenizer_check_languages(c.tokenizer, &err), &err);
    if (tokenizer_facts(c.tokenizer)->decoder_start != number_of(json, "decoder_start"))
        fail_msg("%s: decoder start %d", folder, (int)tokenizer_facts(c.tokenizer)->decoder_start);
    if (tokenizer_facts(c.tokenizer)->forced_bos != number_of(json, "forced_bos"))
        fail_msg("%s: forced bos %d", folder, (int)tokenizer_facts(c.tokenizer)->forced_bos);
    c.lines = all_lines + number_of(json, "first_line");
    cJSON_Delete(json);
    return c;
}

static void check_ids(const Case *c, const IdList *ids, const cJSON *want, const char *text)
{
    size_t i = 0;

    for (const cJSON *id = want->child; id; id = id->next, i++)
        if (i >= ids->len || ids->data[i] != id->valueint)
            fail_msg("%s: id %zu of %zu is not %d: \"%s\"", c->folder, i, ids->len, id->valueint, text);
    if (i != ids->len) fail_msg("%s: %zu ids, not %zu: \"%s\"", c->folder, ids->len, i, text);
}

/* Checks parts of one piece each: the special tokens and the language prefix surround every one of them. */
static void check_parts(const Case *c, const Encoding *whole, const char *text)
{
    size_t tail = whole->ids.len - whole->body - whole->pieces;
    FREED_BY(ids_free) IdList part = { 0 };
    Err err;

    for (size_t i = 0; i < whole->pieces && i < 3; i++) {
        assert_ok(tokenizer_encode_part(whole, i, 1, &part, &err), &err);
        if (part.len != whole->body + 1 + tail ||
            memcmp(part.data, whole->ids.data, whole->body * sizeof *part.data) != 0 ||
            part.data[whole->body] != whole->ids.data[whole->body + i] ||
            memcmp(part.data + whole->body + 1, whole->ids.data + whole->ids.len - tail, tail * sizeof *part.data) != 0)
            fail_msg("%s: part %zu of \"%s\"", c->folder, i, text);
    }
}

/* Checks that there is a range for each id, that they lie in `len` bytes, and that none ends before the one before
 * it. */
static void check_ranges(const Case *c, const Range *ranges, size_t count, size_t ids, size_t len, const char *text)
{
    size_t last = 0;

    if (count != ids) fail_msg("%s: %zu ranges for %zu ids: \"%s\"", c->folder, count, ids, text);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].begin > ranges[i].end || ranges[i].end > len || ranges[i].end < last)
            fail_msg("%s: range %zu is [%zu, %zu): \"%s\"", c->folder, i, ranges[i].begin, ranges[i].end, text);
        last = ranges[i].end;
    }
}

static bool check_encode_line(void *context, size_t number, const cJSON *json)
{
    const Case *c = context;
    const char *text = c->lines[number - 1];
    RangeList ranges = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { .ranges = number % 2 ? &ranges : NULL };
    Err err;

    assert_ok(tokenizer_encode(c->tokenizer, text, strlen(text), &encoding, &err), &err);
    check_ids(c, &encoding.ids, cJSON_GetObjectItemCaseSensitive(json, "ids"), text);
    check_parts(c, &encoding, text);
    if (encoding.ranges) check_ranges(c, ranges.data, ranges.len, encoding.ids.len, strlen(text), text);
    ranges_free(&ranges);
    return true;
}

static bool check_decode_line(void *context, size_t number, const cJSON *json)
{
    const Case *c = context;
    const char *want = text_of(json, "text");
    Range ranges[1024];
    FREED_BY(ids_free) IdList ids = { 0 };
    FREED_BY(buf_free) Buf text = { 0 };
    Err err;
    JsonReader r = { { json, c->folder }, &err, OK };

    json_read_ids(&r, "ids", 0, INT32_MAX, &ids);
    assert_ok(r.st, &err);
    assert_true(ids.len <= COUNT(ranges));
    assert_ok(tokenizer_decode(c->tokenizer, ids.data, ids.len, &text, number % 2 ? ranges : NULL, &err), &err);
    if (strcmp(text.data ? text.data : "", want) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", c->folder, text.data ? text.data : "", want);
    if (number % 2) check_ranges(c, ranges, ids.len, ids.len, text.len, want);
    return true;
}

static void check_folder(const char *folder)
{
    FREED char *encode = support_path(folder, "encode.jsonl"), *decode = support_path(folder, "decode.jsonl");
    Case c;

    if (path_is_directory(folder)) {
        c = open_case(folder);
        assert_int_equal(golden_each_line(encode, check_encode_line, &c), WINDOW);
        assert_true(golden_each_line(decode, check_decode_line, &c) > 100);
        tokenizer_free(c.tokenizer);
    }
}

TEST(encodes_hard_texts_and_decodes_every_id_like_transformers_in_every_family)
{
    golden_each_folder(ROOT, check_folder);
}

TESTS_WITH(test_family_tokenizer_golden, read_lines, free_lines);
