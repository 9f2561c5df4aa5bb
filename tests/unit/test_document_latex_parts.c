/* test_document_latex_parts.c - which parts of a LaTeX document are its text, and which are left alone. */
#include "document_cases.h"

static void finds_the_document_outside_of_comments_and_code(void **state)
{
    static const DocumentCase cases[] = {
        { "% \\begin{document}\nno\\begin{document}yes % \\end{document}\ntoo\\end{document}no", "yes too" },
        { "\\begin{filecontents}{x}\n\\title{no}\\begin{document}no\\end{document}\\end{filecontents}\n\\title{A}"
          "\\begin{document}yes\\end{document}",
          "A|yes" },
        { "\\begin{document}a\\begin {verbatim}\\end{document}\\end{verbatim}b \\verb|\\end{document}| c",
          "a|b \\verb|\\end{document}| c" },
        { "a \\lstinline[x]{\\end{document}} \\mintinline{c}|\\end{document}| \\href{x%20}{y}\\end{document} no",
          "a \\end{document} \\mintinline{c}|\\end{document}| y" },
        { "no\\begin{document}a\\begin{lstlisting}\n\\end{document}", "a" },
        { "\\newcommand{\\x}{\\begin{comment}}no\\begin{document}yes\\end{document}no", "yes" },
        { "\\newcommand{\\x}{\\end{document}}no\\begin{document}yes\\end{document}no", "yes" },
        { "\\begin{verbatim}\n\\end{document}\n\\end{verbatim}yes", "yes" },
        { "\\% \\\\% \\end{document}\nyes\\end{document}", "yes" },
        { "a \\begin", "a" },
        { "a \\begin{verbatim", "a verbatim" },
        { "a \\url{", "a" },
    };

    (void)state;
    document_cases_check(&document_latex, cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_document_outside_of_comments_and_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
