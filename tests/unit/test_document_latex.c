/* test_document_latex.c - document/latex. */
#include "document_cases.h"

static const DocumentCase latex_cases[] = {
    DOCUMENT_PROMISE("finds the texts"),
    { "", "" },
    { "One line\nand two.\n\nThree % four\nfive.", "One line and two.|Three five." },
    { "\\section[Short]{Long} Text. \\section*{Star}", "Short|Long|Text.|Star" },
    { "\\section[Short $a]{Long} b$ Text", "Short $a]{Long} b$|Text" },
    { "\\begin{itemize}\\item One\\item[Two] Three\\end{itemize}", "One|Two|Three" },
    { "A & B\\tabularnewline\n\\hline C\\tabularnewline[2pt] D \\cr E", "A|B|C|D|E" },
    { "\\begin{tabu} to \\textwidth {XX} A & B \\end{tabu}\\begin{longtabu} spread 1em{l} C", "A|B|C" },
    { "\\begin{code} no \\end{code}\\begin{CCSXML} no \\end{CCSXML} yes", "yes" },
    { "a \\hbox to 5cm{b \\hfil c} \\vbox spread.5\\hsize{d} \\hbox {e}", "a b \\hfil c d e" },
    { "A & B \\\\[2pt] C \\\\* D\\newline E\\par F", "A|B|C|D|E|F" },
    { "A \\textbf{bold \\emph{text}} and {\\it this}.", "A bold text and this." },
    { "See\\footnote{A \\emph{note}.} here.", "A note.|See here." },
    { "Title\\thanks{One\\footnote{inner}} x", "One|Title x" },
    { "Caf\\'e, {\\\"a}, \\\"{o}, \\ss{}, \\c c, \\o re, ``x'' -- y---z", "Café, ä, ö, ß, ç, øre, “x” – y—z" },
    { "20\\% \\& \\$ \\# \\_ \\{ \\} a~b\\ldots c", "20% & $ # _ { } a\xc2\xa0"
                                                    "b…c" },
    { "We have $x + y$ and \\(z\\) and \\[ w \\] end.", "We have $x + y$ and \\(z\\) and  end." },
    { "$$ display $$ text", "text" },
    { "Ref~\\ref{a}, \\unknown[x]{y}{z}, \\label{b}end", "Ref\xc2\xa0\\ref{a}, \\unknown[x]{y}{z}, end" },
    { "\\verb|a b| c \\texttt{d e} f", "\\verb|a b| c d e f" },
    { "\\begin{verbatim}a\n\n\\end{verbatim}b", "b" },
    { "a \\begin{align*} x \\end{align*} b", "a|b" },
    { "\\begin{theorem}[Name] text \\end{theorem}", "Name|text" },
    { "\\begin{tabular}{l|p{3cm}} A & B \\end{tabular}", "A|B" },
    { "\\documentclass{x}\nno text\n\\title{A \\'e}\n\\begin{document}yes\\end{document} no", "A é|yes" },
    { "\\newcommand{\\x}[1]{no} yes \\def\\y#1{no} too", "yes  too" },
    { "open { and \\textbf{ never closed", "open  and  never closed" },
    { "close } and $ and \\", "close  and  and" },
    { "\\begin{verbatim} to the end", "" },
    { "a\\index{no} b \\vspace*{1em} c\\noindent d", "a b  c d" },
    { "a \\emph {b} \\textcolor {red}{c} d\\footnote % e\n {f}\n\\section {g}", "a b c d|f|g" },
    { "12 $x$ \\ref{a}", "" },
    { "a%\nb %\n\nc", "ab|c" },
    { "a.\n% b\nc", "a. c" },
    { "a \\ss\nb", "a \\ss b" },
    { "a \\textbf{b $c} d$ e", "a b $c} d$ e" },
    { "a\\footnote{b $c} d$ e", "b $c} d$|a e" },
    { "\\section{b $c} d$ e", "b $c} d$|e" },
    { "\\item[b $c] d$ e", "b $c] d$|e" },
    { "{a \\end{document}}", "a" },
    /* babel makes the quote begin a shorthand if the last language is German. */
    DOCUMENT_PROMISE("reads the shorthands of german"),
    { "\\usepackage[english,ngerman]{babel}\n\\begin{document}sch\"on, Stra\"se, \"`Tag\"', \"<a\"> Ab\"-bau, "
      "x\"=y\"\" \"x\"",
      "schön, Straße, „Tag“, «a» Abbau, x-y \"x\"" },
    { "\\documentclass[a4paper, german]{x}\\usepackage{babel}\\begin{document}sch\"on", "schön" },
    { "\\usepackage[ngerman,english]{babel}\\begin{document}sch\"on", "sch\"on" },
    { "%\\usepackage[ngerman]{babel}\n\\begin{document}sch\"on", "sch\"on" },
    { "\\usepackage[ngerman]{babel}\\shorthandoff{\"}\\begin{document}sch\"on", "sch\"on" },
    { "\\usepackage[ngerman]{babel}\\MakeOuterQuote{\"}\\begin{document}\"offen\"", "\"offen\"" },
    { "\\usepackage[shorthands=off,ngerman]{babel}\\begin{document}sch\"on", "sch\"on" },
    { "\\usepackage[main=english,ngerman]{babel}\\begin{document}\"all\"", "\"all\"" },
    { "\\usepackage[main=ngerman,english,provide=*]{babel}\\begin{document}sch\"on", "schön" },
    { "\\documentclass[ngerman,english,a4paper]{x}\\usepackage{babel}\\begin{document}\"all\"", "\"all\"" },
    { "\\usepackage[english,ngerman]{babel}\\begin{document}\\selectlanguage {english}\"all\"", "\"all\"" },
    { "\\usepackage[ngerman]{babel}% \\selectlanguage{english}\n\\begin{document}100\\% "
      "\\selectlanguage{ngerman}sch\"on",
      "100% schön" },
    { "\\glq{}a\\grq{} \\flqq b\\frqq c \\guillemotleft{}", "‚a‘ «b»c «" },
    /* beamer takes the braces that are next for the title, even in the next line. */
    DOCUMENT_PROMISE("finds the titles of frames and blocks"),
    { "\\begin{frame}[fragile]{Title} text \\end{frame}", "Title|text" },
    { "\\begin{frame}[allowframebreaks,t] text", "text" },
    { "\\begin{frame}<1->[<+->][t]{A \\emph{title}}{Subtitle} text", "A title|Subtitle|text" },
    { "\\begin{frame}\n  [t] % comment\n  {Title}\n  {Subtitle}\ntext", "Title|Subtitle|text" },
    { "\\begin{frame}\n\n{\\small text} more", "text more" },
    { "\\begin{frame} text {more}", "text more" },
    { "\\begin{frame}{}{Subtitle} {text} more", "Subtitle|text more" },
    { "\\begin{frame}[never closed", "[never closed" },
    { "\\begin{frame}{never closed", "never closed" },
    { "\\begin{frame}{b $c} d$ {e}", "b $c} d$|e" },
    { "\\begin{block}{Title} text \\end{block}", "Title|text" },
    { "\\begin{alertblock}<2->{Title}<alert@3| +(1)-> text", "Title|text" },
    { "\\begin{exampleblock}{}{\\bf One}: two", "One: two" },
    { "\\textbf{\\begin{block}{Title}} text", "Title|text" },
    { "\\item[\\begin{frame}{One} two] three", "One|two|three" },
    { "\\begin{theorem}<2->[Name] text", "Name|text" },
    { "\\begin{itemize}<1->[<+->] \\item<1-> One \\item<.->[Two] three", "One|Two|three" },
    { "\\frametitle<presentation>{One} \\alert<2>{two} \\only<1>{three}\\onslide<2-> four <a",
      "One|two three four <a" },
    { "\\item<a", "<a" },
    { "\\item<not an overlay!> one", "<not an overlay!> one" },
    /* TeX skips blanks before an argument, and takes as many as the command has. */
    DOCUMENT_PROMISE("knows the arguments of commands"),
    { "a \\label {x}\\index\n{no} b \\color {red} c", "a  b  c" },
    { "\\cite [p. 3]{x} \\ref {y} and \\SI {3} {\\meter} z", "\\cite [p. 3]{x} \\ref {y} and \\SI {3} {\\meter} z" },
    { "\\unknown {a} b", "\\unknown a b" },
    { "\\label{x}{\\bf one} two", "one two" },
    { "\\textcolor{red} {one} \\href {x} {two} \\parbox [t] {3cm} {three}", "one two three" },
    { "\\begin{tabular}{ll}\\cmidrule(lr){1-2} \\multicolumn{2}{c}{A} & \\multirow{2}{*}[1pt]{B} \\\\{\\small C}",
      "A|B|C" },
    { "a\\newline{\\em b}\\\\ [3pt] c \\\\ [d]", "a|b|c|[d]" },
    { "\\begin {center}{\\Large A} \\end {center} b", "A|b" },
    { "\\begin{figure} [ht]\\caption\n [A] {B}\\end{figure}", "A|B" },
    { "\\begin{enumerate}\n[label=x] \\item [A] B", "A|B" },
    { "\\begin{tabular*}{3cm}{ll} A", "A" },
    { "\\begin{theorem} [A] B", "A|B" },
    { "a \\begin {equation} no \\end {equation} b", "a|b" },
    { "\\newcommand {\\x} [1] {no} a \\newtheorem{x}{no}[no] b \\setlength\\x{1pt} c", "a  b  c" },
    { "\\captionof{figure}{A} \\hyperref[x]{B}", "A|B" },
    { "\\input chapters/one\n\\include{two} a \\verb |b c| d", "a \\verb |b c| d" },
    { "no\\begin {document}yes\\end {document}no", "yes" },
    { "\\textcolor{one", "one" },
    { "\\begin one \\begin  \\end two", "one|two" },
    { "\\cmidrule[0.5pt](lr){1-2} \\multirow{2}*{A} & \\textcolor{red}\\textbf{B}", "A|B" },
    DOCUMENT_PROMISE("keeps code between delimiters"),
    { "a \\lstinline|for x| b", "a \\lstinline|for x| b" },
    { "a \\lstinline[language=C]!int x! b", "a \\lstinline[language=C]!int x! b" },
    { "a \\lstinline{for x} b", "a for x b" },
    { "a \\Verb|b c| \\Verb*+b c+ \\Verb[x=y]/b c/ \\verb*|b c| d",
      "a \\Verb|b c| \\Verb*+b c+ \\Verb[x=y]/b c/ \\verb*|b c| d" },
    { "a \\mintinline{c}|int x| b", "a \\mintinline{c}|int x| b" },
    { "a \\mintinline[x=y]{c}{int x} b", "a int x b" },
    { "a \\path|b c| \\url$b c$ d", "a \\path|b c| \\url$b c$ d" },
    { "a \\lstinline§b c§ \\verb§b c§ d", "a \\lstinline§b c§ \\verb§b c§ d" },
    { "a \\lstinline |b c| d", "a \\lstinline |b c| d" },
    { "a \\lstinline b c b", "a  b c b" },
    { "\\emph{\\url} a} b", "a b" },
    { "a \\lstinline|b\nc| d", "a |b c| d" },
    { "a \\lstinline", "a" },
    { "a \\mintinline{c}", "a c" },
    { "{a \\lstinline|b} c| d", "a \\lstinline|b} c| d" },
    /* A % is no comment there, so that the braces in the rest of the line count. */
    DOCUMENT_PROMISE("reads code and addresses as they are"),
    { "a \\url{b%20c}\\footnote{d} e", "d|a b%20c e" },
    { "a \\href{b%20c}{d}\\footnote{e} f", "e|a d f" },
    { "a \\href[x=y]{b%20c}{d % e}\n}\\footnote{f} g", "f|a d  g" },
    { "\\section{a \\href {b%20c}{d}} e", "a d|e" },
    { "\\section{a \\verb|%| b} c", "a \\verb|%| b|c" },
    { "\\section{a \\verb|}| \\verb*|}| \\verb%}% b} c", "a \\verb|}| \\verb*|}| \\verb%}% b|c" },
    { "\\section{a \\lstinline|{%| b} c", "a \\lstinline|{%| b|c" },
    { "\\section{a \\lstinline[x={y}] |{%| b} c", "a \\lstinline[x={y}] |{%| b|c" },
    { "\\section{a \\lstinline[x={y}]{b % c} d} e", "a b % c d|e" },
    { "\\section{a \\mintinline[x]{c}|{%| b} c", "a \\mintinline[x]{c}|{%| b|c" },
    { "\\section{a \\mintinline{c}{b {} % c} d} e", "a b {} % c d|e" },
    { "a \\url{b?c=d&e=$f\\\\g--h~i} j", "a b?c=d&e=$f\\\\g--h~i j" },
    { "a \\url{b\\}c%} d", "a b\\}c% d" },
    { "a \\url{} \\path{b} c", "a  b c" },
    { "a \\texttt{b % c}\n} d", "a b  d" },
    { "\\newcommand{\\x}{\\url{a%b}} c", "c" },
    { "\\def\\url#1{\\x{#1}} \\footnote{a} b", "a|b" },
    { "\\footnote{\\tikz \\path (0,0) node {a (b)};} c", "\\tikz  (0,0) node a (b);|c" },
    { "a \\url{b\n\nc % d}\n} e", "a b c % d}  e" },
    { "a \\url[b{c] d} \\footnote{e} f", "e|a [bc] d  f" },
    { "\\section{a \\verb} b", "a \\verb|b" },
    { "a \\verb", "a \\verb" },
    { "a \\url", "a" },
    { "a \\url[", "a [" },
    { "a \\href", "a" },
    { "a \\mintinline{c", "a c" },
    DOCUMENT_PROMISE("lengths are no text"),
    { "a \\hskip 1em b \\kern3pt c \\kern-.1667em d", "a  b  c  d" },
    { "a \\vskip 2pt plus 1pt minus .5\\baselineskip b", "a  b" },
    { "a \\hskip 0pt plus 1fill b \\hskip\n 1 true cm\n plus -1 FILLL b", "a  b  b" },
    { "a \\hskip\\parindent b \\hskip - 0,5\\textwidth c", "a  b  c" },
    { "a \\mskip 3mu b \\mkern-3mu c", "a  b  c" },
    { "a \\hskip 1em plus others", "a  plus others" },
    { "a \\kern 3 apples", "a  3 apples" },
    { "a \\kern\n\n3pt b", "a|3pt b" },
    { "a \\hskip\\\\ b", "a|b" },
    { "a \\parindent=0pt b \\parskip 1em c \\itemsep0em d \\setlength\\parskip{1em} e", "a  b  c  d  e" },
    { "a \\parskip = 1em plus 2pt b \\parindent= c", "a  b = c" },
    { "a \\hskip", "a" },
    { "a \\hskip 1", "a  1" },
    { "a \\hskip 1e", "a  1e" },
    DOCUMENT_PROMISE("leaves arguments of declarations alone"),
    { "{\\color{red} a} b", "a b" },
    { "{\\color[rgb]{1,0,0}a} b", "a b" },
    { "{\\bf\\color{red}\\small a} b", "a b" },
    { "{\\fontsize{12}{14}\\selectfont a} b \\fontfamily{x}\\selectfont c", "a b  c" },
    { "{\\vspace{1em} a} {\\vspace*{1em} b} {\\hspace{1em} c} d", "a b c d" },
    { "{\\setlength{\\parindent}{1em} a} {\\parskip=1em plus 2pt b} {\\label{x} c} d", "a b c d" },
    { "{\\hypertarget{x}{a}} b \\hypertarget{x}{} \\hyperlink{x}{c}", "a b  c" },
    { "\\hypertarget{x}{%\n\\section{a}\\label{x}} b", "a|b" },
    { "{\\bf{a}} \\bf{b} \\small{c}\\it[d] \\hline{e} f", "a b c[d] e f" },
    { "{\\small", "" },
    { "{\\color{red", "red" },
    { "{\\unknown{x} a} b", "\\unknown{x} a b" },
    { "a\\xspace{} b {\\,c}", "a b c" },
    { "{\\color[ } ] a", "[  ] a" },
    /* In plain LaTeX, it is part of a text. */
    DOCUMENT_PROMISE("finds the texts of slides in a command"),
    { "\\frame{a}", "a" },
    { "\\frame[plain]{\\frametitle{A} b} c", "A|b|c" },
    { "\\frame<1->[t] {\\begin{itemize}\\item a \\item b\\end{itemize} c\n\nd}\n\\frame{\\titlepage}", "a|b|c|d" },
    { "a \\frame{b} c", "a b c" },
    { "a\\footnote{\\frame{b} c} d", "b c|a d" },
    { "\\frame a", "a" },
    { "\\frame{a", "a" },
    { "\\frame", "" },
};

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_latex, latex_cases, COUNT(latex_cases));
}

