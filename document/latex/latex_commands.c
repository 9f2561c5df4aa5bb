/* latex_commands.c - see latex_commands.h. */
#include "latex_commands.h"

#include <string.h>

typedef struct {
    const char *names;
    LatexCommand command;
} CommandRow;

static const CommandRow commands[] = {
    { "part chapter section subsection subsubsection paragraph subparagraph addchap addsec minisec title subtitle "
      "caption subcaption subfloat subfigure subtable frametitle framesubtitle opening closing",
      { LATEX_TITLE, 1 } },
    { "captionof", { LATEX_TITLE, 2 } },
    { "emph textbf textit textsc textsl textsf textrm textup textmd textnormal text underline uline uuline sout mbox "
      "enquote uppercase MakeUppercase textsuperscript textsubscript alert structure makebox framebox fbox centerline "
      "blockquote hl only uncover visible onslide",
      { LATEX_SPAN, 1 } },
    { "textcolor colorbox href parbox hypertarget hyperlink raisebox scalebox rotatebox", { LATEX_SPAN, 2 } },
    { "fcolorbox multicolumn multirow resizebox", { LATEX_SPAN, 3 } },
    { "hyperref", { LATEX_SPAN, LATEX_ANY_COUNT } },
    { "hbox vbox vtop", { LATEX_BOX, 1 } },
    { "texttt code", { LATEX_CODE, 1 } },
    { "foreignquote foreignlanguage", { LATEX_CODE, 2 } },
    { "texorpdfstring", { LATEX_TEX_STRING, LATEX_ANY_COUNT } },
    { "lstinline Verb path url nolinkurl", { LATEX_INLINE, 0 } },
    { "mintinline mint", { LATEX_MINTED, 0 } },
    { "footnote footnotetext thanks marginpar endnote sidenote todo", { LATEX_NOTE, 1 } },
    { "addcontentsline", { LATEX_NOTE, 3 } },
    { "ref eqref pageref autoref cref Cref nameref vref cite citep citet citealp citealt citeauthor citeyear parencite "
      "textcite autocite footcite fullcite gls Gls glspl Glspl acrshort acrlong acrfull ac acp acs acl num si unit ang "
      "ensuremath",
      { LATEX_KEPT, 1 } },
    { "SI qty", { LATEX_KEPT, 2 } },
    { "footnotemark pagebreak nopagebreak linebreak nolinebreak tableofcontents listoffigures listoftables "
      "printbibliography toprule midrule bottomrule",
      { LATEX_INVISIBLE, 0 } },
    { "label index vspace hspace glsadd nocite selectlanguage bibliography bibliographystyle includegraphics "
      "includeonly cline cmidrule pagestyle thispagestyle markright stepcounter refstepcounter pagenumbering color "
      "hyphenation fontfamily fontseries fontshape fontencoding linespread",
      { LATEX_INVISIBLE, 1 } },
    { "rule markboth setlength addtolength setcounter addtocounter numberwithin fontsize", { LATEX_INVISIBLE, 2 } },
    { "usefont", { LATEX_INVISIBLE, 4 } },
    { "input include", { LATEX_FILE, 1 } },
    { "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it tt sc sf rm sl em bfseries "
      "itshape ttfamily scshape sffamily rmfamily slshape upshape mdseries normalfont selectfont normalcolor boldmath "
      "unboldmath centering raggedright raggedleft sloppy fussy indent noindent bigskip medskip smallskip vfill hfill "
      "dotfill hrulefill hline allowbreak phantomsection protect maketitle appendix frontmatter mainmatter backmatter "
      "xspace relax ignorespaces unskip leavevmode strut null - / , ; : ! @",
      { LATEX_DECLARATION, 0 } },
    { "hskip vskip kern mskip mkern hglue vglue parindent parskip baselineskip lineskip leftskip rightskip hsize vsize "
      "tabcolsep fboxsep fboxrule topsep itemsep parsep",
      { LATEX_LENGTH, 0 } },
    { "par newline newpage clearpage cleardoublepage \\ tabularnewline cr crcr pause", { LATEX_BREAK, 0 } },
    { "bibitem end", { LATEX_BREAK, 1 } },
    { "item", { LATEX_ITEM, 0 } },
    { "frame", { LATEX_FRAMED, 0 } },
    { "def edef gdef xdef let", { LATEX_DEFINITION, 0 } },
    { "usepackage RequirePackage documentclass documentstyle newcounter newlength newif author date affil institute "
      "email keywords hypersetup geometry lstset usetikzlibrary graphicspath addbibresource",
      { LATEX_DEFINITION, 1 } },
    { "newcommand renewcommand providecommand newtheorem DeclareMathOperator DeclareRobustCommand DeclareUrlCommand "
      "PassOptionsToPackage newcolumntype newglossaryentry colorlet",
      { LATEX_DEFINITION, 2 } },
    { "newenvironment renewenvironment definecolor newacronym", { LATEX_DEFINITION, 3 } },
    { "verb spverb", { LATEX_VERB, 0 } },
};

