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
    const size_t length = name.end - name.begin, shorter = length - (length > 1 && bytes[length - 1] == '*');

    for (; *list; list += *list == ' ') {
        size_t same = 0;
        while (same < length && list[same] && list[same] != ' ' && list[same] == bytes[same]) same++;
        list += same;
        if (same >= shorter && (!*list || *list == ' ')) return true;
        while (*list && *list != ' ') list++;
    }
    return false;
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

/* --- The ends of parts that are not translated. */

size_t latex_extent_verb(const LatexScan *s, size_t at)
{
    const size_t limit = chars_limit(at, s->end, LATEX_PART_BYTES), mark = latex_skip_blanks(s, at); /* as TeX does */
    size_t length = 1; /* of the character around the code */

    while (mark + length < limit && char_goes_on(s->bytes[mark + length])) length++;
    for (size_t i = mark + length; i + length <= limit && s->bytes[i] != '\n' && s->bytes[mark] != '\n'; i++)
        if (memcmp(s->bytes + i, s->bytes + mark, length) == 0) return i + length;
    return at;
}

size_t latex_extent_boundary(const LatexScan *s, size_t at, const char *command, LineText name)
{
    size_t brace, end;

    if (!chars_begin(s->bytes, at, s->end, command)) return at;
    brace = latex_skip_blanks(s, at + strlen(command));
    if (s->end - brace < name.len + 2 || s->bytes[brace] != '{') return at;
    end = brace + 1 + name.len;
    return memcmp(s->bytes + brace + 1, name.data, name.len) == 0 && s->bytes[end] == '}' ? end + 1 : at;
}

