/* test_document_markdown_markup.c - document/markdown: markup that CommonMark does not know, of Obsidian, Pandoc, MkDocs
 * and others. Every document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

/* Checks the text of the only unit, in which what is kept becomes "-". */
static void check_kept(const char *document, const char *expected)
{
    Document *doc = document_cases_open(&document_markdown, document);
    const UnitText text = document_source(doc, 0);
    char shown[200];

    assert_int_equal(document_unit_count(doc), 1);
    assert_true(text.length < sizeof shown);
    memcpy(shown, text.text, text.length + 1);
    for (size_t i = 0; i < text.run_count; i++)
        if (text.runs[i].is_kept)
            memset(shown + text.runs[i].text.begin, '-', text.runs[i].text.end - text.runs[i].text.begin);
    assert_string_equal(shown, expected);
    document_free(doc);
}

static void keeps_formulas_with_their_backslashes(void **state)
{
    static const DocumentCase cases[] = {
        { "The loss is \\(L = a + b\\) for \\(n\\), \\(a, b\\) or \\[ x_1 \\].",
          "The loss is \\(L = a + b\\) for \\(n\\), \\(a, b\\) or \\[ x_1 \\]." },
        { "We get\n\\[\nE = mc^2 \\text{ if *it* is}\n\\]\nhere.",
          "We get \\[ E = mc^2 \\text{ if *it* is} \\] here." },
        { "\\[\nx = yes\n\\]\n\n1. **A**:\n   \\[\n   a\\\\b\n   \\]\n", "A: \\[ a\\\\b \\]" },
        { "| a | \\(\\|x\\| *y*\\) |\n|---|---|\n", "a" },
        { "\\(see below\\) \\[not a link\\](x) \\[x\\](y) \\[a\\]\\(b) \\(see A + B now then\\) \\( \\) \\(a",
          "(see below) [not a link](x) [x](y) [a](b) (see A + B now then) ( ) (a" },
        { "\\(a\n\nb\\) \\(well-known\\), \\(to do it\\) \\(a_word\\) \\(x\\] \\(see my_name here now\\)",
          "(a|b) (well-known), (to do it) \\(a_word\\) (x] (see my_name here now)" },
        { "`\\(a` = 1\\) \\\\(a\\) [a](x \"\\(a\\)\")", "(a)|\\(a = 1) \\(a) a" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
    check_kept("one \\(a*b*c\\) two", "one --------- two");
    document_cases_check_text(&document_markdown, "a \\[ x *y* \\]", "\\[ x *y* \\] b", "\\[ x *y* \\] b");
}

static void keeps_references_of_bookdown(void **state)
{
    static const DocumentCase cases[] = {
        { "See \\@ref(fig:big-house) and \\@ref(a b) \\@ref(c", "See \\@ref(fig:big-house) and @ref(a b) @ref(c" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_formulas_with_their_backslashes),
        cmocka_unit_test(keeps_references_of_bookdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
