/* test_indic_text.c - compares the text steps of IndicTrans2 with IndicTransToolkit. References:
 * scripts/reference/make_indictrans_goldens.py. */
#include "golden_folders.h"

#include "indic_text.h"

static const char *text_of(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key)->valuestring;
}

/* Checks that origins are in order and in the text. */
static void check_map(const RangeList *map, size_t count, size_t len, const char *text)
{
    assert_int_equal(map->len, count);
    for (size_t i = 0; i < count; i++)
        if (map->data[i].begin > map->data[i].end || map->data[i].end > len ||
            (i && (map->data[i].begin < map->data[i - 1].begin || map->data[i].end < map->data[i - 1].end)))
            fail_msg("byte %zu comes from [%zu, %zu): \"%s\"", i, map->data[i].begin, map->data[i].end, text);
}

static bool check_line(void *context, size_t number, const cJSON *json)
{
    const Moses *moses = context;
    const char *text = text_of(json, "text"), *decoded = text_of(json, "decoded");
    const size_t half = strlen(decoded) / 2;
    Range ranges[] = { { 1, 1 + half }, { 1 + half, 1 + strlen(decoded) } };
    FREED_BY(ranges_free) RangeList map = { 0 };
    FREED_BY(buf_free) Buf prepared = { 0 }, replaced = { 0 }, restored = { 0 };
    Err err;

    assert_ok(indic_text_prepare(moses, text_of(json, "language"), text, strlen(text), &prepared, &replaced,
                                 number % 2 ? &map : NULL, &err),
              &err);
    if (strcmp(prepared.data ? prepared.data : "", text_of(json, "prepared")) != 0)
        fail_msg("%s: \"%s\" becomes \"%s\", not \"%s\"", text_of(json, "language"), text, prepared.data,
                 text_of(json, "prepared"));
    if (number % 2) check_map(&map, prepared.len, strlen(text), text);
    buf_put_format(&restored, ">%s", decoded);
    assert_ok(indic_text_restore(moses, text_of(json, "target"), &replaced, &restored, 1, ranges, 2, &err), &err);
    if (strcmp(restored.data + 1, text_of(json, "restored")) != 0)
        fail_msg("%s: \"%s\" becomes \"%s\", not \"%s\"", text_of(json, "target"), decoded, restored.data + 1,
                 text_of(json, "restored"));
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (ranges[i].begin < (i ? ranges[0].end : 1) || ranges[i].begin > ranges[i].end ||
            ranges[i].end > restored.len)
            fail_msg("range %zu is [%zu, %zu): \"%s\"", i, ranges[i].begin, ranges[i].end, restored.data);
    return true;
}

TEST(reads_and_writes_the_scripts_of_india_like_the_toolkit)
{
    Moses *moses;
    Err err;

    (void)state;
    assert_ok(moses_new(&moses, MOSES_WORDS | MOSES_PLAIN | MOSES_TEXT, "en", false, &err), &err);
    assert_true(golden_each_line(GOLDEN_ROOT "/indic_text/lines.jsonl", check_line, moses) >= 300);
    moses_free(moses);
}

static void check(const char *language, const char *text, const char *wanted, const char *parts)
{
    FREED_BY(buf_free) Buf prepared = { 0 }, replaced = { 0 };
    Err err;

    assert_ok(indic_text_prepare(NULL, language, text, strlen(text), &prepared, &replaced, NULL, &err), &err);
    assert_string_equal(prepared.data, wanted);
    for (size_t i = 0; i < replaced.len; i++)
        if (!replaced.data[i]) replaced.data[i] = ' ';
    assert_string_equal(replaced.data ? replaced.data : "", parts);
}

/* The toolkit numbers these in random order. */
TEST(numbers_the_parts_of_a_text_in_their_order)
{
    check("hin_Deva", "12:30 \u0938\u0947 14:45 \u0914\u0930 12:30",
          "< ID1 > \u0938\u0947 < ID2 > \u0914\u0930 < ID1 >", "12:30 14:45 ");
    check("tam_Taml", "b.org/x a@b.in 10.50", "< ID2 > < ID1 > < ID3 >", "a@b.in b.org/x 10.50 ");
    (void)state;
}

/* indic-nlp-library-itt 0.1.1 damages these texts. */
TEST(keeps_times_and_letters_with_a_nukta)
{
    check("hin_Deva", "5:30 \u092c\u091c\u0947", "5:30 \u092c\u091c\u0947", "");
    check("hin_Deva", "\u0932\u095c\u0915\u093e", "\u0932\u0921\u093c\u0915\u093e", "");
    check("ben_Beng", "\u09a6\u09df\u09be:", "\u0926\u092f\u093c\u093e\u0903", "");
    (void)state;
}

/* Only the first 256 parts are replaced, and the time is linear. */
TEST(reads_a_long_line_of_numbers_soon)
{
    const size_t count = 20000;
    FREED_BY(buf_free) Buf text = { 0 }, prepared = { 0 }, replaced = { 0 };
    size_t parts = 0;
    Err err;

    for (size_t i = 0; i < count; i++) buf_put_format(&text, "%zu.%zu ", i + 100, i);
    for (size_t i = 0; i < count; i++) buf_put_text(&text, "1a-");
    assert_ok(indic_text_prepare(NULL, "hin_Deva", text.data, text.len, &prepared, &replaced, NULL, &err), &err);
    for (size_t i = 0; i < replaced.len; i++) parts += !replaced.data[i];
    assert_int_equal(parts, 256);
    (void)state;
}

/* Each part has two names of the next one in it: with these, the text would double 200 times. */
TEST(puts_parts_back_without_reading_them_again)
{
    FREED_BY(buf_free) Buf text = { 0 }, replaced = { 0 };
    Err err;

    for (size_t i = 1; i <= 200; i++) {
        buf_put_format(&replaced, "\u0906\u0908\u0921\u0940%zu.\u0906\u0908\u0921\u0940%zu", i + 1, i + 1);
        buf_put_byte(&replaced, '\0');
    }
    buf_put_text(&text, "<ID1> [ ID2 ]");
    assert_ok(indic_text_restore(NULL, "hin_Deva", &replaced, &text, 0, NULL, 0, &err), &err);
    assert_string_equal(text.data, "\u0906\u0908\u0921\u09402.\u0906\u0908\u0921\u09402 "
                                   "\u0906\u0908\u0921\u09403.\u0906\u0908\u0921\u09403");
    (void)state;
}

TESTS(test_indic_text);
