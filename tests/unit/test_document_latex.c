/* test_document_latex.c - document/latex: the units of LaTeX, and their spelling. Every document is also written with
 * its own texts, which must give the same bytes. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_latex, "tests/document_cases/latex.tsv");
}

TEST(leaves_environments_of_mathematics_and_code_alone)
{
    static const char *const names[] = {
        "IEEEeqnarray", "IEEEeqnarray*", "IEEEeqnarraybox", "equation",     "align*",  "flalign",       "alignat",
        "xalignat",     "gather",        "multline",        "dmath",        "empheq",  "tikzpicture",   "minted",
        "lstlisting",   "Verbatim",      "BVerbatim",       "semiverbatim", "comment", "filecontents*", "algorithmic"
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        char document[200];
        snprintf(document, sizeof document, "a \\begin{%s}{x} no \\\\ no \\end{%s} b", names[i], names[i]);
        document_cases_check(&document_latex, &(DocumentCase){ document, "a|b" }, 1);
    }
    document_cases_check(
        &document_latex,
        &(DocumentCase){ "\\begin{subequations} a \\begin{align} x \\end{align} b \\end{subequations}", "a|b" }, 1);
}

/* The only tag is around or before the bytes [begin, end). */
static void check_place(const char *document, const char *text, size_t begin, size_t end, const char *expected)
{
    document_cases_check_places(&document_latex, document, text, (Range[]){ { begin, end } }, expected);
}

TEST(separates_names_of_commands_from_words)
{
    check_place("a {\\em\nb} c", "d e f", 2, 5, "d {\\em\ne f}");
    check_place("a {\\it \nb} c", "d \xc3\xbc f", 2, 6, "d {\\it \n\xc3\xbc f}");
    check_place("a\\em\nb c", "de", 1, 1, "d\\em e");
    check_place("a\\noindent b c", "d\xc3\xbc", 1, 1, "d\\noindent \xc3\xbc");
    check_place("a\\em\nb c", "d.", 1, 1, "d\\em.");
    check_place("a\\, b c", "de", 1, 1, "d\\,e");
    document_cases_check_text(&document_latex, "a \\em\xc3\xbc", "b", "\\em b");
}

/* Groups inside each other, more than are read. */
static void check_nested(const char *part)
{
    char document[10000] = "";

    for (size_t i = 0; i < 300; i++) strcat(document, part);
    document_free(document_cases_open(&document_latex, document));
    memset(document + strlen(document), '}', 1000);
    document_free(document_cases_open(&document_latex, document));
}

TEST(reads_groups_inside_each_other)
{
    check_nested("\\texorpdfstring{a}{");
    check_nested("\\texorpdfstring{");
    check_nested("\\begin{algorithm}\\caption{");
}

TESTS(test_document_latex);
