/* latex_commands.c - see latex_commands.h. */
#include "latex_commands.h"

#include <string.h>

#include "chars.h"
#include "utf8.h"

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
    { { LATEX_MINTED, 0 }, "mint mintinline" },
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

/* Adds the letters, each after its name. */
static Status add_letters(StrMap *map, Err *err)
{
    Status st = OK;
    bool added;

    for (const char *name = letters; st == OK && *name; name += *name == ' ') {
        const size_t length = strcspn(name, " "), after = length + 1;
        uint32_t code;
        const size_t size = utf8_next(name + after, strlen(name + after), &code);
        st = str_map_add(map, name, length, (int32_t)code, &added, err);
        name += after + size;
    }
    return st;
}

Status latex_names_open(LatexNames *names, Err *err)
{
    Status st = str_map_new(&names->commands, err);

    if (st == OK) st = str_map_new(&names->environments, err);
    if (st == OK) st = str_map_new(&names->letters, err);
    for (size_t i = 0; st == OK && i < sizeof commands / sizeof *commands; i++)
        st = add_names(names->commands, commands[i].names, i, err);
    for (size_t i = 0; st == OK && i < sizeof environments / sizeof *environments; i++)
        st = add_names(names->environments, environments[i].names, i, err);
    return st == OK ? add_letters(names->letters, err) : st;
}

void latex_names_free(LatexNames *names)
{
    str_map_free(names->commands);
    str_map_free(names->environments);
    str_map_free(names->letters);
}

/* Returns the row of the name, or of the name without a star; -1: it is not there. */
static int32_t find_row(const LatexScan *s, const StrMap *map, Range name)
{
    const char *bytes = s->bytes + name.begin;
    const size_t length = name.end - name.begin;
    const int32_t row = str_map_get(map, bytes, length, -1);

    return row < 0 && length > 1 && bytes[length - 1] == '*' ? str_map_get(map, bytes, length - 1, -1) : row;
}

LatexCommand latex_command(const LatexScan *s, Range name)
{
    const int32_t row = find_row(s, s->names->commands, name);

    return row >= 0 ? commands[row].command : (LatexCommand){ LATEX_KEPT, LATEX_ANY_COUNT };
}

uint32_t latex_letter(const LatexScan *s, Range name)
{
    return (uint32_t)str_map_get(s->names->letters, s->bytes + name.begin, name.end - name.begin, 0);
}

LatexEnvironment latex_environment(const LatexScan *s, Range name)
{
    static const char *const formulas[] = { "equation", "eqnarray", "multline", "gather" };
    const int32_t row = find_row(s, s->names->environments, name);
    const size_t star = name.begin < name.end && s->bytes[name.end - 1] == '*', end = name.end - star;

    if (row >= 0) return environments[row].environment;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) { /* a variant of a package: narrowmultline* */
        const size_t length = strlen(formulas[i]);
        if (end - name.begin > length && memcmp(s->bytes + end - length, formulas[i], length) == 0)
            return (LatexEnvironment){ LATEX_FORMULA, 0 };
    }
    return (LatexEnvironment){ LATEX_TEXT, LATEX_ANY_COUNT };
}

/* --- Commands and environments of a LaTeX document that begin or end mathematics or code. */

/* Mathematics that a command begins is not longer, so that reading takes linear time. */
#define FORMULA_BYTES ((size_t)4000)

/* --- Definitions. */

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

/* Finds the braces that contain the meaning: after options, or after the parameters of \def. */
static bool read_meaning(const LatexScan *s, size_t at, Range *meaning)
{
    size_t brace = latex_scan_blanks(s, latex_scan_settings(s, at));

    while (brace < s->end && (s->bytes[brace] == '#' || char_is_digit(s->bytes[brace]))) brace++;
    return latex_scan_argument(s, brace, meaning) > brace;
}

/* Returns the end of blanks and commands without text from byte `at` on. */
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

/* Whether \begin{x}, or with `ends` \end{x}, is at byte `at`; *environment is x. So is \[ or \]. */
static bool read_boundary(const LatexScan *s, size_t at, bool ends, Range *environment)
{
    const Range name = at < s->end && s->bytes[at] == '\\' ? latex_scan_name(s, at) : (Range){ at, at };
    const size_t brace = latex_scan_blanks(s, name.end);

    *environment = (Range){ 0, 0 };
    if (name.begin == name.end) return false;
    if (s->bytes[name.begin] == (ends ? ']' : '[')) return true;
    return latex_scan_is_in(s, name, ends ? "end" : "begin") && latex_scan_argument(s, brace, environment) > brace;
}

/* Whether the name of an environment without \begin is at byte `at`: \equation, or \csname equation*\endcsname. */
static bool read_bare_name(const LatexScan *s, size_t at, Range *environment)
{
    if (at >= s->end || s->bytes[at] != '\\') return false;
    *environment = latex_scan_name(s, at);
    if (!latex_scan_is_in(s, *environment, "csname")) return true;
    environment->begin = latex_scan_blanks(s, environment->end);
    environment->end = latex_scan_find(s, environment->begin, latex_scan_line_end(s, environment->begin), "\\", 1);
    return true;
}

