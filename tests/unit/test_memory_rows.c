/* test_memory_rows.c - rows, parts and entries of a translation memory. */
#include "test_support.h"

#include "memory_map.h"
#include "memory_parts.h"
#include "memory_tsv.h"

static const MemoryText none = { "", 0 };

static MemoryText text_of(const char *text)
{
    return (MemoryText){ text, strlen(text) };
}

static void assert_text(MemoryText text, const char *expected)
{
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.text, expected, text.length);
}

/* A memory in tsv. */
typedef struct {
    MemoryMap *map;
    char *bytes;
    MemoryTsvEnd end;
} Tsv;

static Status read_tsv(Tsv *tsv, const char *text, Err *err)
{
    const size_t size = strlen(text);

    assert_ok(memory_map_new(&tsv->map, err), err);
    tsv->bytes = support_alloc(size + 1);
    memcpy(tsv->bytes, text, size);
    return memory_tsv_read(tsv->map, "m.tsv", tsv->bytes, size, &tsv->end, err);
}

static void tsv_free(Tsv *tsv)
{
    memory_map_free(tsv->map);
    free(tsv->bytes);
}

static void assert_refused(const char *text, const char *message)
{
    Tsv tsv;
    Err err;

    assert_int_equal(read_tsv(&tsv, text, &err), ERR_FORMAT);
    assert_string_equal(err.text, message);
    tsv_free(&tsv);
}

/* The entry of a person between these languages; NULL: none. */
static char *find_given(const Tsv *tsv, const char *source, const char *from, const char *to)
{
    const MemoryQuery query = { from, to, 0, text_of(source), none };
    MemoryText target;

    if (!memory_map_find_given(tsv->map, &query, &target)) return NULL;
    return support_format("%.*s", (int)target.length, target.text);
}

static void assert_given(const Tsv *tsv, const char *source, const char *from, const char *to, const char *expected)
{
    char *found = find_given(tsv, source, from, to);

    if (expected && !found) fail_msg("%s: not found", source);
    if (expected)
        assert_string_equal(found, expected);
    else
        assert_null(found);
    free(found);
}

static void reads_rows_by_people_as_they_are(void **state)
{
    Tsv tsv;
    Err err;

    (void)state;
    assert_ok(read_tsv(&tsv,
                       "\xef\xbb\xbf"
                       "A\tB\\n\r\n\n"
                       "C:\\temp\tD\nE\t\n\tF\nA\tlast\nG\tH",
                       &err),
              &err);
    assert_given(&tsv, "A", "en", "de", "last");
    assert_given(&tsv, "C:\\temp", NULL, NULL, "D");
    assert_given(&tsv, "E", NULL, NULL, NULL);
    assert_given(&tsv, "G", NULL, NULL, "H");
    assert_int_equal(memory_map_count(tsv.map), 3);
    assert_true(tsv.end.lacks_newline);
    assert_int_equal(tsv.end.torn_line, 0);
    tsv_free(&tsv);
}

static void texts_of_rows_are_single_lines(void **state)
{
    Tsv tsv;
    Err err;

    (void)state;
    assert_ok(read_tsv(&tsv,
                       "A\tB\r\r\n"
                       "\rC\tno\rno\n"
                       "\ten\tde\tD\\r\tE\\rF\\n\t\n"
                       "\ten\tde\tG\tH\r\t\n"
                       "\ten\tde\tI\t\\r\\n\n",
                       &err),
              &err);
    assert_given(&tsv, "A", "en", "de", "B");
    assert_given(&tsv, "C", "en", "de", "no no");
    assert_given(&tsv, "D", "en", "de", "E F");
    assert_given(&tsv, "G", "en", "de", "H");
    assert_given(&tsv, "I", "en", "de", NULL);
    tsv_free(&tsv);
}

static void rows_by_dragoman_come_back_as_they_were(void **state)
{
    static const char source[] = "a\tb\\n\r\\t", target[] = "\\x\ty\n";
    const MemoryRow row = { true,
                            0x0123456789abcdef,
                            text_of("en"),
                            text_of("zh-Hant"),
                            text_of(source),
                            text_of(target),
                            text_of("k0-1=0-1") };
    Buf out = { 0 };
    MemoryRow again;
    Err err;

    (void)state;
    assert_ok(memory_row_append(&out, &row, &err), &err);
    assert_string_equal(out.data, "#0123456789abcdef\ten\tzh-Hant\ta\\tb\\\\n\\r\\\\t\t\\\\x\\ty\\n\tk0-1=0-1\n");
    assert_ok(memory_row_read(&again, out.data, out.len - 1, &err), &err);
    assert_true(again.is_made);
    assert_true(again.identity == row.identity);
    assert_text(again.from, "en");
    assert_text(again.to, "zh-Hant");
    assert_text(again.source, source);
    assert_text(again.target, target);
    assert_text(again.parts, "k0-1=0-1");
    buf_free(&out);
}

