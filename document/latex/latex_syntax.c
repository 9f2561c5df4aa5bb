/* latex_syntax.c - see latex_syntax.h. */
#include "latex_syntax.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "utf8.h"

/* --- The syntax of LaTeX documents: comments, names and arguments of commands. */

/* The most bytes of an argument in brackets and of an overlay specification: reading must take linear time. */
#define OPTION_BYTES  ((size_t)1000)
#define OVERLAY_BYTES ((size_t)100)

static bool is_letter(char c)
{
    return char_is_letter(c) || c == '@';
}

/* Returns the place of the } that closes the { at byte `at`; 0 if there is none. */
static size_t latex_scan_partner(const LatexScan *s, size_t at)
{
    const Range key = { at, 0 };
    const Range *found =
        s->groups.len ? bsearch(&key, s->groups.data, s->groups.len, sizeof *s->groups.data, ranges_compare_begin)
                      : NULL;

    return found ? found->end : 0;
}

bool latex_scan_is_paragraph(const LatexScan *s, size_t at)
{
    size_t newlines = 0;

    for (; at < s->end && char_is_space(s->bytes[at]); at++) newlines += s->bytes[at] == '\n';
    return newlines > 1;
}

size_t latex_scan_comment(const LatexScan *s, size_t at)
{
    const size_t newline = latex_line_end(s, at), end = latex_skip_blanks(s, newline < s->end ? newline + 1 : newline);

    return char_is_newline(latex_byte(s, end)) ? newline : end;
}

Range latex_scan_name(const LatexScan *s, size_t at)
{
    Range name = { at + 1, at + 1 };

    if (name.end < s->end && !is_letter(s->bytes[name.end])) {
        name.end++;
        while (char_goes_on(latex_byte(s, name.end))) name.end++;
        return name;
    }
    while (is_letter(latex_byte(s, name.end))) name.end++;
    name.end += latex_byte(s, name.end) == '*';
    return name;
}

bool latex_scan_is_in(const LatexScan *s, Range name, const char *list)
{
    const char *bytes = s->bytes + name.begin;
    const size_t length = name.end - name.begin;

    return chars_are_among(bytes, length, list) ||
           (length > 1 && bytes[length - 1] == '*' && chars_are_among(bytes, length - 1, list));
}

size_t latex_scan_option(const LatexScan *s, size_t at, Range *contents)
{
    const size_t limit = chars_limit(at, s->end, OPTION_BYTES);

    if (latex_byte(s, at) != '[') return at;
    for (size_t i = at + 1; i < limit; i++) {
        const char c = s->bytes[i];
        if (c == ']') {
            *contents = (Range){ at + 1, i };
            return i + 1;
        }
        if (c == '\\') {
            i++;
        } else if (c == '{') {
            i = latex_scan_partner(s, i);
            if (!i) return at;
        } else if (c == '}' || c == '%') {
            return at;
        }
    }
    return at;
}

size_t latex_scan_argument(const LatexScan *s, size_t at, Range *contents)
{
    const size_t partner = latex_byte(s, at) == '{' ? latex_scan_partner(s, at) : 0;

    if (!partner) return at;
    *contents = (Range){ at + 1, partner };
    return partner + 1;
}

size_t latex_scan_overlay(const LatexScan *s, size_t at)
{
    const size_t limit = chars_limit(at, s->end, OVERLAY_BYTES);
    size_t end = at + 1;

    if (latex_byte(s, at) != '<') return at;
    while (end < limit && (is_letter(s->bytes[end]) || char_is_among(s->bytes[end], "0123456789+-.,:|()* "))) end++;
    return end < limit && s->bytes[end] == '>' ? end + 1 : at;
}

size_t latex_scan_blanks(const LatexScan *s, size_t at)
{
    bool has_line_end = false;

    while (at < s->end && (char_is_space(s->bytes[at]) || s->bytes[at] == '%')) {
        if (s->bytes[at] == '%') {
            at = latex_scan_comment(s, at);
            continue;
        }
        if (s->bytes[at] == '\n' && has_line_end) break;
        has_line_end |= s->bytes[at++] == '\n';
    }
    return at;
}

