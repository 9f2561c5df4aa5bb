/* test_keep_patterns.c - document/keep/keep_patterns.c: what documents keep by default. */
#include "keep_cases.h"

#include <time.h>

#include "keep_patterns.h"

/* Each by itself, because another pattern could hide one that matches nothing. */
TEST(patterns_match_their_examples)
{
    Err err;

    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        KeepRules *rules = keep_cases_rules();
        assert_ok(keep_rules_add_expression(rules, pattern->expression, &err), &err);
        assert_non_null(pattern->examples[0]);
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            const bool is_whole = strncmp(pattern->expression, "\\A", 2) == 0;
            char text[200];
            (void)snprintf(text, sizeof text, is_whole ? "%s" : "A %s word.", pattern->examples[i]);
            keep_cases_assert(rules, false, text, pattern->examples[i]);
        }
        keep_rules_free(rules);
    }
}

TEST(keeps_what_patterns_match)
{
    char *file = support_read_file("tests/document_cases/kept.tsv", NULL), *rest = file;
    KeepRules *rules = keep_cases_patterns();
    const char *columns[3];

    while (*rest) {
        if (document_cases_row(&rest, columns) == 2)
            keep_cases_assert(rules, true, columns[0], columns[1]);
        else
            assert_true(!*columns[0] || *columns[0] == '#');
    }
    keep_rules_free(rules);
    free(file);
}

/* Finds in a text of copies of a part, in less than a second; with the square of its length, a minute. */
static void find_in_copies(KeepRules *rules, const char *part, size_t part_length, size_t bytes)
{
    const size_t count = bytes / part_length;
    char *text = support_alloc(bytes + 1);
    const UnitText unit = { .text = text, .length = count * part_length };
    RangeList list = { 0 };
    clock_t begin;
    Err err;

    for (size_t k = 0; k < count; k++) memcpy(text + k * part_length, part, part_length);
    begin = clock();
    assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
    if ((clock() - begin) / CLOCKS_PER_SEC > 20) fail_msg("%.*s: too slow", (int)part_length, part);
    ranges_free(&list);
    free(text);
}

/* Texts of LONG bytes show whether the steps or the stack grow faster than the text; the longest units there are take
 * eight times as long. */
TEST(takes_linear_time_on_any_text)
{
    enum { LONG = 1 << 17 };
    static const char longest[] = "a\n{a,plural,{b}\n\\(()\n[a](b\n<!--\n%H:\n[a b=c \n";
    static const char parts[] =
        "a\na@\na.\n{\n{a,plural,\n{a,plural,{b}\n%\n%a\n$a \n$\n$a=\n$= a\\b \n/a\na/\n../\nC:\\a a\\\n--a=\n"
        "<a b=\"\" \n&\nhttp://a(\nmailto:a@\n{%\n\\(()\n\xc3\xa9\n\\(\n\\(a(\n\\[[]\n\\\\(a\n\\\n<0\n%d%\n% \n%,\n"
        "%1$'\n%<a\n%<a>\n%-8<a\n%#@a\n{0:a \n{0,1\n{0:a a\n{a,choice,\n{a,choice,{b}\n%a%\n%%a\n$A\n###a\n*|A\n"
        "*|A:a \n[a b=\"\n[a b=c \n[a]\n[/a\n|\n(*.a\n*.a \n;;\n<!--\n<!-- -\n`\n`a\n[a](\n[a](b\n](\n](a(\n<code>\n"
        "<code>a\nab.\na.com.\na::\nyy\nyy \n'y' \n[y]y \n%H:\n$t(\n@:a.\n@:{a\n++a\n+a\n";
    KeepRules *rules = keep_cases_patterns();

    for (const char *at = parts; *at; at += strcspn(at, "\n") + 1) find_in_copies(rules, at, strcspn(at, "\n"), LONG);
    for (const char *at = longest; *at; at += strcspn(at, "\n") + 1)
        find_in_copies(rules, at, strcspn(at, "\n"), UNIT_BYTES);
    keep_rules_free(rules);
}

/* Each pattern on texts that are made of the beginnings of all examples. */
TEST(takes_linear_time_on_texts_of_almost_matches)
{
    enum { LONG = 50000 };
    KeepRules *rules = keep_cases_patterns();

    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            const size_t length = strlen(pattern->examples[i]) - 1;
            if ((unsigned char)pattern->examples[i][length] >= 0x80) continue;
            if (length) find_in_copies(rules, pattern->examples[i], length, LONG);
        }
    }
    keep_rules_free(rules);
}

/* What documents keep of the prose in tests/golden/sentences, lines in four languages that a person wrote: addresses,
 * names of files and symbols, and nothing else. Each item is followed by a blank. */
TEST(keeps_nothing_of_the_words_of_prose)
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
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < COUNT(files); i++) {
        char *path = support_format(GOLDEN_ROOT "/sentences/%s.txt", files[i][0]),
             *file = support_read_file(path, NULL);
        Buf items = { 0 };
        size_t lines = 0;
        for (char *at = file; *at; lines++) {
            const size_t length = strcspn(at, "\n");
            const UnitText text = { .text = at, .length = length };
            RangeList list = { 0 };
            Err err;
            assert_ok(keep_rules_find_in_unit(rules, &text, &list, &err), &err);
            for (size_t k = 0; k < list.len; k++)
                buf_put_format(&items, "%.*s ", (int)(list.data[k].end - list.data[k].begin), at + list.data[k].begin);
            ranges_free(&list);
            at += length + (at[length] == '\n');
        }
        assert_true(lines >= 70);
        assert_string_equal(items.data, files[i][1]);
        buf_free(&items);
        free(file);
        free(path);
    }
    keep_rules_free(rules);
}

TESTS(test_keep_patterns);