static void refuses_what_is_not_a_row(void **state)
{
    (void)state;
    assert_refused("A\tB\nonly one\n", "m.tsv:2: a row must have the columns SOURCE and TARGET, or five or six "
                                       "columns; this one has 1");
    assert_refused("A\tB\tC\n", "m.tsv:1: a row must have the columns SOURCE and TARGET, or five or six columns; this "
                                "one has 3");
    assert_refused("\ten\tde\tA\tB\t\tC\n", "m.tsv:1: a row must have the columns SOURCE and TARGET, or five or six "
                                            "columns; this one has 7");
    assert_refused("#12\ten\tde\tA\tB\n",
                   "m.tsv:1: the first of several columns must be empty, or # and 16 hexadecimal digits");
    assert_refused("\ten\tGerman, Austria\tA\tB\n",
                   "m.tsv:1: columns 2 and 3 must be codes of languages, such as de or pt-BR, or empty");
    assert_refused("A\tB\xff\n", "m.tsv:1: not valid UTF-8, or a NUL byte");
}

/* Every beginning of a row by dragoman is dropped, and no row by a person. */
static void drops_a_torn_last_row(void **state)
{
    static const char whole[] = "A\tB\n#0123456789abcdef\ten\tde\tC\tD\n";
    static const char *const given[] = { "A\tB\n#hash\ttag", "A\tB\n#0123456789abcdef0\tB" };
    Tsv tsv;
    Err err;

    (void)state;
    for (size_t size = 5; size < sizeof whole - 2; size++) {
        char *part = support_format("%.*s", (int)size, whole);
        assert_ok(read_tsv(&tsv, part, &err), &err);
        assert_int_equal(tsv.end.torn_line, 2);
        assert_int_equal(tsv.end.complete, 4);
        assert_int_equal(memory_map_count(tsv.map), 1);
        tsv_free(&tsv);
        free(part);
    }
    for (size_t i = 0; i < COUNT(given); i++) {
        assert_ok(read_tsv(&tsv, given[i], &err), &err);
        assert_int_equal(tsv.end.torn_line, 0);
        assert_int_equal(memory_map_count(tsv.map), 2);
        tsv_free(&tsv);
    }
}

static void entries_fit_the_languages(void **state)
{
    Tsv tsv;
    Err err;

    (void)state;
    assert_ok(
        read_tsv(&tsv, "\ten_US\tpt-PT\tA\tPT\n\ten\tpt-BR\tA\tBR\n\ten\tde\tA\tDE\nA\tany\n\tfr\tde\tB\tB2\n", &err),
        &err);
    assert_given(&tsv, "A", "en", "pt-BR", "BR");
    assert_given(&tsv, "A", "en-GB", "PT-pt", "PT");
    assert_given(&tsv, "A", "en", "de", "DE");
    assert_given(&tsv, "A", NULL, "de", "DE");
    assert_given(&tsv, "A", NULL, NULL, "PT"); /* the first languages */
    assert_given(&tsv, "A", "fr", "it", "any");
    assert_given(&tsv, "B", "en", "de", NULL);
    assert_given(&tsv, "B", NULL, "de", "B2");
    tsv_free(&tsv);
}

/* Other programs write scripts that are usual, and codes with three letters. */
static void a_script_that_is_usual_may_be_named(void **state)
{
    Tsv tsv;
    Err err;

    (void)state;
    assert_ok(read_tsv(&tsv,
                       "\teng-Latn\tsr-Cyrl-RS\tA\tcyrillic\n\ten\tsr-Latn-RS\tA\tlatin\n\ten\tuz-Latn-UZ\tA\tUZ\n"
                       "\ten\tsr-Latn-ME\tB\tlatin\n\ten\tsr-Cyrl-ME\tC\tcyrillic\n\ten\tpa-Arab-PK\tA\tarabic\n"
                       "\ten\tde\tA\tfirst\n\teng\tdeu\tA\tlast\n\ten\tzh-Hant-TW\tA\ttraditional\n\ten\tzh-"
                       "Hans\tA\tsimplified\n\tx-mine\tde\tA\tmine\n",
                       &err),
              &err);
    assert_given(&tsv, "A", "en", "sr", "cyrillic");
    assert_given(&tsv, "A", "en", "sr-Latn", "latin");
    assert_given(&tsv, "A", "en", "uz", "UZ");
    assert_given(&tsv, "A", "en", "zh", "simplified");
    assert_given(&tsv, "A", "en", "zh-Hant", "traditional");
    assert_given(&tsv, "A", "en", "zh-TW", "traditional");
    assert_given(&tsv, "A", "en", "uz-Cyrl", NULL);
    assert_given(&tsv, "B", "en", "sr", NULL);
    assert_given(&tsv, "B", "en", "sr-Latn", "latin");
    assert_given(&tsv, "C", "en", "sr", "cyrillic");
    assert_given(&tsv, "A", "en", "pa", NULL);
    assert_given(&tsv, "A", "en", "pa-Arab", "arabic");
    assert_given(&tsv, "A", "en", "de", "last");
    assert_given(&tsv, "A", "x-mine", "de", "mine");
    tsv_free(&tsv);
}

