/* latex_commands.c - see latex_commands.h. */
#include "latex_commands.h"

typedef struct {
    const char *names;
    LatexCommand kind;
} CommandRow;

static const CommandRow commands[] = {
    { "part chapter section subsection subsubsection paragraph subparagraph addchap addsec minisec title subtitle "
      "caption subcaption captionof frametitle framesubtitle",
      LATEX_TITLE },
    { "emph textbf textit textsc textsl textsf textrm textup textmd textnormal text underline uline uuline sout mbox "
      "textcolor colorbox href hyperref enquote uppercase MakeUppercase textsuperscript textsubscript alert structure "
      "makebox framebox fbox centerline parbox foreignquote blockquote hl only uncover visible onslide "
      "hypertarget hyperlink",
      LATEX_SPAN },
    { "texttt code", LATEX_CODE },
    { "lstinline Verb path url nolinkurl", LATEX_INLINE },
    { "mintinline mint", LATEX_MINTED },
    { "footnote footnotetext thanks marginpar endnote sidenote todo", LATEX_NOTE },
    { "label index vspace hspace footnotemark pagebreak nopagebreak linebreak nolinebreak glsadd nocite selectlanguage "
      "tableofcontents listoffigures listoftables printbibliography bibliography bibliographystyle input include "
      "includegraphics includeonly cline toprule midrule bottomrule cmidrule rule pagestyle thispagestyle markboth "
      "markright addcontentsline setlength addtolength setcounter addtocounter stepcounter refstepcounter "
      "numberwithin pagenumbering color hyphenation fontsize fontfamily fontseries fontshape fontencoding usefont "
      "linespread",
      LATEX_INVISIBLE },
    { "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bf it tt sc sf rm sl em bfseries "
      "itshape ttfamily scshape sffamily rmfamily slshape upshape mdseries normalfont selectfont normalcolor boldmath "
      "unboldmath centering raggedright raggedleft sloppy fussy indent noindent bigskip medskip smallskip vfill hfill "
      "dotfill hrulefill hline allowbreak phantomsection protect maketitle appendix frontmatter mainmatter backmatter "
      "xspace relax ignorespaces unskip leavevmode strut null - / , ; : ! @",
      LATEX_DECLARATION },
    { "hskip vskip kern mskip mkern hglue vglue parindent parskip baselineskip lineskip leftskip rightskip hsize vsize "
      "tabcolsep fboxsep fboxrule topsep itemsep parsep",
      LATEX_LENGTH },
    { "par newline newpage clearpage cleardoublepage \\ pause bibitem", LATEX_BREAK },
    { "item", LATEX_ITEM },
    { "frame", LATEX_FRAMED },
    { "newcommand renewcommand providecommand newenvironment renewenvironment newtheorem DeclareMathOperator def edef "
      "gdef xdef let usepackage RequirePackage documentclass documentstyle PassOptionsToPackage newcounter newlength "
      "newif author date affil institute email keywords hypersetup geometry lstset usetikzlibrary definecolor "
      "DeclareRobustCommand DeclareUrlCommand newcolumntype newglossaryentry newacronym graphicspath addbibresource",
      LATEX_DEFINITION },
    { "verb spverb", LATEX_VERB },
};

typedef struct {
    const char *names;
    LatexEnvironment kind;
} EnvironmentRow;

static const EnvironmentRow environments[] = {
    { "theorem lemma proof definition corollary proposition remark example exercise claim", LATEX_THEOREM },
    { "frame", LATEX_FRAME },
    { "block exampleblock alertblock", LATEX_BLOCK },
    { "verbatim Verbatim BVerbatim LVerbatim spverbatim semiverbatim lstlisting minted alltt comment filecontents "
      "luacode equation align alignat xalignat xxalignat flalign gather multline eqnarray IEEEeqnarray "
      "IEEEeqnarraybox displaymath math dmath darray empheq numcases subnumcases mathpar array tikzpicture tikzcd "
      "circuitikz pspicture picture pgfpicture axis thebibliography algorithmic algorithm2e algorithm prooftree forest",
      LATEX_VERBATIM },
};

LatexCommand latex_command_kind(const LatexScan *scan, ByteRange name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (latex_scan_is_in(scan, name, commands[i].names)) return commands[i].kind;
    return LATEX_KEPT;
}

LatexEnvironment latex_environment_kind(const LatexScan *scan, ByteRange name)
{
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++)
        if (latex_scan_is_in(scan, name, environments[i].names)) return environments[i].kind;
    return LATEX_TEXT;
}
