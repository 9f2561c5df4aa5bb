/* test_cells.c - tests of cli/progress/cells.h. */
#include "test_support.h"

#include "progress_text.h"

static void counts_the_cells_of_each_kind_of_character(void **state)
{
    static const struct {
        const char *text;
        size_t cells;
    } rows[] = {
        { "", 0 },
        { "guide.txt", 9 },
        { "\u00e9t\u00e9", 3 },
        { "e\u0301te\u0301", 3 },    /* combining accents */
        { "\u6f22\u5b57", 4 },       /* Chinese */
        { "\uff21", 2 },             /* a full-width A */
        { "\uff76", 1 },             /* a half-width katakana */
        { "\uac00", 2 },             /* a Korean syllable */
        { "\u1100\u1161\u11a8", 2 }, /* the same syllable kind, letter by letter */
        { "\U0001F600", 2 },         /* an emoji */
        { "a\u200bb", 2 },           /* a zero width space */
        { "a\tb\x1b[2J", 7 },        /* control characters become '?' */
        { "a\xff\xc3", 3 },          /* invalid bytes, too */
        { "\u0e01\u0e34", 1 },       /* a Thai vowel above its consonant */
        { "\u202eabc", 3 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) assert_int_equal(cells_count(rows[i].text), rows[i].cells);
}

static void shortens_a_text_at_its_beginning(void **state)
{
    static const struct {
        const char *text;
        size_t width;
        const char *expected;
    } rows[] = {
        { "guide.txt", 9, "guide.txt" },
        { "guide.txt", 8, "\u2026ide.txt" },
        { "guide.txt", 2, "\u2026t" },
        { "guide.txt", 1, "\u2026" },
        { "guide.txt", 0, "" },
        { "", 0, "" },
        { "\u6f22\u5b57.txt", 8, "\u6f22\u5b57.txt" },
        { "\u6f22\u5b57.txt", 7, "\u2026\u5b57.txt" },
        { "\u6f22\u5b57.txt", 6, "\u2026.txt" }, /* half a character cannot be shown */
        { "ae\u0301.txt", 5, "\u2026.txt" },     /* nor an accent without its letter */
        { "a\nb\x1b[2J\xff", 20, "a?b?[2J?" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf out = { 0 };
        Err err;

        assert_ok(cells_append_end(&out, rows[i].text, rows[i].width, &err), &err);
        assert_string_equal(out.data ? out.data : "", rows[i].expected);
        buf_free(&out);
    }
}

TEST_FILE(test_cells)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_the_cells_of_each_kind_of_character),
        cmocka_unit_test(shortens_a_text_at_its_beginning),
    };

    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