/* \[ has no environment. */
static LatexEnvironmentKind kind_of(const LatexDefinitions *d, const LatexScan *s, Range environment)
{
    if (environment.begin == environment.end) return LATEX_FORMULA;
    return latex_definitions_environment(d, s, environment).kind;
}

/* Whether the same mathematics ends in the range, too. */
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
    if (is_code || !read_meaning(s, name_end, &meaning)) return;
    at = skip_invisible(s, meaning.begin, meaning.end);
    if (at >= meaning.end) return;
    if (is_environment) {
        if (!read_boundary(s, at, false, &new.environment) && !read_bare_name(s, at, &new.environment)) return;
    } else if (read_boundary(s, at, false, &new.environment)) {
        if (has_end(s, (Range){ at + 1, meaning.end }, new.environment)) return;
        new.kind = LATEX_BEGINS_FORMULA;
    } else if (read_boundary(s, at, true, &new.environment)) {
        new.kind = LATEX_ENDS_FORMULA;
    } else {
        return;
    }
    if (kind_of(d, s, new.environment) == LATEX_VERBATIM && is_environment) new.kind = LATEX_IS_CODE;
    if (kind_of(d, s, new.environment) == LATEX_FORMULA || new.kind == LATEX_IS_CODE) d->items[d->count++] = new;
}

/* --- Use. */

LatexEnvironment latex_definitions_environment(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, true);

    if (!found) return latex_environment(s, name);
    return (LatexEnvironment){ found->kind == LATEX_IS_CODE ? LATEX_VERBATIM : LATEX_FORMULA, 0 };
}

/* Returns the end of the command at byte `at` if it ends the mathematics; otherwise `at`. */
static size_t read_end(const LatexDefinitions *d, const LatexScan *s, size_t at, Range environment)
{
    const Range name = latex_scan_name(s, at);
    const LatexDefinition *found = find(d, s, name, false);
    Range other;

    if (found && found->kind == LATEX_ENDS_FORMULA && ranges_are_same(s->bytes, found->environment, environment))
        return name.end;
    if (!read_boundary(s, at, true, &other) || !ranges_are_same(s->bytes, other, environment)) return at;
    return other.end ? other.end + 1 : name.end;
}

size_t latex_definitions_environment_end(const LatexDefinitions *d, const LatexScan *s, size_t at, size_t limit,
                                         Range name)
{
    while (at < limit) {
        size_t end;
        if (s->bytes[at] == '%') {
            at = latex_scan_line_end(s, at);
        } else if (s->bytes[at] == '\\') {
            end = read_end(d, s, at, name);
            if (end > at) return end;
            at = latex_scan_name(s, at).end;
        } else {
            at++;
        }
    }
    return 0;
}

/* Returns the end of the paragraph of byte `at`. */
static size_t paragraph_end(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < FORMULA_BYTES ? s->end : at + FORMULA_BYTES;
    size_t blank;

    while (at < limit && !(s->bytes[at] == '\n' && latex_scan_is_paragraph(s, at, &blank))) at++;
    return at;
}

/* The end of \beq is \eeq. Returns where it ends, or `name.end`. */
static size_t find_common_end(const LatexScan *s, Range name)
{
    const size_t limit = paragraph_end(s, name.end), length = name.end - name.begin;

    for (size_t at = name.end; at < limit;) {
        Range other;
        if (s->bytes[at] != '\\') {
            at++;
            continue;
        }
        other = latex_scan_name(s, at);
        if (other.end - other.begin == length && s->bytes[other.begin] == 'e' &&
            memcmp(s->bytes + other.begin + 1, s->bytes + name.begin + 1, length - 1) == 0)
            return other.end;
        at = other.end;
    }
    return name.end;
}

size_t latex_definitions_formula_end(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, false);
    size_t end;

    if (!found) return latex_scan_is_in(s, name, "be bea beq beqa beqn") ? find_common_end(s, name) : name.end;
    if (found->kind != LATEX_BEGINS_FORMULA) return name.end;
    end = latex_definitions_environment_end(d, s, name.end, paragraph_end(s, name.end), found->environment);
    return end ? end : name.end;
}

/* --- Environments that a document or a package defines for code. Each line counts as code, as a sentence or a
 * command of LaTeX, or as neither. */

/* The bytes that are judged, and the longest environment, so that reading takes linear time. */
#define JUDGED_BYTES  ((size_t)2000)
#define LISTING_BYTES ((size_t)1 << 15)
/* A line of words alone is a part of a sentence if it has as many, or as many before a semicolon. */
#define SENTENCE_WORDS 6
#define VERSE_WORDS    4

typedef enum { LISTING_CODE, LISTING_TEXT, LISTING_OTHER } ListingLine;

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '_';
}