typedef struct {
    const char *names;
    LatexEnvironment environment;
} EnvironmentRow;

static const EnvironmentRow environments[] = {
    { "document center quote quotation verse flushleft flushright abstract titlepage", { LATEX_TEXT, 0 } },
    { "itemize enumerate description figure table sidewaysfigure sidewaystable columns", { LATEX_OPTIONS, 0 } },
    { "tabular* tabularx tabulary wrapfigure wraptable", { LATEX_OPTIONS, 2 } },
    { "tabular longtable minipage multicols column subfigure subtable", { LATEX_OPTIONS, 1 } },
    { "tabu longtabu", { LATEX_WIDTH, 1 } },
    { "theorem lemma proof definition corollary proposition remark example exercise claim", { LATEX_THEOREM, 0 } },
    { "frame", { LATEX_FRAME, 0 } },
    { "block exampleblock alertblock", { LATEX_BLOCK, 0 } },
    { "verbatim Verbatim BVerbatim LVerbatim spverbatim semiverbatim lstlisting minted alltt comment filecontents "
      "luacode code Highlighting python pycode pyconsole sagesilent sageblock Sinput Soutput CCSXML",
      { LATEX_VERBATIM, 0 } },
    { "algorithm algorithm2e", { LATEX_CAPTIONED, 0 } },
    { "equation align alignat xalignat "
      "xxalignat flalign gather multline eqnarray IEEEeqnarray "
      "IEEEeqnarraybox displaymath math dmath darray empheq numcases subnumcases mathpar array tikzpicture tikzcd "
      "circuitikz pspicture picture pgfpicture axis thebibliography algorithmic prooftree forest otherlanguage",
      { LATEX_FORMULA, 0 } },
};

LatexCommand latex_command(const LatexScan *scan, ByteRange name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (latex_scan_is_in(scan, name, commands[i].names)) return commands[i].command;
    return (LatexCommand){ LATEX_KEPT, LATEX_ANY_COUNT };
}

/* Whether the environment is a variant of mathematics from a package or class: narrowmultline*. */
static bool is_variant(const LatexScan *s, ByteRange name)
{
    static const char *const ends[] = { "equation", "eqnarray", "multline", "gather" };
    const size_t star = name.begin < name.end && s->bytes[name.end - 1] == '*', end = name.end - star;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i]);
        if (end - name.begin > length && memcmp(s->bytes + end - length, ends[i], length) == 0) return true;
    }
    return false;
}

LatexEnvironment latex_environment(const LatexScan *scan, ByteRange name)
{
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++)
        if (latex_scan_is_in(scan, name, environments[i].names)) return environments[i].environment;
    return is_variant(scan, name) ? (LatexEnvironment){ LATEX_FORMULA, 0 }
                                  : (LatexEnvironment){ LATEX_TEXT, LATEX_ANY_COUNT };
}