static bool find_made(const Tsv *tsv, uint64_t identity, const char *from, const char *parts)
{
    const MemoryQuery query = { from, "de", identity, text_of("A"), text_of(parts) };
    MemoryText target, found;

    if (!memory_map_find_made(tsv->map, &query, &target, &found)) return false;
    assert_text(target, "B");
    return true;
}

static void entries_by_dragoman_need_the_same_identity_languages_and_parts(void **state)
{
    Tsv tsv;
    Err err;

    (void)state;
    assert_ok(read_tsv(&tsv, "#000000000000002a\ten\tde\tA\tB\tk0-1=0-1 s0-1^0=0-1\n", &err), &err);
    assert_true(find_made(&tsv, 42, "en", "k0-1 s0-1^0"));
    assert_false(find_made(&tsv, 43, "en", "k0-1 s0-1^0"));
    assert_false(find_made(&tsv, 42, "fr", "k0-1 s0-1^0"));
    assert_false(find_made(&tsv, 42, "en", "k0-1"));
    assert_false(find_made(&tsv, 42, "en", "k0-1 s0-1^0 e0-0"));
    assert_false(find_made(&tsv, 42, "en", ""));
    assert_given(&tsv, "A", "en", "de", NULL);
    tsv_free(&tsv);
}

static void finds_each_of_many_entries(void **state)
{
    enum { ENTRIES = 20000 };
    Buf text = { 0 };
    Tsv tsv;
    Err err;

    (void)state;
    for (int i = 0; i < ENTRIES; i++) buf_put_format(&text, "s%d\tt%d\n", i, i);
    assert_ok(read_tsv(&tsv, text.data, &err), &err);
    assert_int_equal(memory_map_count(tsv.map), ENTRIES);
    for (int i = 0; i < ENTRIES; i++) {
        char *source = support_format("s%d", i), *target = support_format("t%d", i);
        assert_given(&tsv, source, "en", "de", target);
        free(source);
        free(target);
    }
    assert_given(&tsv, "s", "en", "de", NULL);
    tsv_free(&tsv);
    buf_free(&text);
}

static void refuses_too_many_languages(void **state)
{
    Buf text = { 0 };
    Tsv tsv;
    Err err;

    (void)state;
    for (int i = 0; i < 300; i++) buf_put_format(&text, "\tl%d\tde\tA\tB\n", i);
    assert_int_equal(read_tsv(&tsv, text.data, &err), ERR_FORMAT);
    assert_string_equal(err.text, "m.tsv:256: more than 256 languages are not supported");
    tsv_free(&tsv);
    buf_free(&text);
}

/* A text with a kept part, a span in a span, an empty element and the mark of an accelerator. */
static const Range kept[] = { { 0, 3 } };
static const Markup markup[] = { { .parent = MARKUP_ROOT, .text = { 4, 9 } },
                                 { .parent = 0, .text = { 4, 6 } },
                                 { .parent = 0, .is_empty = true, .text = { 6, 6 } },
                                 { .parent = MARKUP_ROOT, .is_empty = true, .text = { 10, 10 } } };
static const UnitText unit = { .text = "KEY bcdef g",
                               .length = 11,
                               .kept = kept,
                               .kept_count = 1,
                               .markup = markup,
                               .markup_count = 4,
                               .accelerator = 4 };

