/* test_document_latex_parts.c - which parts of a LaTeX document are its text, and which are left alone. */
#include "document_cases.h"

static const DocumentCase latex_cases[] = {
    DOCUMENT_PROMISE("finds the document outside of comments and code"),
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
    { "a \\begin{x}\\begin{document}b\\end{document}\\end{x} c \\end{document} no", "a|b|c" },
    { "\\documentclass{x\n\\newcommand{\\x}{\\begin{x}}no\\begin{document}yes\\end{document}no", "yes" },
    { "no\\begin{document}a \\y|\\begin{document}| b\\end{document} no", "a \\y||| b" },
    { "a \\begin", "a" },
    { "\\begin  \\title{A}\\begin \\end{x}\\begin{document}b", "A|b" }, /* no name after blanks */
    { "a \\begin{verbatim", "a verbatim" },
    { "a \\url{", "a" },
    DOCUMENT_PROMISE("leaves environments alone that contain code"),
    { "a\\begin{programlisting}\nint main(void)\n{\n    printf(\"Hello, world!\\n\");\n    return 0;\n}\n"
      "\\end{programlisting}b",
      "a|b" },
    { "a\\begin{x}[caption=no]{no}\ndef greet(name):\n    print(\"no \" + name)\nfor x in items:\n    process(x)\n"
      "\\end{x}b",
      "a|b" },
    { "a\\begin{x}\r\nSELECT name FROM users\r\nWHERE id = 5;\r\n\\end{x}b", "a|b" },
    { "a\\begin{x}\n$ git commit -m \"no\"\n[main 1234] no\n 1 file changed\n\\end{x}b", "a|b" },
    { "a\\begin{x}\n<book>\n  <title>no</title>\n</book>\n\\end{x}b", "a|b" },
    { "a\\begin{shellbox}\nmake install\ncd build\n\\end{shellbox}b", "a|b" },
    { "\\begin{x}\nThe house is red.\nIt has a garden and we like it.\n\\end{x}",
      "The house is red. It has a garden and we like it." },
    { "\\begin{x}\nRoses are always red;\nviolets are often blue,\nand you and I know that.\n\\end{x}",
      "Roses are always red; violets are often blue, and you and I know that." },
    { "\\begin{sourcebox}\nThe source of the river.\n\\end{sourcebox}", "The source of the river." },
    { "a\\begin{x}\nname: no\nlist:\n  - no\n\\end{x}\\begin{x}\nHOME=/no\nPATH=no\n\\end{x}b", "a|b" },
    { "\\begin{x}{y}\nA relative one was passed into request().\n\\end{x}",
      "A relative one was passed into request()." },
    { "\\begin{x}\n\\caption{One}\n\\includegraphics{a_b}\n\\end{x}", "One" },
    { "\\begin{x}\na = b;\n\n", "a = b;" }, /* without an end */
    { "\\begin{code}", "" },
    DOCUMENT_PROMISE("learns which environments contain code"),
    { "\\lstnewenvironment{x}[1][]{y}{}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\DefineVerbatimEnvironment{x}{Verbatim}{}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\newtcblisting[auto]{x}[2][]{y}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\newenvironment{x}{\\VerbatimEnvironment\\begin{minted}{c}}{\\end{minted}}a\\begin{x}\nNo\n\\end{x}b", "a|b" },
    { "\\newenvironment{x}{\\verbatim}{\\endverbatim}\\begin{x}No\\end{x}b", "b" },
    { "\\newenvironment{x}{\\verbatim}{}\\renewenvironment{x}{\\quote}{}\\begin{x}Yes\\end{x}b", "Yes|b" },
    /* Names are searched for in sorted tables: the first, last and similar ones. */
    DOCUMENT_PROMISE("knows commands with similar names"),
    { "a\\!b\\xspace c \\sc d \\scshape e \\scshap f", "ab c  d  e \\scshap f" },
    { "\\section*{a}b\\sectio{c}\\caption*{d}\\\\*e \\par* f", "a|b\\sectio{c}|d|e|f" },
    { "\\begin{xxalignat*}no\\end{xxalignat*}\\begin{BVerbatim}no\\end{BVerbatim}\\begin{tabular*}{no}{no}a"
      "\\end{tabular*}",
      "a" },
    { "\\AA\\textunderscore\\o \\S\\ss\\sss", "\xc3\x85_\xc3\xb8\xc2\xa7\xc3\x9f\\sss" },
    DOCUMENT_PROMISE("learns what begins and ends mathematics"),
    { "\\newcommand{\\be}{\\begin{equation}}\\newcommand\\ee{\\end{equation}}a \\be x y \\ee b \\be no "
      "\\end{equation} c",
      "a|b|c" },
    { "\\def\\bea{\\begin{eqnarray}}\\def\\eea{\\end{eqnarray}}a \\begin{eqnarray} no \\eea b \\bea no % \\eea\n"
      "\\eea c",
      "a|b|c" },
    { "\\renewcommand*{\\x}[1]{ \\small\\label{#1}\\[}\\providecommand{\\y}{\\]}a \\x{no} no \\y b", "a|b" },
    { "\\newenvironment{eqn}[1][x]{\\begin{equation}}{\\end{equation}}a\\begin{eqn} no \\end{eqn} b", "a|b" },
    { "\\newenvironment{x}{\\csname multline*\\endcsname}{}\\newenvironment{y}{\\begin{x}}{\\end{x}}a"
      "\\begin{y} no \\end{y} b",
      "a|b" },
    { "\\newenvironment{x}{\\equation}{\\endequation}a\\begin{x} no \\end{x} b", "a|b" },
    { "\\newenvironment{x}{\\begin{quote}}{\\end{quote}}\\begin{x}yes\\end{x}", "yes" },
    { "\\newcommand{\\x}{\\begin{equation}}\\renewcommand{\\x}{y}a \\x b \\end{equation}", "a \\x b" },
    { "\\newcommand{\\x}[1]{\\begin{equation}#1\\end{equation}}a \\x{no} b", "a \\x{no} b" },
    { "\\newcommand{\\be}{\\begin{equation}}a \\be yes\n\nb\\end{equation}", "a \\be yes|b" },
    { "\\begin{document}a \\bea no \\eea b \\be yes \\beq \\ee", "a|b" },
    { "a \\be b\n\n\\ee c", "a \\be b|\\ee c" },
    { "a\\begin{narrowmultline*} no \\end{narrowmultline*} b \\begin{myequation}no\\end{myequation}", "a|b" },
    { "a\\footnote{b\\begin{equation}no\\end{equation} c \\begin{align}d} e", "b c d|a e" },
    { "\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}a\\footnote{b \\be no \\ee c} d",
      "b  c|a d" },
    { "\\newcommand", "" },
    { "\\newcommand{}{x}\\newcommand{\\x}", "" },
    { "\\newcommand{\\x}{}\\newenvironment{x}{y}{z}\\newcommand{\\x}{\\begin}a \\x b", "a \\x b" },
    /* TeX refuses them. */
    DOCUMENT_PROMISE("leaves texts with subscripts alone"),
    { "a\n\nb x_1 = 2\n\nc", "a|c" },
    { "x^2 b > 1 & c", "c" },
    { "a \\emph{b k_{max}} = c", "" },
    { "a snake_case_name b_\\x = 1", "" },
    { "a file_ costs 10^6 dollars", "a file_ costs 10^6 dollars" },
    { "a snake_case_name b", "a snake_case_name b" },
    { "a $x_1$ \\(x^2\\) \\ref{a_1} \\texttt{a_1} \\href{x_1}{b} \\_ \\^a", "a $x_1$ \\(x^2\\) \\ref{a_1} a_1 b _ â" },
    { "a\\footnote{b} x_1 = 1", "b" },
    { "a\\footnote{b x_1 = 1} c\n\nd", "a c|d" },
    { "\\usepackage{underscore}\\begin{document}a x_1", "a x_1" },
    DOCUMENT_PROMISE("keeps code and other languages"),
    { "a {\\tt b} {\\small\\ttfamily\n c} {\\tt\\rm d} {\\em e\\tt f}", "a b c d e f" },
    { "{\\tt no}\n\n{\\ttfamily no}\n\n{\\tt\\rm yes}\n\n\\foreignlanguage{french}{no}\n\n\\foreignquote {french} "
      "{no}",
      "yes" },
    { "a\\begin{otherlanguage}{french}no\\end{otherlanguage} "
      "b\\begin{otherlanguage*}{french}no\\end{otherlanguage*}",
      "a|b" },
    DOCUMENT_PROMISE("finds the texts of standard commands"),
    { "\\section{a \\texorpdfstring{$x$ \\emph{b}}{c \\'e} d}e", "c é|a $x$ b d|e" },
    { "\\section{\\texorpdfstring{a}\n {b}}", "a|b" },
    { "a\\footnote{b \\texorpdfstring{c}{no} d} e", "b c d|a e" },
    { "{\\tt\\texorpdfstring{no}{a}} b \\texorpdfstring{no} \\texorpdfstring c",
      "a|no b \\texorpdfstring{no} \\texorpdfstring c" },
    { "\\texorpdfstring{a $b}{c} d$ e", "a $b}{c} d$ e" },
    { "\\texorpdfstring{a}{b $c} d$ e} f", "b $c} d$|a e f" },
    { "\\texorpdfstring{a\n\nb}{c} d", "a|c|b d" },
    { "a \\texorpdfstring{b}{c\\footnote{d}\n\n\\item e} f", "c  e|a b f" },
    { "\\chapter*{A}\\addcontentsline{toc}{chapter}{B \\emph{c}} d\\addcontentsline{toc}{x}{e} f", "A|B c|e|d f" },
    { "\\opening{A,} b \\closing{C,}", "A,|b|C," },
    { "\\subfloat[A]{\\includegraphics{x}} \\subfloat[B][C\\label{x}]{D} \\subfigure[E]{}", "A|B|C|D|E" },
    { "a\\begin{algorithm}[t]no % \\caption{no}\n\\caption[A]{B \\emph{c}}\\begin{algorithmic}\\State "
      "no\\end{algorithmic}"
      "\\caption no\\end{algorithm} d",
      "a|A|B c|d" },
    { "\\begin{algorithm2e}\\caption{a $b} c$ \\end{algorithm2e} d", "a $b} c$|d" },
    { "a\\footnote{b\\begin{algorithm}\\caption{no}\\end{algorithm}} c", "b|a c" },
};

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_latex, latex_cases, COUNT(latex_cases));
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

static void finds_the_texts_of_standard_commands(void **state)
{
    (void)state;
    check_nested("\\texorpdfstring{a}{");
    check_nested("\\texorpdfstring{");
    check_nested("\\begin{algorithm}\\caption{");
    document_cases_check_text(&document_latex, "a \\texorpdfstring{b}{1} c", "d e", "\\texorpdfstring{}{1}d e");
}

TEST_FILE(test_document_latex_parts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(finds_the_texts_of_standard_commands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