Range latex_extent_find_boundary(const LatexScan *s, size_t at, const char *command, LineText name)
{
    while ((at = chars_after(s->bytes, at, s->end, command, 0)) > 0) {
        const size_t begin = at - strlen(command), end = latex_extent_boundary(s, begin, command, name);
        if (end > begin) return (Range){ begin, end };
    }
    return (Range){ s->end, s->end };
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

/* --- Definitions: commands and environments of a document that begin or end mathematics or code. */

/* Finds the name that is defined after byte `at`: {\x}, \x or {x}. Returns where it ends, or `at`. */
static size_t read_name(const LatexScan *s, size_t at, Range *name)
{
    const size_t begin = latex_scan_blanks(s, at);
    size_t end = latex_scan_argument(s, begin, name);

    if (end > begin) {
        name->begin = latex_scan_blanks(s, name->begin);
        if (name->begin < name->end && s->bytes[name->begin] == '\\') *name = latex_scan_name(s, name->begin);
        return end;
    }
    if (begin == s->end || s->bytes[begin] != '\\') return at;
    *name = latex_scan_name(s, begin);
    return name->end;
}

/* Returns the end of the blanks and commands without text that begin at byte `at`. */
static size_t skip_invisible(const LatexScan *s, size_t at, size_t end)
{
    for (;;) {
        Range name;
        LatexCommand command;
        at = latex_scan_blanks(s, at);
        if (at >= end || s->bytes[at] != '\\') return at;
        name = latex_scan_name(s, at);
        command = latex_command(s, name);
        if (command.kind == LATEX_INVISIBLE)
            at = latex_scan_arguments(s, name.end, command.count, NULL);
        else if (command.kind == LATEX_DECLARATION)
            at = name.end;
        else
            return at;
    }
}

/* Whether \begin{x}, or with `ends` \end{x}, is at byte `at`; *environment is x. \[ and \] count as well. */
static bool read_boundary(const LatexScan *s, size_t at, bool ends, Range *environment)
{
    const Range name = at < s->end && s->bytes[at] == '\\' ? latex_scan_name(s, at) : (Range){ at, at };
    const size_t brace = latex_scan_blanks(s, name.end);

    *environment = (Range){ 0, 0 };
    if (name.begin == name.end) return false;
    if (s->bytes[name.begin] == (ends ? ']' : '[')) return true;
    return latex_scan_is_in(s, name, ends ? "end" : "begin") && latex_scan_argument(s, brace, environment) > brace;
}

/* Whether the mathematics that begins with `environment` ends in the range. */
static bool has_end(const LatexScan *s, Range range, Range environment)
{
    for (size_t at = range.begin; at < range.end; at++) {
        Range other;
        if (s->bytes[at] != '\\') continue;
        if (read_boundary(s, at, true, &other) && ranges_are_same(s->bytes, other, environment)) return true;
        at++;
    }
    return false;
}

static const LatexDefinition *find(const LatexDefinitions *d, const LatexScan *s, Range name, bool is_environment)
{
    for (size_t i = d->count; i-- > 0;)
        if ((d->items[i].kind >= LATEX_IS_FORMULA) == is_environment &&
            ranges_are_same(s->bytes, d->items[i].name, name))
            return &d->items[i];
    return NULL;
}

void latex_definitions_read(LatexDefinitions *d, const LatexScan *s, Range name)
{
    const bool is_code = latex_scan_is_in(
        s, name, "lstnewenvironment DefineVerbatimEnvironment newtcblisting NewTCBListing DeclareTCBListing");
    const bool is_environment = is_code || latex_scan_is_in(s, name, "newenvironment renewenvironment");
    const LatexDefinition *earlier;
    LatexEnvironmentKind kind = LATEX_FORMULA;
    LatexDefinition new = { is_code ? LATEX_IS_CODE : LATEX_IS_FORMULA, { 0, 0 }, { 0, 0 } };
    Range meaning;
    size_t name_end, at;

    if (!is_environment &&
        !latex_scan_is_in(s, name, "newcommand renewcommand providecommand DeclareRobustCommand def edef gdef xdef"))
        return;
    name_end = read_name(s, is_code ? latex_scan_settings(s, name.end) : name.end, &new.name);
    if (name_end == name.end || new.name.begin >= new.name.end) return;
    earlier = find(d, s, new.name, is_environment);
    if (earlier) d->items[earlier - d->items] = d->items[--d->count];
    if (d->count == LATEX_DEFINITIONS) return;
    if (is_code) d->items[d->count++] = new;
    /* the braces that contain the meaning: after options, or after the parameters of \def */
    at = latex_scan_blanks(s, latex_scan_settings(s, name_end));
    while (latex_byte(s, at) == '#' || char_is_digit(latex_byte(s, at))) at++;
    if (is_code || latex_scan_argument(s, at, &meaning) == at) return;
    at = skip_invisible(s, meaning.begin, meaning.end);
    if (at >= meaning.end) return;
    if (is_environment) {
        if (!read_boundary(s, at, false, &new.environment)) { /* \equation, or \csname equation*\endcsname */
            if (s->bytes[at] != '\\') return;
            new.environment = latex_scan_name(s, at);
            if (latex_scan_is_in(s, new.environment, "csname")) {
                at = latex_scan_blanks(s, new.environment.end);
                new.environment = (Range){ at, chars_find(s->bytes, at, latex_line_end(s, at), '\\') };
            }
        }
    } else if (read_boundary(s, at, false, &new.environment)) {
        if (has_end(s, (Range){ at + 1, meaning.end }, new.environment)) return;
        new.kind = LATEX_BEGINS_FORMULA;
    } else if (read_boundary(s, at, true, &new.environment)) {
        new.kind = LATEX_ENDS_FORMULA;
    } else {
        return;
    }
    /* \[ has no environment */
    if (new.environment.begin < new.environment.end) kind = latex_definitions_environment(d, s, new.environment).kind;
    if (kind == LATEX_VERBATIM && is_environment) new.kind = LATEX_IS_CODE;
    if (kind == LATEX_FORMULA || new.kind == LATEX_IS_CODE) d->items[d->count++] = new;
}

/* --- Use of the definitions. */

LatexEnvironment latex_definitions_environment(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, true);

    if (!found) return latex_environment(s, name);
    return (LatexEnvironment){ found->kind == LATEX_IS_CODE ? LATEX_VERBATIM : LATEX_FORMULA, 0 };
}