static void parts_come_back_as_they_were(void **state)
{
    static const Range places[] = { { 0, 5 }, { 3, 5 }, { 2, 2 }, { 9, 9 } };
    const Span place = { .source = { 0, 3 }, .place = { 6, 9 } };
    const Rendering made = { "hijkl KEY", 9, places, &place, 1 };
    const HashKey hash_key = { { 1, 2 } };
    Range found_kept[1], found[4];
    Buf out = { 0 }, key = { 0 };
    Err err;

    (void)state;
    assert_ok(memory_parts_append(&out, &unit, &made, &err), &err);
    assert_string_equal(out.data, "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9");
    assert_ok(memory_parts_append(&key, &unit, NULL, &err), &err);
    assert_string_equal(key.data, "k0-3 s4-9 s4-6^0 e6-6^0 a10-10");
    assert_true(memory_parts_same(text_of(key.data), text_of(out.data)));
    assert_true(memory_parts_hash(text_of(key.data), hash_key) == memory_parts_hash(text_of(out.data), hash_key));
    assert_true(memory_parts_hash(text_of("k0-3"), hash_key) != memory_parts_hash(text_of("k0-3 k0-3"), hash_key));
    assert_true(memory_parts_read(text_of(out.data), &unit, text_of("hijkl KEY"), found_kept, found));
    assert_memory_equal(&found_kept[0], &place.place, sizeof place.place);
    assert_memory_equal(found, places, sizeof places);
    buf_free(&out);
    buf_free(&key);
}

static void refuses_places_that_cannot_be(void **state)
{
    static const char *const wrong[] = {
        "",
        "k0-3=6-9",
        "k0-3=5-8 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9",                       /* other bytes */
        "k0-3=6-9 s4-9=0-10 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9",                      /* after the end */
        "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-3 a10-10=9-9",                       /* not empty */
        "k0-3=6-9 s4-9=5-0 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9",                       /* reversed */
        "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9 s0-1=0-1",              /* one too many */
        "k0-3=6-9 s4-9=0-5 s4-6^0=3-5 e6-6^0=2-2 a10-10=9",                         /* no end */
        "k0-3=6-9 s4-9=0-99999999999999999999999 s4-6^0=3-5 e6-6^0=2-2 a10-10=9-9", /* too large */
    };
    Range found_kept[1], found[4];

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (memory_parts_read(text_of(wrong[i]), &unit, text_of("hijkl KEY"), found_kept, found))
            fail_msg("accepts %s", wrong[i]);
    assert_false(memory_parts_read(text_of("k0-3=6-9 s4-9=0-1 s4-6^0=0-0 e6-6^0=0-0 a10-10=9-9"), &unit,
                                   text_of("\xc3\xa4xxx KEY"), found_kept, found)); /* in a character */
}

static void finds_kept_parts_in_the_translation_of_a_person(void **state)
{
    static const Range parts[] = { { 0, 1 }, { 2, 3 }, { 4, 6 } };
    const UnitText text = { .text = "a a bc", .length = 6, .kept = parts, .kept_count = 3 };
    Range found[3];

    (void)state;
    assert_true(memory_parts_find_kept(&text, text_of("bbc a-a"), found));
    assert_int_equal(found[0].begin, 4);
    assert_int_equal(found[1].begin, 6);
    assert_int_equal(found[2].begin, 1);
    assert_false(memory_parts_find_kept(&text, text_of("bc a"), found));
    assert_false(memory_parts_find_kept(&text, text_of(""), found));
    assert_false(memory_parts_read(text_of("k0-1=0-1 k2-3=0-1 k4-6=2-4"), &text, text_of("a bc"), found, NULL));
    assert_true(memory_parts_read(text_of("k0-1=5-6 k2-3=0-1 k4-6=2-4"), &text, text_of("a bc a"), found, NULL));
}

TEST_FILE(test_memory_rows)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows_by_people_as_they_are),
        cmocka_unit_test(texts_of_rows_are_single_lines),
        cmocka_unit_test(rows_by_dragoman_come_back_as_they_were),
        cmocka_unit_test(refuses_what_is_not_a_row),
        cmocka_unit_test(drops_a_torn_last_row),
        cmocka_unit_test(entries_fit_the_languages),
        cmocka_unit_test(a_script_that_is_usual_may_be_named),
        cmocka_unit_test(entries_by_dragoman_need_the_same_identity_languages_and_parts),
        cmocka_unit_test(finds_each_of_many_entries),
        cmocka_unit_test(refuses_too_many_languages),
        cmocka_unit_test(parts_come_back_as_they_were),
        cmocka_unit_test(refuses_places_that_cannot_be),
        cmocka_unit_test(finds_kept_parts_in_the_translation_of_a_person),
    };

    return cmocka_run_group_tests_name("memory rows", tests, NULL, NULL);
}
