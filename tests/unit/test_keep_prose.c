/* test_keep_prose.c - what documents keep of the prose in tests/golden/sentences, lines in four languages that a
 * person wrote: addresses, names of files and symbols, and nothing else. */
#include "test_support.h"

#include "buf.h"
#include "keep_rules.h"

/* Appends the items of the line, each followed by a blank. */
static void append_items(Buf *out, const KeepRules *rules, const char *line, size_t length)
{
    const UnitText text = { .text = line, .length = length };
    RangeList list = { 0 };
    Err err;

    assert_ok(keep_rules_find_in_unit(rules, &text, &list, &err), &err);
    for (size_t i = 0; i < list.len; i++) {
        const Range range = list.data[i];
        buf_put_format(out, "%.*s ", (int)(range.end - range.begin), line + range.begin);
    }
    ranges_free(&list);
}

static void check_file(const KeepRules *rules, const char *name, const char *expected)
{
    char *path = support_format(GOLDEN_ROOT "/sentences/%s.txt", name);
    char *file = support_read_file(path, NULL);
    Buf items = { 0 };
    size_t lines = 0;

    buf_put(&items, "", 0);
    for (const char *at = file; *at; lines++) {
        const size_t length = strcspn(at, "\n");
        append_items(&items, rules, at, length);
        at += length + (at[length] == '\n');
    }
    assert_true(lines >= 70);
    assert_string_equal(items.data, expected);
    buf_free(&items);
    free(file);
    free(path);
}

static void keeps_nothing_of_the_words_of_prose(void **state)
{
    static const char *const files[][2] = {
        { "en.1", "https://example.com/files/v1.2.3/setup.exe?x=1&y=2 config.json support@example.com Node.js " },
        { "en.2", "www.example.org report.final.pdf C:\\Temp 😀 " },
        { "de.1", "https://www.example.de/download/v2.1/setup.exe info@example.de config.ini " },
        { "de.2", "§ 😀 " },
        { "fr.1", "https://www.exemple.fr/v1.2.3/index.html?a=b info@exemple.fr config.json " },
        { "fr.2", "www.exemple.org rapport.final.pdf 😀 ° " },
        { "es.1", "https://www.ejemplo.es/v1.2.3/index.html?a=b info@ejemplo.es config.json " },
        { "es.2", "😀 www.ejemplo.org informe.final.pdf " },
    };
    KeepRules *rules;
    Err err;

    (void)state;
    assert_ok(keep_rules_new(&rules, &err), &err);
    assert_ok(keep_rules_add_patterns(rules, &err), &err);
    for (size_t i = 0; i < COUNT(files); i++) check_file(rules, files[i][0], files[i][1]);
    keep_rules_free(rules);
}

TEST_FILE(test_keep_prose)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_nothing_of_the_words_of_prose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