size_t latex_definitions_environment_end(const LatexDefinitions *d, const LatexScan *s, size_t at, size_t limit,
                                         Range environment)
{
    for (size_t next; at < limit; at = next) {
        const LatexDefinition *found;
        Range name, other;
        next = s->bytes[at] == '%' ? latex_line_end(s, at) : at + 1;
        if (s->bytes[at] != '\\') continue;
        name = latex_scan_name(s, at);
        next = name.end;
        found = find(d, s, name, false);
        if (found && found->kind == LATEX_ENDS_FORMULA && ranges_are_same(s->bytes, found->environment, environment))
            return name.end;
        if (read_boundary(s, at, true, &other) && ranges_are_same(s->bytes, other, environment))
            return other.end ? other.end + 1 : name.end;
    }
    return 0;
}

size_t latex_definitions_formula_end(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, false);
    const size_t length = name.end - name.begin;
    size_t limit, end;
    Range other;

    if (found && found->kind != LATEX_BEGINS_FORMULA) return name.end;
    if (!found && !latex_scan_is_in(s, name, "be bea beq beqa beqn")) return name.end;
    limit = chars_limit(name.end, s->end, LATEX_PART_BYTES); /* at most the end of the paragraph */
    for (size_t at = name.end; at < limit; at++)
        if (s->bytes[at] == '\n' && latex_scan_is_paragraph(s, at)) limit = at;
    if (found) {
        end = latex_definitions_environment_end(d, s, name.end, limit, found->environment);
        return end ? end : name.end;
    }
    for (size_t at = name.end; at < limit; at = other.end) { /* \eeq ends \beq */
        other = s->bytes[at] == '\\' ? latex_scan_name(s, at) : (Range){ 0, at + 1 };
        if (other.end - other.begin == length && s->bytes[other.begin] == 'e' &&
            memcmp(s->bytes + other.begin + 1, s->bytes + name.begin + 1, length - 1) == 0)
            return other.end;
    }
    return name.end;
}

/* --- Environments that a document or a package defines for code. Each line counts as code, as a sentence or a
 * command of LaTeX, or as neither. */

/* The bytes whose lines are counted, and the longest environment, so that reading takes linear time. */
#define JUDGED_BYTES  ((size_t)2000)
#define LISTING_BYTES ((size_t)1 << 15)
/* A line that has only words is text from so many words on; with a semicolon at its end, from VERSE_WORDS on. */
#define SENTENCE_WORDS 6
#define VERSE_WORDS    4

typedef enum { LISTING_CODE, LISTING_TEXT, LISTING_OTHER } ListingLine;

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '_';
}

/* Whether a command of LaTeX is in the line. In quotes, \n is an escape. */
static bool has_command(const char *line, size_t length)
{
    bool is_quoted = false;

    if (length > 1 && line[length - 1] == '\\' && line[length - 2] == '\\') return true;
    for (size_t at = 0; at + 2 < length; at++) {
        if (line[at] == '"') is_quoted = !is_quoted;
        if (line[at] == '\\' && !is_quoted && char_is_letter(line[at + 1]) && char_is_letter(line[at + 2])) return true;
    }
    return false;
}

/* Whether the line contains an option of a command (-x), a comment (//) or a call with a string or a pointer. */
static bool has_call(const char *line, size_t length)
{
    for (size_t at = 1; at + 1 < length; at++) {
        const char before = line[at - 1], next = line[at + 1];
        if (line[at] == '-' && before == ' ' &&
            (char_is_letter(next) || (next == '-' && at + 2 < length && char_is_letter(line[at + 2]))))
            return true;
        if (line[at] == '/' && next == '/' && before != ':') return true;
        if (line[at] == '(' && is_name_character(before) && strchr("\"'&*", next)) return true;
    }
    return false;
}

/* Whether the line has an underscore or a # outside of mathematics, which are errors in a text, or a $ without a
 * partner. */
static bool has_wrong_mark(const char *line, size_t length)
{
    bool in_formula = false;

    for (size_t at = 0; at < length; at++) {
        if (line[at] == '\\')
            at++;
        else if (line[at] == '$')
            in_formula = !in_formula;
        else if (!in_formula && (line[at] == '_' || line[at] == '#'))
            return true;
    }
    return in_formula;
}

/* Returns the number of words of a line that has only words, spaces and punctuation of sentences; otherwise 0. */
static size_t count_words(const char *line, size_t length)
{
    size_t words = 1;

    for (size_t at = 0; at < length; at++) {
        words += line[at] == ' ' && at + 1 < length && line[at + 1] != ' ';
        if (!char_is_alphanumeric(line[at]) && (unsigned char)line[at] < 0x80 && !strchr(" .,;:!?'\"()-~`$", line[at]))
            return 0;
    }
    return words;
}

