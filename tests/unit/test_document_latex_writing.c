/* test_document_latex_writing.c - what document/latex writes in the place of a text. */
#include "document_cases.h"

static const DocumentCase latex_cases[] = {
    /* TeX would read {\emword} and \smallword as other names. */
    DOCUMENT_PROMISE("separates names of commands from words"),
    { "a {\\em\nb} c {\\Large\\bf\n  d} {\\tiny %\n e}", "a b c d e" },
    { "a {\\em\n\nb}", "a|b" },
    { "a {\\em \\emph{b}} \\em\n\\emph{c} {\\em}", "a b  c" },
    /* The blank after \i ends its name. */
    DOCUMENT_PROMISE("reads letters without dots"),
    { "Mart\\'\\i n Garc\\'\\i{}a D\\'{\\i}az D\\'{\\i }az {\\'\\i}x \\^\\j   a \\'\\i",
      "Martín García Díaz Díaz íx ĵa í" },
    { "Garc\\'\\i\n  a \\'\\i\n\nb\\'\\i\n", "García \\'\\i|bí" },
    { "a\\footnote{b\\'\\i\n\nc} d", "b\\'\\i c|a d" },
    { "na\\\"\\i ve \\'\\ia", "naïve \\'\\ia" },
    { "stra\\ss  e \\ss \na \\o{}re", "straße \\ss a øre" },
    { "a \\'\\i\n\\end{document}", "a í" },
    { "\\textbf{a\\'\\i\n} b\\'\\i\\emph{c}", "aí bíc" },
};

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_latex, latex_cases, COUNT(latex_cases));
}

/* Writes a text in the place of the only unit, with its only tag around or before the bytes [begin, end). */
static void check_place(const char *document, const char *text, size_t begin, size_t end, const char *expected)
{
    const Range place = { begin, end };
    Document *doc = document_cases_open(&document_latex, document);
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text), .places = &place });

    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

static void separates_names_of_commands_from_words(void **state)
{
    (void)state;
    check_place("a {\\em\nb} c", "d e f", 2, 5, "d {\\em\ne f}");
    check_place("a {\\it \nb} c", "d \xc3\xbc f", 2, 6, "d {\\it \n\xc3\xbc f}");
    check_place("a\\em\nb c", "de", 1, 1, "d\\em e");
    check_place("a\\noindent b c", "d\xc3\xbc", 1, 1, "d\\noindent \xc3\xbc");
    check_place("a\\em\nb c", "d.", 1, 1, "d\\em.");
    check_place("a\\, b c", "de", 1, 1, "d\\,e");
    document_cases_check_text(&document_latex, "a \\em\xc3\xbc", "b", "\\em b");
}

static void reads_letters_without_dots(void **state)
{
    (void)state;
    document_cases_check_text(&document_latex, "na\\\"\\i ve", "naïe", "na\\\"\\i e");
    document_cases_check_text(&document_latex, "na\\\"\\i ve", "na ï e", "na ï e");
    document_cases_check_text(&document_latex, "na\\\"\\i ve", "na ï", "na \\\"\\i ");
    document_cases_check_text(&document_latex, "Mar\\'\\i{}a", "Marí a ía", "Mar\\'\\i{} a ía");
    document_cases_check_text(&document_latex, "\\'\\i. a", "ía í", "ía í");
    document_cases_check_text(&document_latex, "\\ss a", "ß b", "ß b");
}

TEST_FILE(test_document_latex_writing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(separates_names_of_commands_from_words),
        cmocka_unit_test(reads_letters_without_dots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