static bool is_at(const char *line, size_t length, size_t at, const char *text)
{
    const size_t size = strlen(text);

    return at <= length && length - at >= size && memcmp(line + at, text, size) == 0;
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

/* The marks of statements, expressions, options and tags that prose hardly has. */
static bool has_operator(const char *line, size_t length)
{
    static const char *const marks[] = { " = ", "==", "!=",  "+=", "-=",   ":=", "=>", "->", "<-",
                                         "::",  "||", "&&",  "++", "/*",   "*/", "()", "((", "))",
                                         "):",  "){", ") {", "[]", "\": ", "</", "/>", "='", "=\"" };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (size_t at = 0; at < length; at++)
            if (is_at(line, length, at, marks[i])) return true;
    return false;
}

/* Whether an option of a command, a comment or a call with a string or several arguments is in the line. */
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

/* The number of words of a line that has nothing but words, spaces and perhaps marks of a sentence; otherwise 0. */
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

/* Whether the line is words alone that are, or are a part of, a sentence. */
static bool is_sentence(const char *line, size_t length)
{
    const size_t words = count_words(line, length);
    const bool has_ends = line[0] >= 'A' && line[0] <= 'Z' && strchr(".!?", line[length - 1]);

    return words >= SENTENCE_WORDS || (words && has_ends);
}

/* Whether the line begins with a prompt, an option, a tag, or a mark of a preprocessor or decorator, or ends a
 * statement. */
static bool has_code_ends(const char *line, size_t length)
{
    static const char *const begins[] = { "$ ", "> ", ">>> ", "// ", "* ", "@", "--", "{", "}", "#" };

    if (strchr("{}", line[length - 1])) return true;
    if (line[length - 1] == ';' && count_words(line, length) < VERSE_WORDS) return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (is_at(line, length, 0, begins[i])) return true;
    return length > 1 && (line[0] == '<' || line[0] == '-') && (char_is_letter(line[1]) || line[1] == '/');
}

/* Whether the line is `key: value` with a single word, or key=value. */
static bool is_setting(const char *line, size_t length)
{
    size_t at = 0;

    while (at < length && (is_name_character(line[at]) || line[at] == '-' || line[at] == '.')) at++;
    if (!at || at == length || line[0] < 'A' || (line[at] != ':' && line[at] != '=')) return false;
    if (line[at] == '=') return true;
    if (line[0] <= 'Z' || (at + 1 < length && line[at + 1] != ' ')) return false;
    for (at += 2; at < length; at++)
        if (line[at] == ' ') return false;
    return true;
}

static ListingLine line_kind(const char *line, size_t length)
{
    if (has_command(line, length)) return LISTING_TEXT;
    if (has_code_ends(line, length) || has_wrong_mark(line, length)) return LISTING_CODE;
    if (is_sentence(line, length)) return LISTING_TEXT;
    return has_operator(line, length) || has_call(line, length) || is_setting(line, length) ? LISTING_CODE
                                                                                            : LISTING_OTHER;
}

/* Whether the name says that the environment is code: bashcode, programlisting, myverbatim, terminal. */
static bool names_code(const LatexScan *s, Range name)
{
    static const char *const words[] = { "code",    "listing", "verbatim", "program", "script", "shell",   "console",
                                         "termina", "source",  "snippet",  "command", "prompt", "session", "output",
                                         "bash",    "python",  "java",     "json",    "yaml",   "matlab" };

    for (size_t at = name.begin; at < name.end; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t same = 0;
            while (words[i][same] && at + same < name.end && (s->bytes[at + same] | 0x20) == words[i][same]) same++;
            if (!words[i][same]) return true;
        }
    return false;
}

bool latex_listing_is_code(const LatexScan *s, size_t at, Range name)
{
    const LatexName known = { s->bytes + name.begin, name.end - name.begin };
    LatexScan part = *s;
    size_t counts[LISTING_OTHER + 1] = { 0 }, begin = latex_scan_arguments(s, at, LATEX_ANY_COUNT, NULL), end, code;

    while (begin < s->end && char_is_blank(s->bytes[begin])) begin++;
    if (begin == s->end || !char_is_newline(s->bytes[begin])) return false; /* code begins on a line of its own */
    if (part.end - begin > JUDGED_BYTES) part.end = begin + JUDGED_BYTES;
    part.end = latex_extent_find_boundary(&part, begin, "\\end", known).begin;
    for (; begin < part.end; begin = end + 1) {
        size_t first = begin, last;
        end = last = latex_scan_line_end(&part, begin);
        while (first < last && char_is_space(s->bytes[first])) first++;
        while (last > first && char_is_space(s->bytes[last - 1])) last--;
        if (first < last) counts[line_kind(s->bytes + first, last - first)]++;
    }
    code = counts[LISTING_CODE] + (names_code(s, name) ? counts[LISTING_OTHER] : 0);
    if (code <= counts[LISTING_TEXT] || 2 * code < counts[LISTING_OTHER]) return false;
    part.end = s->end - at > LISTING_BYTES ? at + LISTING_BYTES : s->end;
    return latex_extent_find_boundary(&part, at, "\\end", known).begin < part.end;
}
