/* test_separators.c - document/separators.c: what divides the texts of menus, paths and lists. */
#include "test_support.h"

#include <string.h>

#include "buf.h"
#include "separators.h"

/* In `expected`, { and } are around the separators that must be found. */
static void check(const char *expected)
{
    RangeList found = { 0 };
    Buf text = { 0 }, marked = { 0 };
    size_t at = 0;
    Err err;

    for (const char *c = expected; *c; c++)
        if (*c != '{' && *c != '}') buf_put(&text, c, 1);
    assert_ok(separators_find(&found, text.data, text.len, &err), &err);
    for (size_t i = 0; i < found.len; i++) {
        const Range range = found.data[i];
        buf_put(&marked, text.data + at, range.begin - at);
        buf_put_format(&marked, "{%.*s}", (int)(range.end - range.begin), text.data + range.begin);
        at = range.end;
    }
    buf_put(&marked, text.data + at, text.len - at);
    buf_put_byte(&marked, '\0');
    assert_string_equal(marked.data, expected);
    ranges_free(&found);
    buf_free(&text);
    buf_free(&marked);
}

static void check_all(const char *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) check(cases[i]);
}

static void bars_and_bullets_divide_texts(void **state)
{
    static const char *const cases[] = {
        "Home {|} Books {|} Contact us",
        "{|} Home {|} News {|}",
        "Home {\xc2\xb7} Books",            /* U+00B7 */
        "Products {\xe2\x80\xa2} Services", /* U+2022 */
        "Home\xc2\xa0{|}\xc2\xa0News",      /* between no-break spaces */
        "home  {||}\tnews",
        "A {|} B {|} C",
        "Page {|} 5 {|} Next page",
        "Choose Windows {|} Test Explorer.",
        "The train leaves. Home {|} Books. We wait.",
        "yes|no or x | y is", /* letters are operands */
        "P(A | B) is a formula",
        "G \xc2\xb7 M1M2 is one", /* as are dots between them */
        "5 \xc2\xb7 3 apples",
        "Home| News |Books",
    };

    (void)state;
    check_all(cases, COUNT(cases));
}

static void arrows_divide_paths(void **state)
{
    static const char *const cases[] = {
        "Tools {>} Options {>} Network",
        "Open Tools {>} Options to change the name.",
        "View {>} Editor columns {>} 2 columns",
        "home {>} products {>} shoes",
        "Settings {->} Update {=>} Windows",
        "Settings {\xe2\x86\x92} Network", /* U+2192 */
        "Start {\xc2\xbb} News",
        "Read more {\xe2\x86\x92}",
        "{>} I do not know.",
        "{\xc2\xab} Back {|} 1 {|} Next {\xc2\xbb}",
        "x > 5",
        "If the width > 100 pixels, scroll.",
        "if width > height then",
        "If P > X, go.",
        "a >= b and Bob <= Carl",
        "\xc2\xab Bonjour \xc2\xbb he said",
    };

    (void)state;
    check_all(cases, COUNT(cases));
}

static void dashes_and_slashes_divide_labels_only(void **state)
{
    static const char *const cases[] = {
        "File {/} Edit {/} View",
        "Home {-} News {-} Contact us",
        "Monday {\xe2\x80\x93} Friday", /* U+2013 */
        "Chapter 6 {-} Flow control",
        "Home {|} News {-} Sports",
        "He came - and left.",
        "The cat - a big one - sleeps",
        "5 - 3",
        "and / or",
        "his / her",
        "- Item",
        "Wait - what?",
        "\xe2\x80\x9cYes.\xe2\x80\x9d \xe2\x80\x93 \xe2\x80\x9cNo.\xe2\x80\x9d",
        "Something much longer than a label - News",
        "Minimum length - Enter the minimum number of characters",
    };

    (void)state;
    check_all(cases, COUNT(cases));
}

static void placeholders_are_words_of_paths(void **state)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {
        { "Home > {N} > Settings", 2 },
        { "{N} > Settings", 1 },
        { "%s > Settings", 1 },
        { "{0} > Settings", 1 },
        { "Settings > %1 > {name} > Network", 3 },
        { "%1$s | {0}", 1 },
        { "${n} \xe2\x86\x92 Network", 1 },
        { "{n} > 5", 0 },
        { "If the width > {max}, scroll.", 0 },
        { "5 > {n}", 0 },
        { "100% > all", 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        RangeList found = { 0 };
        Err err;
        assert_ok(separators_find(&found, cases[i].text, strlen(cases[i].text), &err), &err);
        if (found.len != cases[i].count) fail_msg("%s: %zu separators", cases[i].text, found.len);
        ranges_free(&found);
    }
    assert_false(separators_divide_text("%s", (Range){ 0, 2 }));
}

static void what_is_left_between_separators_is_translated_if_it_has_words(void **state)
{
    (void)state;
    assert_true(separators_divide_text("Hi", (Range){ 0, 2 }));
    assert_true(separators_divide_text("I am", (Range){ 0, 4 }));
    assert_true(separators_divide_text("\xe6\x97\xa5", (Range){ 0, 3 }));
    assert_false(separators_divide_text("A", (Range){ 0, 1 }));
    assert_false(separators_divide_text("2,024", (Range){ 0, 5 }));
    assert_false(separators_divide_text("", (Range){ 0, 0 }));
}

TEST_FILE(test_separators)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_and_bullets_divide_texts),
        cmocka_unit_test(arrows_divide_paths),
        cmocka_unit_test(dashes_and_slashes_divide_labels_only),
        cmocka_unit_test(placeholders_are_words_of_paths),
        cmocka_unit_test(what_is_left_between_separators_is_translated_if_it_has_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