size_t latex_scan_settings(const LatexScan *s, size_t at)
{
    for (;;) {
        Range contents;
        const size_t begin = latex_scan_blanks(s, at), overlay = latex_scan_overlay(s, begin);
        const size_t next = overlay > begin ? overlay : latex_scan_option(s, begin, &contents);
        if (next == begin) return at;
        at = next;
    }
}

size_t latex_scan_arguments(const LatexScan *s, size_t at, size_t count, Range *last)
{
    const bool is_counted = count > 0 && count < LATEX_ANY_COUNT;
    Range contents;

    for (size_t next; !is_counted; at = next) { /* all arguments that follow without blanks */
        next = latex_scan_option(s, at, &contents);
        if (next > at) continue;
        next = count ? latex_scan_argument(s, at, &contents) : at;
        if (next == at) return at;
        if (last) *last = contents;
    }
    for (; count; count--) {
        size_t begin = latex_scan_settings(s, at), end = begin;
        if (latex_byte(s, begin) == '(') { /* as in \cmidrule(lr){1-2} */
            const size_t limit = chars_limit(begin, s->end, OVERLAY_BYTES);
            for (end++; end < limit && !strchr("()[]{}%\\\n", s->bytes[end]);) end++;
            if (end < limit && s->bytes[end] == ')') begin = end + 1;
        }
        begin = latex_scan_blanks(s, latex_scan_settings(s, begin));
        end = latex_scan_argument(s, begin, &contents);
        if (end > begin) {
            if (last && count == 1) *last = contents;
        } else if (!last && latex_byte(s, begin) == '\\') {
            end = latex_scan_name(s, begin).end;
        } else if (count > 1 && latex_byte(s, begin) == '*') { /* \multirow{2}*{x} */
            end = begin + 1;
        } else {
            break;
        }
        at = end;
    }
    return at;
}

/* --- Whether a quote begins a shorthand of German with the package babel: "a is \"a, "` and "' are quotation marks. */

static bool is_german(const LatexScan *s, Range word)
{
    return latex_scan_is_in(s, word, "german ngerman austrian naustrian swissgerman nswissgerman germanb");
}

/* Whether the main language in the options is German: the one in main=NAME, or else the last one. Options of a class
 * may be other words; in those of babel, each name is a language. *has_language: the options contain a language. */
static bool is_main_german(const LatexScan *s, Range options, bool of_class, bool *has_language)
{
    static const char main[] = "main=";
    static const char languages[] =
        "english american british USenglish UKenglish canadian australian newzealand french francais "
        "frenchb acadian canadien italian spanish catalan galician portuguese brazilian brazil "
        "portuges romanian latin dutch afrikaans danish swedish norsk nynorsk icelandic finnish "
        "estonian latvian lithuanian polish czech slovak slovene croatian serbian bulgarian "
        "russian ukrainian hungarian magyar greek turkish irish welsh basque esperanto";
    bool is_last = false;

    *has_language = false;
    for (size_t at = options.begin, comma; at < options.end; at = comma + 1) {
        bool is_main;
        Range word;
        comma = chars_find(s->bytes, at, options.end, ',');
        word.begin = chars_skip_space(s->bytes, at, comma);
        word.end = chars_trimmed_end(s->bytes, word.begin, comma);
        is_main = word.end - word.begin >= sizeof main && chars_begin(s->bytes, word.begin, word.end, main);
        if (is_main) word.begin += sizeof main - 1;
        if (word.begin == word.end || memchr(s->bytes + word.begin, '=', word.end - word.begin)) continue;
        /* an option of a class may be anything */
        if (of_class && !is_german(s, word) && !latex_scan_is_in(s, word, languages)) continue;
        *has_language = true;
        is_last = is_german(s, word);
        if (is_main) break;
    }
    return is_last;
}

/* Returns the first place of `text` in the range outside of comments, or the end of the range. The range does not begin
 * in a comment. */
static size_t find(const LatexScan *s, Range range, const char *text)
{
    for (size_t at = range.begin; at < range.end; at++) {
        if (chars_begin(s->bytes, at, range.end, text)) return at;
        if (s->bytes[at] == '\\')
            at++;
        else if (s->bytes[at] == '%')
            at = latex_line_end(s, at);
    }
    return range.end;
}

