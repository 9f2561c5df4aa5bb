/* test_document_latex.c - document/latex: the units of LaTeX, and their spelling. Every document is also written with
 * its own texts, which must give the same bytes. */
#include "document_cases.h"

static const DocumentCase latex_cases[] = {
    { NULL, "finds the texts" },
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
    { NULL, "reads the shorthands of german" },
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
    { NULL, "finds the titles of frames and blocks" },
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
    { NULL, "knows the arguments of commands" },
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
    { NULL, "keeps code between delimiters" },
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
    { NULL, "reads code and addresses as they are" },
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
    { NULL, "lengths are no text" },
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
    { NULL, "leaves arguments of declarations alone" },
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
    { NULL, "finds the texts of slides in a command" },
    { "\\frame{a}", "a" },
    { "\\frame[plain]{\\frametitle{A} b} c", "A|b|c" },
    { "\\frame<1->[t] {\\begin{itemize}\\item a \\item b\\end{itemize} c\n\nd}\n\\frame{\\titlepage}", "a|b|c|d" },
    { "a \\frame{b} c", "a b c" },
    { "a\\footnote{\\frame{b} c} d", "b c|a d" },
    { "\\frame a", "a" },
    { "\\frame{a", "a" },
    { "\\frame", "" },
    /* TeX would read {\emword} and \smallword as other names. */
    { NULL, "separates names of commands from words" },
    { "a {\\em\nb} c {\\Large\\bf\n  d} {\\tiny %\n e}", "a b c d e" },
    { "a {\\em\n\nb}", "a|b" },
    { "a {\\em \\emph{b}} \\em\n\\emph{c} {\\em}", "a b  c" },
    /* The blank after \i ends its name. */
    { NULL, "reads letters without dots" },
    { "Mart\\'\\i n Garc\\'\\i{}a D\\'{\\i}az D\\'{\\i }az {\\'\\i}x \\^\\j   a \\'\\i",
      "Martín García Díaz Díaz íx ĵa í" },
    { "Garc\\'\\i\n  a \\'\\i\n\nb\\'\\i\n", "García \\'\\i|bí" },
    { "a\\footnote{b\\'\\i\n\nc} d", "b\\'\\i c|a d" },
    { "na\\\"\\i ve \\'\\ia", "naïve \\'\\ia" },
    { "stra\\ss  e \\ss \na \\o{}re", "straße \\ss a øre" },
    { "a \\'\\i\n\\end{document}", "a í" },
    { "\\textbf{a\\'\\i\n} b\\'\\i\\emph{c}", "aí bíc" },
    { NULL, "finds the document outside of comments and code" },
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
    { NULL, "leaves environments alone that contain code" },
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
    { NULL, "learns which environments contain code" },
    { "\\lstnewenvironment{x}[1][]{y}{}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\DefineVerbatimEnvironment{x}{Verbatim}{}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\newtcblisting[auto]{x}[2][]{y}a\\begin{x}\nNo text at all.\n\\end{x}b", "a|b" },
    { "\\newenvironment{x}{\\VerbatimEnvironment\\begin{minted}{c}}{\\end{minted}}a\\begin{x}\nNo\n\\end{x}b", "a|b" },
    { "\\newenvironment{x}{\\verbatim}{\\endverbatim}\\begin{x}No\\end{x}b", "b" },
    { "\\newenvironment{x}{\\verbatim}{}\\renewenvironment{x}{\\quote}{}\\begin{x}Yes\\end{x}b", "Yes|b" },
    /* Names are searched for in sorted tables: the first, last and similar ones. */
    { NULL, "knows commands with similar names" },
    { "a\\!b\\xspace c \\sc d \\scshape e \\scshap f", "ab c  d  e \\scshap f" },
    { "\\section*{a}b\\sectio{c}\\caption*{d}\\\\*e \\par* f", "a|b\\sectio{c}|d|e|f" },
    { "\\begin{xxalignat*}no\\end{xxalignat*}\\begin{BVerbatim}no\\end{BVerbatim}\\begin{tabular*}{no}{no}a"
      "\\end{tabular*}",
      "a" },
    { "\\AA\\textunderscore\\o \\S\\ss\\sss", "\xc3\x85_\xc3\xb8\xc2\xa7\xc3\x9f\\sss" },
    { NULL, "learns what begins and ends mathematics" },
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
    { NULL, "leaves texts with subscripts alone" },
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
    { NULL, "keeps code and other languages" },
    { "a {\\tt b} {\\small\\ttfamily\n c} {\\tt\\rm d} {\\em e\\tt f}", "a b c d e f" },
    { "{\\tt no}\n\n{\\ttfamily no}\n\n{\\tt\\rm yes}\n\n\\foreignlanguage{french}{no}\n\n\\foreignquote {french} "
      "{no}",
      "yes" },
    { "a\\begin{otherlanguage}{french}no\\end{otherlanguage} "
      "b\\begin{otherlanguage*}{french}no\\end{otherlanguage*}",
      "a|b" },
    { NULL, "finds the texts of standard commands" },
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

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_latex, latex_cases, COUNT(latex_cases));
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

static const DocumentTextCase latex_texts[] = {
    { NULL, "reads the shorthands of german", NULL },
    { "a", "\"b\" (\"c\") d\"", "``b'' (``c'') d''" },
    { "\\usepackage[german]{babel}\\begin{document}A\"-b \"|c\\-d", "x",
      "\\usepackage[german]{babel}\\begin{document}x" },
    { "a \"b\"", "\"c\" \"d\"", "\"c\" ``d''" },
    { NULL, "leaves arguments of declarations alone", NULL },
    { "{\\color{red} a}", "b", "{\\color{red} b}" },
    { NULL, "reads letters without dots", NULL },
    { "na\\\"\\i ve", "naïe", "na\\\"\\i e" },
    { "na\\\"\\i ve", "na ï e", "na ï e" },
    { "na\\\"\\i ve", "na ï", "na \\\"\\i " },
    { "Mar\\'\\i{}a", "Marí a ía", "Mar\\'\\i{} a ía" },
    { "\\'\\i. a", "ía í", "ía í" },
    { "\\ss a", "ß b", "ß b" },
    { NULL, "writes special characters", NULL },
    { "text\n", "50% & a_b {x} $5 #1 ~^\\",
      "50\\% \\& a\\_b \\{x\\} \\$5 \\#1 \\textasciitilde{}\\textasciicircum{}\\textbackslash{}\n" },
    { "text\n", "„a“ ‚b‘ – — … ä", ",,a`` ,b` -- --- \\ldots{} ä\n" },
    { "stra\\ss e \\\"ol\n", "ßa öl ß ö", "\\ss a \\\"ol ß ö\n" },
    { "a\\ldots.\n", "b…c", "b\\ldots{}c\n" },
    { "\\item a\n", "[b] [c]", "\\item {[}b] [c]\n" },
    { NULL, "finds the texts of standard commands", NULL },
    { "a \\texorpdfstring{b}{1} c", "d e", "\\texorpdfstring{}{1}d e" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_latex, latex_texts, COUNT(latex_texts));
}

TESTS(test_document_latex);