static void reads_the_shorthands_of_german(void **state)
{
    (void)state;
    document_cases_check_text(&document_latex, "a", "\"b\" (\"c\") d\"", "``b'' (``c'') d''");
    document_cases_check_text(&document_latex, "\\usepackage[german]{babel}\\begin{document}A\"-b \"|c\\-d", "x",
                              "\\usepackage[german]{babel}\\begin{document}x");
    document_cases_check_text(&document_latex, "a \"b\"", "\"c\" \"d\"", "\"c\" ``d''");
}

static void leaves_environments_of_mathematics_and_code_alone(void **state)
{
    static const char *const names[] = {
        "IEEEeqnarray", "IEEEeqnarray*", "IEEEeqnarraybox", "equation",     "align*",  "flalign",       "alignat",
        "xalignat",     "gather",        "multline",        "dmath",        "empheq",  "tikzpicture",   "minted",
        "lstlisting",   "Verbatim",      "BVerbatim",       "semiverbatim", "comment", "filecontents*", "algorithmic"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char document[200];
        snprintf(document, sizeof document, "a \\begin{%s}{x} no \\\\ no \\end{%s} b", names[i], names[i]);
        document_cases_check(&document_latex, &(DocumentCase){ document, "a|b" }, 1);
    }
    document_cases_check(
        &document_latex,
        &(DocumentCase){ "\\begin{subequations} a \\begin{align} x \\end{align} b \\end{subequations}", "a|b" }, 1);
}