/* Whether the line is `key: value` with a single word, or key=value. */
static bool is_setting(const char *line, size_t length)
{
    size_t at = 0;

    while (at < length && (is_name_character(line[at]) || line[at] == '-' || line[at] == '.')) at++;
    if (!at || at == length || line[0] < 'A' || (line[at] != ':' && line[at] != '=')) return false;
    if (line[at] == '=') return true;
    return line[0] > 'Z' && (at + 1 == length || (line[at + 1] == ' ' && !memchr(line + at + 2, ' ', length - at - 2)));
}

static ListingLine line_kind(const char *line, size_t length)
{
    /* beginnings of a line with a prompt, an option, a preprocessor or a decorator */
    static const char *const begins[] = { "$ ", "> ", ">>> ", "// ", "* ", "@", "--", "{", "}", "#" };
    /* marks of statements, expressions, options and tags that prose hardly has */
    static const char *const marks[] = { " = ", "==", "!=",  "+=", "-=",   ":=", "=>", "->", "<-",
                                         "::",  "||", "&&",  "++", "/*",   "*/", "()", "((", "))",
                                         "):",  "){", ") {", "[]", "\": ", "</", "/>", "='", "=\"" };
    const size_t words = count_words(line, length); /* words alone may be a sentence, or a part of one */
    const char last = line[length - 1];

    if (has_command(line, length)) return LISTING_TEXT;
    if (strchr("{}", last) || (last == ';' && words < VERSE_WORDS)) return LISTING_CODE;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (chars_begin(line, 0, length, begins[i])) return LISTING_CODE;
    if (length > 1 && (line[0] == '<' || line[0] == '-') && (char_is_letter(line[1]) || line[1] == '/')) /* a tag */
        return LISTING_CODE;
    if (has_wrong_mark(line, length)) return LISTING_CODE;
    if (words >= SENTENCE_WORDS || (words && char_is_upper(line[0]) && strchr(".!?", last))) return LISTING_TEXT;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (chars_after(line, 0, length, marks[i], 0)) return LISTING_CODE;
    return has_call(line, length) || is_setting(line, length) ? LISTING_CODE : LISTING_OTHER;
}

bool latex_listing_is_code(const LatexScan *s, size_t at, Range name)
{
    const LineText known = { s->bytes + name.begin, name.end - name.begin };
    static const char *const words[] = { "code",    "listing", "verbatim", "program", "script", "shell",   "console",
                                         "termina", "source",  "snippet",  "command", "prompt", "session", "output",
                                         "bash",    "python",  "java",     "json",    "yaml",   "matlab" };
    LatexScan part = *s;
    bool names_code = false;
    size_t counts[LISTING_OTHER + 1] = { 0 }, begin = latex_scan_arguments(s, at, LATEX_ANY_COUNT, NULL), end, code;

    begin = latex_skip_blanks(s, begin);
    if (!char_is_newline(latex_byte(s, begin))) return false; /* code begins in the line after \begin */
    part.end = chars_limit(begin, s->end, JUDGED_BYTES);
    part.end = latex_extent_find_boundary(&part, begin, "\\end", known).begin;
    for (; begin < part.end; begin = end + 1) {
        size_t first, last;
        end = latex_line_end(&part, begin);
        first = chars_skip_space(s->bytes, begin, end);
        last = chars_trimmed_end(s->bytes, first, end);
        if (first < last) counts[line_kind(s->bytes + first, last - first)]++;
    }
    for (size_t i = name.begin; i < name.end; i++) /* bashcode, programlisting, myverbatim, terminal */
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            names_code |= chars_begin_case(s->bytes, i, name.end, words[k]);
    code = counts[LISTING_CODE] + (names_code ? counts[LISTING_OTHER] : 0);
    if (code <= counts[LISTING_TEXT] || 2 * code < counts[LISTING_OTHER]) return false;
    part.end = chars_limit(at, s->end, LISTING_BYTES);
    return latex_extent_find_boundary(&part, at, "\\end", known).begin < part.end;
}