bool latex_scan_has_shorthands(const LatexScan *s, size_t begin, size_t end)
{
    static const char *const others[] = { "\\shorthandoff", "\\MakeOuterQuote", "\\MakeInnerQuote", "\\MakeAutoQuote",
                                          "shorthands=off" };
    static const char class[] = "\\documentclass", select[] = "\\selectlanguage";
    const Range preamble = { begin, end };
    Range options, rest = { begin, s->end }, name;
    bool has_language, is_main;
    size_t at = find(s, preamble, "{babel}");

    if (at == end) return false;
    options = (Range){ at, at }; /* in the brackets before {babel} */
    if (at > begin && s->bytes[at - 1] == ']') {
        options.end = at - 1;
        while (options.begin > begin && s->bytes[options.begin - 1] != '[') options.begin--;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (find(s, rest, others[i]) < rest.end) return false;
    while ((rest.begin = find(s, rest, select)) < rest.end) {
        rest.begin = latex_scan_blanks(s, rest.begin + sizeof select - 1);
        if (latex_scan_argument(s, rest.begin, &name) > rest.begin && !is_german(s, name)) return false;
    }
    is_main = is_main_german(s, options, false, &has_language);
    if (has_language) return is_main;
    at = find(s, preamble, class);
    if (at == end) return false;
    at += sizeof class - 1;
    return latex_scan_option(s, at, &options) > at && is_main_german(s, options, true, &has_language);
}

/* --- What commands and environments of LaTeX mean for a translation. */

/* Names are separated by spaces. */
static const struct {
    LatexCommand command;
    const char *names;
} commands[] = {
    { { LATEX_KEPT, 1 },
      "Cref Gls Glspl ac acl acp acrfull acrlong acrshort acs ang autocite autoref cite citealp citealt "
      "citeauthor citep citet citeyear cref ensuremath eqref footcite fullcite gls glspl nameref num pageref "
      "parencite ref si textcite unit vref" },
    { { LATEX_KEPT, 2 }, "SI qty" },
    { { LATEX_TITLE, 1 },
      "addchap addsec caption chapter closing framesubtitle frametitle minisec opening paragraph part section "
      "subcaption subfigure subfloat subparagraph subsection subsubsection subtable subtitle title" },
    { { LATEX_TITLE, 2 }, "captionof" },
    { { LATEX_SPAN, 1 },
      "MakeUppercase alert blockquote centerline emph enquote fbox framebox hl makebox mbox only onslide sout "
      "structure text textbf textit textmd textnormal textrm textsc textsf textsl textsubscript textsuperscript "
      "textup uline uncover underline uppercase uuline visible" },
    { { LATEX_SPAN, 2 }, "colorbox href hyperlink hypertarget parbox raisebox rotatebox scalebox textcolor" },
    { { LATEX_SPAN, 3 }, "fcolorbox multicolumn multirow resizebox" },
    { { LATEX_SPAN, LATEX_ANY_COUNT }, "hyperref" },
    { { LATEX_BOX, 1 }, "hbox vbox vtop" },
    { { LATEX_CODE, 1 }, "code texttt" },
    { { LATEX_CODE, 2 }, "foreignlanguage foreignquote" },
    { { LATEX_TEX_STRING, LATEX_ANY_COUNT }, "texorpdfstring" },
    { { LATEX_INLINE, 0 }, "Verb lstinline nolinkurl path url" },
    { { LATEX_INLINE, 1 }, "mint mintinline" },
    { { LATEX_NOTE, 1 }, "endnote footnote footnotetext marginpar sidenote thanks todo" },
    { { LATEX_NOTE, 3 }, "addcontentsline" },
    { { LATEX_INVISIBLE, 0 },
      "bottomrule footnotemark linebreak listoffigures listoftables midrule nolinebreak nopagebreak pagebreak "
      "printbibliography tableofcontents toprule" },
    { { LATEX_INVISIBLE, 1 },
      "bibliography bibliographystyle cline cmidrule color fontencoding fontfamily fontseries fontshape glsadd "
      "hspace hyphenation includegraphics includeonly index label linespread markright nocite pagenumbering "
      "pagestyle refstepcounter selectlanguage stepcounter thispagestyle vspace" },
    { { LATEX_INVISIBLE, 2 }, "addtocounter addtolength fontsize markboth numberwithin rule setcounter setlength" },
    { { LATEX_INVISIBLE, 4 }, "usefont" },
    { { LATEX_FILE, 1 }, "include input" },
    { { LATEX_DECLARATION, 0 },
      "! , - / : ; @ Huge LARGE Large VerbatimEnvironment allowbreak appendix backmatter bf bfseries bigskip "
      "boldmath centering dotfill em footnotesize frontmatter fussy hfill hline hrulefill huge ignorespaces "
      "indent it itshape large leavevmode mainmatter maketitle mdseries medskip noindent normalcolor normalfont "
      "normalsize null phantomsection protect raggedleft raggedright relax rm rmfamily sc scriptsize scshape "
      "selectfont sf sffamily sl sloppy slshape small smallskip strut tiny tt ttfamily unboldmath unskip "
      "upshape vfill xspace" },
    { { LATEX_LENGTH, 0 },
      "baselineskip fboxrule fboxsep hglue hsize hskip itemsep kern leftskip lineskip mkern mskip parindent "
      "parsep parskip rightskip tabcolsep topsep vglue vsize vskip" },
    { { LATEX_BREAK, 0 }, "\\ cleardoublepage clearpage cr crcr newline newpage par pause tabularnewline" },
    { { LATEX_BREAK, 1 }, "bibitem end" },
    { { LATEX_ITEM, 0 }, "item" },
    { { LATEX_FRAMED, 0 }, "frame" },
    { { LATEX_DEFINITION, 0 }, "def edef gdef let xdef" },
    { { LATEX_DEFINITION, 1 },
      "RequirePackage addbibresource affil author date documentclass documentstyle email geometry graphicspath "
      "hypersetup institute keywords lstset newcounter newif newlength usepackage usetikzlibrary" },
    { { LATEX_DEFINITION, 2 },
      "DeclareMathOperator DeclareRobustCommand DeclareUrlCommand PassOptionsToPackage colorlet newcolumntype "
      "newcommand newglossaryentry newtcblisting newtheorem providecommand renewcommand" },
    { { LATEX_DEFINITION, 3 },
      "DeclareTCBListing DefineVerbatimEnvironment NewTCBListing definecolor lstnewenvironment newacronym "
      "newenvironment renewenvironment" },
    { { LATEX_VERB, 0 }, "spverb verb" },
};

static const struct {
    LatexEnvironment environment;
    const char *names;
} environments[] = {
    { { LATEX_TEXT, 0 }, "abstract center document flushleft flushright quotation quote titlepage verse" },
    { { LATEX_OPTIONS, 0 }, "columns description enumerate figure itemize sidewaysfigure sidewaystable table" },
    { { LATEX_OPTIONS, 1 }, "column longtable minipage multicols subfigure subtable tabular" },
    { { LATEX_OPTIONS, 2 }, "tabular* tabularx tabulary wrapfigure wraptable" },
    { { LATEX_WIDTH, 1 }, "longtabu tabu" },
    { { LATEX_THEOREM, 0 }, "claim corollary definition example exercise lemma proof proposition remark theorem" },
    { { LATEX_FRAME, 0 }, "frame" },
    { { LATEX_BLOCK, 0 }, "alertblock block exampleblock" },
    { { LATEX_VERBATIM, 0 },
      "BVerbatim CCSXML Highlighting LVerbatim Sinput Soutput Verbatim alltt code comment filecontents "
      "lstlisting luacode minted pycode pyconsole python sageblock sagesilent semiverbatim spverbatim verbatim" },
    { { LATEX_CAPTIONED, 0 }, "algorithm algorithm2e" },
    { { LATEX_FORMULA, 0 },
      "IEEEeqnarray IEEEeqnarraybox algorithmic align alignat array axis circuitikz darray displaymath dmath "
      "empheq eqnarray equation flalign forest gather math mathpar multline numcases otherlanguage pgfpicture "
      "picture prooftree pspicture subnumcases thebibliography tikzcd tikzpicture xalignat xxalignat" },
};

/* In the map of commands, the value of a letter is FIRST_LETTER plus its code point. */
#define FIRST_LETTER ((int32_t)1 << 24)

/* Commands of letters, each before its character; a space or {} ends their names in a document. */
static const char letters[] =
    "AA Å AE Æ L Ł O Ø OE Œ S § aa å ae æ copyright © dots … euro € flq ‹ flqq « frq › frqq » glq ‚ glqq „ grq "
    "‘ grqq “ guillemotleft « guillemotright » i ı j ȷ l ł ldots … o ø oe œ quotedblbase „ slash / ss ß "
    "textasciicircum ^ textasciitilde ~ textbackslash \\ textbar | textdegree ° textemdash — textendash – "
    "texteuro € textgreater > textless < textquotedblleft “ textquotedblright ” textquoteleft ‘ textquoteright "
    "’ textunderscore _";

/* Adds names that are separated by spaces. */
static Status add_names(StrMap *map, const char *names, size_t row, Err *err)
{
    Status st = OK;
    bool added;

    while (st == OK && *names) {
        const size_t length = strcspn(names, " ");
        st = str_map_add(map, names, length, (int32_t)row, &added, err);
        names += length + strspn(names + length, " ");
    }
    return st;
}

Status latex_scan_open(LatexScan *s, Err *err)
{
    Status st = str_map_new(&s->commands, err);

    if (st == OK) st = str_map_new(&s->environments, err);
    for (size_t i = 0; st == OK && i < sizeof commands / sizeof *commands; i++)
        st = add_names(s->commands, commands[i].names, i, err);
    for (size_t i = 0; st == OK && i < sizeof environments / sizeof *environments; i++)
        st = add_names(s->environments, environments[i].names, i, err);
    for (const char *name = letters; st == OK && *name; name += *name == ' ') { /* each letter is after its name */
        const size_t length = strcspn(name, " "), after = length + 1;
        uint32_t code;
        const size_t size = utf8_next(name + after, strlen(name + after), &code);
        bool added;
        st = str_map_add(s->commands, name, length, FIRST_LETTER + (int32_t)code, &added, err);
        name += after + size;
    }
    return st;
}

/* Returns the row of the name, or of the name without its star; -1: the name is not known. */
static int32_t find_row(const LatexScan *s, const StrMap *map, Range name)
{
    const char *bytes = s->bytes + name.begin;
    const size_t length = name.end - name.begin;
    const int32_t row = str_map_get(map, bytes, length, -1);

    return row < 0 && length > 1 && bytes[length - 1] == '*' ? str_map_get(map, bytes, length - 1, -1) : row;
}

LatexCommand latex_command(const LatexScan *s, Range name)
{
    const int32_t row = find_row(s, s->commands, name);
    const bool is_command = row >= 0 && (size_t)row < sizeof commands / sizeof *commands; /* known, and no letter */

    return is_command ? commands[row].command : (LatexCommand){ LATEX_KEPT, LATEX_ANY_COUNT };
}

uint32_t latex_letter(const LatexScan *s, Range name)
{
    const int32_t row = str_map_get(s->commands, s->bytes + name.begin, name.end - name.begin, 0);

    return row > FIRST_LETTER ? (uint32_t)(row - FIRST_LETTER) : 0;
}

LatexEnvironment latex_environment(const LatexScan *s, Range name)
{
    static const char *const formulas[] = { "equation", "eqnarray", "multline", "gather" };
    const int32_t row = find_row(s, s->environments, name);
    const size_t star = name.begin < name.end && s->bytes[name.end - 1] == '*', end = name.end - star;

    if (row >= 0) return environments[row].environment;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) { /* variants of packages: narrowmultline* */
        const size_t length = strlen(formulas[i]);
        if (end - name.begin > length && memcmp(s->bytes + end - length, formulas[i], length) == 0)
            return (LatexEnvironment){ LATEX_FORMULA, 0 };
    }
    return (LatexEnvironment){ LATEX_TEXT, LATEX_ANY_COUNT };
}