static void leaves_arguments_of_declarations_alone(void **state)
{
    (void)state;
    document_cases_check_text(&document_latex, "{\\color{red} a}", "b", "{\\color{red} b}");
}

static void writes_special_characters(void **state)
{
    (void)state;
    document_cases_check_text(
        &document_latex, "text\n", "50% & a_b {x} $5 #1 ~^\\",
        "50\\% \\& a\\_b \\{x\\} \\$5 \\#1 \\textasciitilde{}\\textasciicircum{}\\textbackslash{}\n");
    document_cases_check_text(&document_latex, "text\n", "„a“ ‚b‘ – — … ä", ",,a`` ,b` -- --- \\ldots{} ä\n");
    document_cases_check_text(&document_latex, "stra\\ss e \\\"ol\n", "ßa öl ß ö", "\\ss a \\\"ol ß ö\n");
    document_cases_check_text(&document_latex, "a\\ldots.\n", "b…c", "b\\ldots{}c\n");
    document_cases_check_text(&document_latex, "\\item a\n", "[b] [c]", "\\item {[}b] [c]\n");
}

TEST_FILE(test_document_latex)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(reads_the_shorthands_of_german),
        cmocka_unit_test(leaves_environments_of_mathematics_and_code_alone),
        cmocka_unit_test(leaves_arguments_of_declarations_alone),
        cmocka_unit_test(writes_special_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
