/* document_latex.c - LaTeX (.tex): text outside of commands and mathematics.
 *
 * A unit is a paragraph, heading, item of a list, cell of a table, caption or footnote. Mathematics, code, references
 * and unknown commands stay in the text unchanged, with their arguments. These parts are not translated: the preamble
 * (except for the title), definitions, environments of mathematics and of code, and text after \end{document}. The
 * options of babel stay as they are, because the package of the target language may not be installed. A file without
 * \begin{document}, such as a chapter of a book, is text from its first byte on.
 *
 * A document can change the syntax of TeX. Then the wrong bytes may be taken for text, but no byte is lost.
 *
 * Source   The LaTeX Companion, 2nd edition, section 7.11 (accents and symbols of the text encodings). The manual of
 *          babel-german, version 2.14, table 1, without its shorthands for words of the old spelling ("ck "ff "ll "mm
 *          "nn "pp "rr "tt) and for capitals ("S "Z "E "I). */
#include <stdlib.h>
#include <string.h>

#include <unicode/unorm2.h>

#include "buf.h"
#include "chars.h"
#include "document_builder.h"
#include "document_formats.h"
#include "latex_syntax.h"
#include "utf8.h"

/* --- Reading characters that LaTeX spells with several others: accents, quotation marks, dashes, special letters. */

#define LATEX_SYMBOL_BYTES 8

#define SOFT_HYPHEN 0xad

typedef struct {
    const char *spelling;
    uint32_t code;
} LatexMark;

/* The first row whose spelling matches counts. A row without a spelling ends the table. */
static const LatexMark marks[] = { { "---", 0x2014 }, { "--", 0x2013 }, { "``", 0x201c }, { "''", 0x201d },
                                   { "~", 0xa0 },     { "\\%", '%' },   { "\\&", '&' },   { "\\$", '$' },
                                   { "\\#", '#' },    { "\\_", '_' },   { "\\{", '{' },   { "\\}", '}' },
                                   { "\\ ", ' ' },    { "\\-", 0xad },  { NULL, 0 } };
static const LatexMark shorthands[] = { { "\"a", 0xe4 },        { "\"o", 0xf6 },         { "\"u", 0xfc },
                                        { "\"A", 0xc4 },        { "\"O", 0xd6 },         { "\"U", 0xdc },
                                        { "\"s", 0xdf },        { "\"z", 0xdf },         { "\"e", 0xeb },
                                        { "\"i", 0xef },        { "\"`", 0x201e },       { "\"'", 0x201c },
                                        { "\"<", 0xab },        { "\">", 0xbb },         { "\"=", '-' },
                                        { "\"~", '-' },         { "\"/", '/' },          { "\"-", SOFT_HYPHEN },
                                        { "\"|", SOFT_HYPHEN }, { "\"\"", SOFT_HYPHEN }, { NULL, 0 } };

/* After a command such as \ss, TeX skips {} or blanks. Returns their end, or `at` if there are none. */
static size_t skip_name_end(const LatexScan *s, size_t at)
{
    return chars_begin(s->bytes, at, s->end, "{}") ? at + 2 : latex_skip_blanks(s, at);
}

/* Reads the letter that gets the accent and returns its end; 0: there is none. \i and \j are i and j without dots. TeX
 * skips one line end after \i or \j. Before an empty line, they are not read. */
static size_t read_base(const LatexScan *s, size_t at, uint32_t *base)
{
    const bool is_dotless = latex_byte(s, at) == '\\' && char_is_among(latex_byte(s, at + 1), "ij") &&
                            !char_is_letter(latex_byte(s, at + 2));
    size_t end, next;

    if (!is_dotless && !char_is_letter(latex_byte(s, at))) return 0;
    *base = (unsigned char)s->bytes[at + is_dotless];
    if (!is_dotless) return at + 1;
    end = skip_name_end(s, at + 2);
    if (!char_is_newline(latex_byte(s, end))) return end;
    if (latex_scan_is_paragraph(s, end)) return 0;
    next = chars_skip_space(s->bytes, end, s->end);
    return next == s->end ? at + 2 : next;
}

static size_t read_accent(const LatexScan *s, size_t at, Range name, uint32_t *code)
{
    static const char keys[] = "\"'`^~=.cvHukrd";
    static const uint16_t combining[] = { 0x308, 0x301, 0x300, 0x302, 0x303, 0x304, 0x307,
                                          0x327, 0x30c, 0x30b, 0x306, 0x328, 0x30a, 0x323 };
    const bool is_key = name.end - name.begin == 1 && char_is_among(s->bytes[name.begin], keys);
    const bool has_letter = char_is_letter(s->bytes[name.begin]);
    UErrorCode fault = U_ZERO_ERROR;
    size_t end = name.end, close;
    uint32_t base;
    UChar32 both;

    if (!is_key) return at;
    if (has_letter && latex_byte(s, end) == ' ') end++;
    if (latex_byte(s, end) == '{') {
        close = read_base(s, end + 1, &base);
        end = close && latex_byte(s, close) == '}' ? close + 1 : 0;
    } else {
        end = has_letter && end == name.end ? 0 : read_base(s, end, &base);
    }
    if (!end) return at;
    /* cannot fail here: parse_latex() has checked it */
    both = unorm2_composePair(unorm2_getNFCInstance(&fault), (UChar32)base,
                              (UChar32)combining[strchr(keys, s->bytes[name.begin]) - keys]);
    if (both < 0) return at;
    *code = (uint32_t)both;
    return end;
}

/* Reads the command for a letter at byte `at`, such as \"a or \ss. Returns its end. Returns `at` if there is none, or
 * if a command such as \ss is at the end of its line. */
static size_t read_symbol_command(const LatexScan *s, size_t at, uint32_t *code)
{
    const Range name = latex_scan_name(s, at);
    size_t end = name.begin < name.end ? read_accent(s, at, name, code) : at;
    uint32_t letter;

    if (end > at || name.begin == name.end) return end;
    letter = latex_letter(s, name);
    end = skip_name_end(s, name.end);
    if (!letter || char_is_newline(latex_byte(s, end))) return at;
    *code = letter;
    return end;
}

/* Reads the spelling of a character at byte `at`: \"a \"{a} {\"a} \ss \% `` '' -- --- ~ and the like. Returns the end
 * of the spelling, or `at` if there is none; out[0..*length) is the character. For \- and, in German, "-, which show
 * where a word may be divided, the character is a soft hyphen. */
static size_t read_symbol(const LatexScan *s, size_t at, char out[LATEX_SYMBOL_BYTES], size_t *length)
{
    const LatexMark *mark = s->has_shorthands && s->bytes[at] == '"' ? shorthands : marks;
    const bool may_be_mark = mark == shorthands || char_is_among(s->bytes[at], "-`'~\\");
    uint32_t code = 0;
    size_t end = at;

    while (may_be_mark && mark->spelling && !chars_begin(s->bytes, at, s->end, mark->spelling)) mark++;
    if (may_be_mark && mark->spelling) {
        code = mark->code;
        end = at + strlen(mark->spelling);
    } else if (s->bytes[at] == '\\') {
        end = read_symbol_command(s, at, &code);
    } else if (s->bytes[at] == '{' && latex_byte(s, at + 1) == '\\') {
        end = read_symbol_command(s, at + 1, &code);
        end = end > at + 1 && latex_byte(s, end) == '}' ? end + 1 : at;
    }
    *length = utf8_put(code, out);
    return end;
}

/* --- Writing characters. */

static bool is_special_latex(unsigned context, uint32_t code)
{
    (void)context;
    if (code < 0x80) return char_is_among((char)code, "#$%&_{}~^\\[*\"");
    return code == 0xa0 || code == 0x2026 || (code >= 0x2013 && code <= 0x2014) || (code >= 0x2018 && code <= 0x201e);
}

/* Quotation marks and dashes are written with ASCII, ``x'' and --, because fonts in TeX's oldest encoding lack them. */
static size_t spell_latex(uint32_t code, const SpellingPlace *place, char *out)
{
    static const LatexMark spellings[] = { { "\\textasciitilde{}", '~' },
                                           { "\\textasciicircum{}", '^' },
                                           { "\\textbackslash{}", '\\' },
                                           { "\\ldots{}", 0x2026 },
                                           { "~", 0xa0 },
                                           { "--", 0x2013 },
                                           { "---", 0x2014 } };
    static const char *const quotes[] = { "`", "'", ",", "'", "``", "''", ",," }; /* U+2018 to U+201E */
    const char before = place->before_length ? place->before[place->before_length - 1] : ' ';

    if (code == '[' || code == '*') /* after \item and \\, they would begin an option */
        return place->before_length ? utf8_put(code, out) : spelling_copy(code == '[' ? "{[}" : "{*}", out);
    if (code == '"') return spelling_copy(char_is_space(before) || before == '(' || before == '~' ? "``" : "''", out);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (code == spellings[i].code) return spelling_copy(spellings[i].spelling, out);
    if (code >= 0x2018) return spelling_copy(quotes[code - 0x2018], out);
    out[0] = '\\', out[1] = (char)code;
    return 2;
}

/* Whether the bytes end with the name of a command of letters. */
static bool ends_with_name(const char *bytes, size_t length)
{
    size_t begin = length, backslash;

    while (begin && (char_is_letter(bytes[begin - 1]) || bytes[begin - 1] == '@')) begin--;
    for (backslash = begin; backslash && bytes[backslash - 1] == '\\';) backslash--;
    return begin < length && (begin - backslash) % 2 == 1; /* two backslashes are another command */
}

/* Whether the document or an environment ends here: then it does not matter that TeX skips white space. */
static bool is_last(const SpellingPlace *place)
{
    const size_t at = chars_skip_space(place->after, 0, place->after_length);

    return at == place->after_length || chars_begin(place->after, at, place->after_length, "\\end");
}

/* A spelling that ends with the name of a command cannot stay before a letter, which would become part of the name, or
 * before white space, which TeX would skip. */
static bool keeps_latex(const char *spelling, size_t length, const SpellingPlace *place)
{
    const size_t end = chars_trimmed_end(spelling, 0, length);

    if (!ends_with_name(spelling, end) || is_last(place)) return true;
    return !char_is_space(*place->after) && (end < length || !char_is_letter(*place->after));
}

/* Whether a blank is needed after a command that was moved, because a letter follows its name there. For XeTeX, letters
 * that are not ASCII may also belong to a name. */
static bool needs_blank(const SpellingPlace *place)
{
    if (!place->after_length || !ends_with_name(place->before, place->before_length)) return false;
    return char_is_letter(*place->after) || (unsigned char)*place->after >= 0x80;
}

static const SpellingRules latex_spelling = {
    .is_special = is_special_latex, .spell = spell_latex, .keeps = keeps_latex, .needs_blank = needs_blank
};

/* --- The ends of parts that are not translated. */

/* Returns the end of \verb|x|, whose name ends at byte `at`: after the second of the two delimiters; `at` if the second
 * one is not in this line. */
static size_t verb_end(const LatexScan *s, size_t at)
{
    const size_t limit = chars_limit(at, s->end, LATEX_PART_BYTES), mark = latex_skip_blanks(s, at); /* as TeX does */
    size_t length = 1; /* of the character around the code */

    while (mark + length < limit && char_goes_on(s->bytes[mark + length])) length++;
    for (size_t i = mark + length; i + length <= limit && s->bytes[i] != '\n' && s->bytes[mark] != '\n'; i++)
        if (memcmp(s->bytes + i, s->bytes + mark, length) == 0) return i + length;
    return at;
}

/* Returns the end of \begin{name} or \end{name} at byte `at`, or `at` if it is not there. `command` is \begin or \end.
 * Blanks may precede the brace. */
static size_t boundary_end(const LatexScan *s, size_t at, const char *command, LineText name)
{
    size_t brace, end;

    if (!chars_begin(s->bytes, at, s->end, command)) return at;
    brace = latex_skip_blanks(s, at + strlen(command));
    if (s->end - brace < name.len + 2 || s->bytes[brace] != '{') return at;
    end = brace + 1 + name.len;
    return memcmp(s->bytes + brace + 1, name.data, name.len) == 0 && s->bytes[end] == '}' ? end + 1 : at;
}

/* Finds the \end{name} of an environment of code from byte `at` on. Without one, the range is empty, at s->end. */
static Range find_code_end(const LatexScan *s, size_t at, Range name)
{
    static const char command[] = "\\end";
    const LineText text = { s->bytes + name.begin, name.end - name.begin };

    while ((at = chars_after(s->bytes, at, s->end, command, 0)) > 0) {
        const size_t begin = at - (sizeof command - 1), end = boundary_end(s, begin, command, text);
        if (end > begin) return (Range){ begin, end };
    }
    return (Range){ s->end, s->end };
}

/* Returns the end of code between two equal delimiters, such as \lstinline|x|; the first is at byte `at`. Returns `at`
 * if that character cannot be a delimiter: white space, a letter, a digit, a bracket of any kind, \ or %. */
static size_t code_end(const LatexScan *s, size_t at)
{
    const char mark = latex_byte(s, at);

    return at >= s->end || char_is_space(mark) || char_is_alphanumeric(mark) || strchr("{}[]()\\%", mark)
               ? at
               : verb_end(s, at);
}

/* Returns where the code of a command whose name ends at byte `at` begins, after the option and blanks: the |y| in
 * \lstinline[x]|y|. With `has_language`, an argument precedes the code, such as {c} in \mintinline[x]{c}|y|. */
static size_t code_begin(const LatexScan *s, size_t at, bool has_language)
{
    Range contents;

    at = latex_skip_blanks(s, latex_scan_option(s, latex_skip_blanks(s, at), &contents));
    return has_language ? latex_skip_blanks(s, latex_scan_argument(s, at, &contents)) : at;
}

/* Returns the end of a length at byte `at`, such as 1em or -.5\parindent; `at` if there is none. A register such as
 * \parindent needs no number. */
static size_t skip_length(const LatexScan *s, size_t at)
{
    static const char *const units[] = { "pt", "pc", "in", "bp", "cm", "mm", "dd",    "cc",   "sp",
                                         "ex", "em", "mu", "px", "nd", "nc", "filll", "fill", "fil" };
    size_t begin = latex_scan_blanks(s, at), end, unit;

    while (char_is_among(latex_byte(s, begin), " \t+-")) begin++;
    for (end = begin; char_is_digit(latex_byte(s, end)) || char_is_among(latex_byte(s, end), ".,");) end++;
    unit = latex_skip_blanks(s, end);
    if (latex_byte(s, unit) == '\\' && char_is_alphanumeric(latex_byte(s, unit + 1)))
        return latex_scan_name(s, unit).end;
    if (end == begin) return at;
    if (chars_begin_case(s->bytes, unit, s->end, "true")) unit = latex_skip_blanks(s, unit + 4);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (chars_begin_case(s->bytes, unit, s->end, units[i])) return unit + strlen(units[i]);
    return at;
}

/* Returns the end of `word` and the length after it, such as "plus 1fil"; `at` if they are not there. */
static size_t skip_stretch(const LatexScan *s, size_t at, const char *word)
{
    const size_t begin = latex_scan_blanks(s, at), name_end = begin + strlen(word);
    const size_t end = chars_begin_case(s->bytes, begin, s->end, word) ? skip_length(s, name_end) : name_end;

    return end > name_end ? end : at;
}

/* Returns the end of the length that begins at byte `at`, such as 1em, =1em or, with stretch and shrink, 1em plus 1fil
 * minus 2pt; `at` if there is none. */
static size_t length_end(const LatexScan *s, size_t at)
{
    const size_t equals = latex_scan_blanks(s, at);
    const size_t begin = latex_byte(s, equals) == '=' ? equals + 1 : at, end = skip_length(s, begin);

    return end > begin ? skip_stretch(s, skip_stretch(s, end, "plus"), "minus") : at;
}

/* Returns the end of the width after the name of a box or a table, such as "to 5cm" or "spread 1em"; `at` if there is
 * none. */
static size_t width_end(const LatexScan *s, size_t at)
{
    return skip_stretch(s, skip_stretch(s, at, "to"), "spread");
}

/* --- Where the text of a LaTeX document begins and ends. */

/* The most bytes of an address, of an option before code and of the name of an environment. Keeps the time linear. */
#define ARGUMENT_BYTES ((size_t)1000)

static const LineText document = { "document", sizeof "document" - 1 };

/* Returns the byte after the } that closes the { at byte `at`; `at` if there is no { or its } is not in this line. */
static size_t skip_braces(const LatexScan *s, size_t at)
{
    const size_t limit = chars_limit(at, s->end, ARGUMENT_BYTES);
    size_t depth = 0;

    for (size_t i = at; i < limit && s->bytes[i] != '\n'; i++) {
        if (s->bytes[i] == '{') depth++;
        if (s->bytes[i] == '}' && depth && !--depth) return i + 1;
        if (!depth) break;
    }
    return at;
}

/* Returns the end of the code or the address that belongs to a command whose name ends at byte `at`. */
static size_t skip_code(const LatexScan *s, bool has_language, size_t at)
{
    const size_t settings = code_begin(s, at, false), begin = has_language ? skip_braces(s, settings) : settings;

    return latex_byte(s, begin) == '{' ? skip_braces(s, begin) : code_end(s, begin);
}

/* Returns the end of the comment or the command (with its code) at byte `at`, or the next byte if there is neither.
 * Skips environments of code, unless `has_open` is NULL; *has_open becomes true if one of them has no end. */
static size_t skip_part(const LatexScan *s, size_t at, bool *has_open)
{
    LatexMeaning command;
    Range name;

    if (s->bytes[at] == '%') return latex_line_end(s, at);
    if (s->bytes[at] != '\\') return at + 1;
    name = latex_scan_name(s, at);
    command = latex_command(s, name);
    if (command.kind == LATEX_VERB) return verb_end(s, name.end);
    if (command.kind == LATEX_INLINE) return skip_code(s, command.count > 0, name.end);
    if (latex_scan_is_in(s, name, "href")) return skip_code(s, false, name.end);
    if (has_open && latex_scan_is_in(s, name, "begin")) {
        const size_t brace = code_begin(s, name.end, false), end = skip_braces(s, brace);
        const Range environment = { brace + 1, end - 1 };
        Range close;
        if (end == brace || latex_environment(s, environment).kind != LATEX_VERBATIM) return name.end;
        close = find_code_end(s, end, environment);
        *has_open |= close.begin == close.end;
        return close.end;
    }
    return name.end;
}

/* Finds \begin{document}. Inside an environment or braces, it belongs to an example. But if the document sets a class
 * and has no other \begin{document}, the first example counts, because a brace or an \end may be missing. Environments
 * in braces are not counted, because a macro may contain a \begin without its \end. */
static size_t find_begin(const LatexScan *s, size_t at, bool *has_open)
{
    size_t example = s->end, depth = 0, environments = 0; /* the first example; open braces and environments */
    bool has_class = false;                               /* \documentclass was read */

    for (size_t end; at < s->end; at = end) {
        Range name;
        end = skip_part(s, at, has_open);
        if (s->bytes[at] == '{') depth++;
        if (s->bytes[at] == '}' && depth) depth--;
        if (s->bytes[at] != '\\') continue;
        if (boundary_end(s, at, "\\begin", document) > at) {
            if (!depth && !environments) return at;
            if (has_class && example == s->end) example = at;
        }
        name = latex_scan_name(s, at);
        if (depth) continue;
        if (latex_scan_is_in(s, name, "begin") && end == name.end) environments++;
        if (latex_scan_is_in(s, name, "end") && environments) environments--;
        if (latex_scan_is_in(s, name, "documentclass documentstyle") && !environments) has_class = true;
    }
    return example;
}

/* Finds \end{document}. Skips the \end{document} of an example, which follows a \begin{document}. */
static size_t find_end(const LatexScan *s, size_t at, bool has_begin, bool *has_open)
{
    size_t examples = 0, last = s->end;

    for (; at < s->end; at = skip_part(s, at, has_open)) {
        if (s->bytes[at] != '\\') continue;
        if (boundary_end(s, at, "\\begin", document) > at) examples++;
        if (boundary_end(s, at, "\\end", document) == at) continue;
        if (!examples) return at;
        examples--;
        last = at;
    }
    return has_begin ? last : s->end;
}

/* Finds \begin{document} and the \end{document} after it, from byte `begin` on, outside of comments, code and examples
 * in other environments. Returns where the two commands begin; the end of the file stands for a missing one. Works
 * before scan->groups is filled. */
static Range find_body(const LatexScan *s, size_t begin)
{
    bool is_open = false, *has_open = &is_open;

    for (;;) {
        const size_t body = find_begin(s, begin, has_open);
        const bool has_begin = body < s->end;
        const size_t end = find_end(s, has_begin ? body + 1 : begin, has_begin, has_open);
        if (!is_open || !has_open) return (Range){ body, end };
        has_open = NULL; /* the \begin without an \end may be in a macro, so skip no environments */
    }
}

/* --- The pairs of braces in a LaTeX document. */

typedef struct {
    LatexScan *scan;
    LIST_OF(size_t) open; /* the indexes of the groups whose } is not read yet */
    size_t code_begin;    /* where the code of the last command begins */
    size_t code_depth;    /* nesting depth of the code in braces that is being read; 0: no code is being read */
    size_t defined;       /* the end of a \def or the like; the command there is defined, not used */
} BraceReader;

/* Returns the end of the option [x] or the argument {x} at byte `at`, with the blanks before and after it. Works before
 * scan->groups is filled. */
static size_t skip_setting(const LatexScan *s, size_t at, char first, char last)
{
    size_t depth = 0;

    at = latex_skip_blanks(s, at);
    if (latex_byte(s, at) != first) return at;
    for (size_t end = at + 1; end < s->end && end - at < ARGUMENT_BYTES; end++) {
        if (!depth && s->bytes[end] == last) return latex_skip_blanks(s, end + 1);
        if (s->bytes[end] == '{') depth++;
        if (s->bytes[end] == '}' && !depth--) break;
    }
    return at;
}

/* Returns the end of the name of the command at byte `at`. For \verb|x|, returns the end of the code. */
static size_t read_command(BraceReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    const Range name = latex_scan_name(s, at);
    LatexMeaning command;
    size_t option_end;

    if (r->code_depth || r->defined == at) return name.end;
    command = latex_command(s, name);
    if (command.kind == LATEX_DEFINITION) r->defined = name.end;
    if (command.kind == LATEX_VERB && name.end < s->end && !strchr("{}", s->bytes[name.end]))
        return verb_end(s, name.end);
    if (command.kind != LATEX_INLINE && !latex_scan_is_in(s, name, "href")) return name.end;
    option_end = skip_setting(s, name.end, '[', ']');
    if (command.kind == LATEX_INLINE && command.count) option_end = skip_setting(s, option_end, '{', '}');
    if (command.kind == LATEX_INLINE || latex_byte(s, option_end) == '{') r->code_begin = option_end;
    return name.end;
}

/* Finds the braces in [begin, scan->end), except \{ and \} and those in comments and in code between delimiters, such
 * as \verb|}|. In addresses and in code in braces, % begins no comment. Needs scan->bytes and scan->end. */
static Status find_braces(LatexScan *s, size_t begin, Err *err)
{
    BraceReader r = { .scan = s, .code_begin = s->end, .defined = s->end };

    for (size_t at = begin, next; at < s->end && !r.open.failed && !s->groups.failed; at = next) {
        const Range group = { at, 0 };
        next = at + 1;
        if (r.code_begin == at && s->bytes[at] == '{') {
            r.code_depth = r.open.len + 1; /* code in braces is read like other groups */
        } else if (r.code_begin == at && code_end(s, at) > at) {
            next = code_end(s, at);
            continue;
        }
        if (s->bytes[at] == '\\') {
            next = read_command(&r, at);
        } else if (s->bytes[at] == '%' && !r.code_depth) {
            next = latex_line_end(s, at);
        } else if (s->bytes[at] == '\n' && r.code_depth && latex_scan_is_paragraph(s, at)) {
            r.code_depth = 0; /* code ends in its paragraph, so this is not code */
        } else if (s->bytes[at] == '{') {
            LIST_PUT(&r.open, s->groups.len);
            LIST_PUT(&s->groups, group);
        } else if (s->bytes[at] == '}' && r.open.len) {
            s->groups.data[r.open.data[--r.open.len]].end = at;
            if (r.open.len < r.code_depth) r.code_depth = 0;
        }
    }
    s->groups.failed |= r.open.failed;
    free(r.open.data);
    return LIST_CHECK(&s->groups, "a document", err);
}

/* --- The texts and groups of a LaTeX document that is being read, and how they are reported. */

/* The most nested groups. Deeper braces are reported as empty elements. */
#define LATEX_GROUP_DEPTH 200

typedef enum {
    LATEX_GROUP_SPAN,
    LATEX_GROUP_CODE,
    LATEX_GROUP_TEXT, /* it contains separate texts */
    LATEX_GROUP_FRAME_TITLE,
    LATEX_GROUP_BLOCK_TITLE,
    LATEX_GROUP_NOTE,
    LATEX_GROUP_TEX_STRING, /* the x of \texorpdfstring{x}{y}: a span */
    LATEX_GROUP_PDF_STRING  /* the y, a text for bookmarks: it is inside the closing bytes of that span */
} LatexGroupKind;

/* A group that is being read. */
typedef struct {
    LatexGroupKind kind;
    size_t begin, end; /* the first byte of its command, and its closing brace */
    size_t kept;       /* LatexParser.kept before the group */
} LatexGroup;

/* The most definitions that are read. The limit keeps the reading time linear. */
#define LATEX_DEFINITIONS ((size_t)200)

typedef enum {
    LATEX_BEGINS_FORMULA, /* as \newcommand{\be}{\begin{equation}} does */
    LATEX_ENDS_FORMULA,   /* as \newcommand{\ee}{\end{equation}} does */
    LATEX_IS_FORMULA,     /* as eqn in \newenvironment{eqn}{\begin{equation}}{\end{equation}} */
    LATEX_IS_CODE         /* as in \lstnewenvironment{code}{}{} or \newenvironment{code}{\verbatim}{\endverbatim} */
} LatexDefinitionKind;

/* A command or an environment that the document defines to begin or end mathematics or code. */
typedef struct {
    LatexDefinitionKind kind;
    Range name;        /* without a backslash */
    Range environment; /* empty: \[ and \] */
} LatexDefinition;

typedef struct {
    DocumentBuilder *builder;
    LatexScan scan;
    const char *bytes;
    LatexDefinition definitions[LATEX_DEFINITIONS]; /* [definition_count] */
    size_t definition_count;
    LatexGroup groups[LATEX_GROUP_DEPTH];
    size_t depth;        /* at most LATEX_GROUP_DEPTH; check it before opening a group */
    size_t notes;        /* texts of notes that have begun */
    size_t kept;         /* open groups of code */
    bool has_scripts[2]; /* the text has a subscript or superscript outside of mathematics; [1]: its note has one */
    bool has_equals[2];  /* the text has a sign such as =; [1]: its note has one */
    bool has_open_code;  /* an environment of code begins in the preamble but does not end there */
    bool reads_scripts;  /* look for scripts outside of mathematics: they are errors in this document */
    size_t body;         /* where \begin{document} begins, or the end of the file */
    bool is_body;        /* the preamble has been read */
} LatexParser;

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

/* Returns the end of the blanks and of the commands that print nothing from byte `at` on. */
static size_t skip_invisible(const LatexScan *s, size_t at, size_t end)
{
    for (;;) {
        Range name;
        LatexMeaning command;
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

/* Whether \begin{x} (with `ends`: \end{x}) is at byte `at`; *environment becomes x. For \[ and \], it is empty. */
static bool read_boundary(const LatexScan *s, size_t at, bool ends, Range *environment)
{
    const Range name = at < s->end && s->bytes[at] == '\\' ? latex_scan_name(s, at) : (Range){ at, at };
    const size_t brace = latex_scan_blanks(s, name.end);

    *environment = (Range){ 0, 0 };
    if (name.begin == name.end) return false;
    if (s->bytes[name.begin] == (ends ? ']' : '[')) return true;
    return latex_scan_is_in(s, name, ends ? "end" : "begin") && latex_scan_argument(s, brace, environment) > brace;
}

static const LatexDefinition *find_definition(const LatexParser *p, Range name, bool is_environment)
{
    for (size_t i = p->definition_count; i-- > 0;)
        if ((p->definitions[i].kind >= LATEX_IS_FORMULA) == is_environment &&
            ranges_are_same(p->bytes, p->definitions[i].name, name))
            return &p->definitions[i];
    return NULL;
}

/* Like latex_environment(), but a definition in the document takes precedence. */
static LatexMeaning environment_of(const LatexParser *p, Range name)
{
    const LatexDefinition *found = find_definition(p, name, true);

    if (!found) return latex_environment(&p->scan, name);
    return (LatexMeaning){ found->kind == LATEX_IS_CODE ? LATEX_VERBATIM : LATEX_FORMULA, 0 };
}

/* Returns the end of an environment of mathematics whose \begin{name} ends at byte `at`: after \end{name}, or after a
 * command that the document defines as \end{name}. Returns 0 if there is neither before `limit`. Environments of the
 * same name inside have their own ends; if there are too few within LATEX_PART_BYTES, the first end counts. */
static size_t environment_end(const LatexParser *p, size_t at, size_t limit, Range environment)
{
    const LatexScan *s = &p->scan;
    size_t inner = 0, first = 0;

    for (size_t next; at < limit; at = next) {
        const LatexDefinition *found;
        Range name, other;
        next = s->bytes[at] == '%' ? latex_line_end(s, at) : at + 1;
        if (s->bytes[at] != '\\') continue;
        name = latex_scan_name(s, at);
        next = name.end;
        found = find_definition(p, name, false);
        if (found && found->kind == LATEX_ENDS_FORMULA && ranges_are_same(s->bytes, found->environment, environment))
            return name.end;
        inner += read_boundary(s, at, false, &other) && ranges_are_same(s->bytes, other, environment);
        if (!read_boundary(s, at, true, &other) || !ranges_are_same(s->bytes, other, environment)) continue;
        if (other.end) next = other.end + 1;
        if (!inner--) return next;
        if (!first) {
            first = next;
            limit = chars_limit(next, limit, LATEX_PART_BYTES);
        }
    }
    return first;
}

/* Adds the definition after the command `name`, \newcommand or the like, if it defines mathematics or code. */
static void read_definition(LatexParser *p, Range name)
{
    const LatexScan *s = &p->scan;
    const bool is_code = latex_scan_is_in(
        s, name, "lstnewenvironment DefineVerbatimEnvironment newtcblisting NewTCBListing DeclareTCBListing");
    const bool is_environment = is_code || latex_scan_is_in(s, name, "newenvironment renewenvironment");
    const LatexDefinition *earlier;
    LatexKind kind = LATEX_FORMULA;
    LatexDefinition new = { is_code ? LATEX_IS_CODE : LATEX_IS_FORMULA, { 0, 0 }, { 0, 0 } };
    Range meaning;
    size_t name_end, at;

    if (!is_environment &&
        !latex_scan_is_in(s, name, "newcommand renewcommand providecommand DeclareRobustCommand def edef gdef xdef"))
        return;
    name_end = read_name(s, is_code ? latex_scan_settings(s, name.end) : name.end, &new.name);
    if (name_end == name.end || new.name.begin >= new.name.end) return;
    earlier = find_definition(p, new.name, is_environment);
    if (earlier) p->definitions[earlier - p->definitions] = p->definitions[--p->definition_count];
    if (p->definition_count == LATEX_DEFINITIONS) return;
    if (is_code) p->definitions[p->definition_count++] = new;
    /* find the braces that contain the meaning: after options, or after the parameters of \def */
    at = latex_scan_blanks(s, latex_scan_settings(s, name_end));
    while (latex_byte(s, at) == '#' || char_is_digit(latex_byte(s, at))) at++;
    if (is_code || latex_scan_argument(s, at, &meaning) == at) return;
    at = skip_invisible(s, meaning.begin, meaning.end);
    if (at >= meaning.end) return;
    if (is_environment) {
        if (!read_boundary(s, at, false, &new.environment)) { /* such as \equation or \csname equation*\endcsname */
            if (s->bytes[at] != '\\') return;
            new.environment = latex_scan_name(s, at);
            if (latex_scan_is_in(s, new.environment, "csname")) {
                at = latex_scan_blanks(s, new.environment.end);
                new.environment = (Range){ at, chars_find(s->bytes, at, latex_line_end(s, at), '\\') };
            }
        }
    } else if (read_boundary(s, at, false, &new.environment)) {
        if (environment_end(p, at + 1, meaning.end, new.environment)) return;
        new.kind = LATEX_BEGINS_FORMULA;
    } else if (read_boundary(s, at, true, &new.environment)) {
        new.kind = LATEX_ENDS_FORMULA;
    } else {
        return;
    }
    /* \[ has no environment */
    if (new.environment.begin < new.environment.end) kind = environment_of(p, new.environment).kind;
    if (kind == LATEX_VERBATIM && is_environment) new.kind = LATEX_IS_CODE;
    if (kind == LATEX_FORMULA || new.kind == LATEX_IS_CODE) p->definitions[p->definition_count++] = new;
}

/* Returns the end of the mathematics that the command `name` begins: after the command that ends it. Returns `name.end`
 * if the command begins no mathematics or the end is not in the same paragraph. Without a definition in the document,
 * \be, \bea, \beq, \beqa and \beqn begin mathematics that ends with \ee, \eea and so on. */
static size_t formula_end(const LatexParser *p, Range name)
{
    const LatexScan *s = &p->scan;
    const LatexDefinition *found = find_definition(p, name, false);
    const size_t length = name.end - name.begin;
    size_t limit, end;
    Range other;

    if (found && found->kind != LATEX_BEGINS_FORMULA) return name.end;
    if (!found && !latex_scan_is_in(s, name, "be bea beq beqa beqn")) return name.end;
    limit = chars_limit(name.end, s->end, LATEX_PART_BYTES); /* at most the end of the paragraph */
    for (size_t at = name.end; at < limit; at++)
        if (s->bytes[at] == '\n' && latex_scan_is_paragraph(s, at)) limit = at;
    if (found) {
        end = environment_end(p, name.end, limit, found->environment);
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

/* --- Environments that a document or a package defines for code. Each line counts as code, as text (a sentence or a
 * command of LaTeX) or as neither. */

/* How many bytes are judged, and the longest environment of code: the limits keep the reading time linear. */
#define JUDGED_BYTES  ((size_t)2000)
#define LISTING_BYTES ((size_t)1 << 15)
/* A line of words is text from SENTENCE_WORDS words on, and code below VERSE_WORDS with a semicolon at its end. */
#define SENTENCE_WORDS 6
#define VERSE_WORDS    4

typedef enum { LISTING_CODE, LISTING_TEXT, LISTING_OTHER } ListingLine;

static bool is_name_character(char c)
{
    return char_is_alphanumeric(c) || c == '_';
}

/* Whether the line is a setting: `key: value` with a single word as the value, or key=value. */
static bool is_setting(const char *line, size_t length)
{
    size_t at = 0;

    while (at < length && (is_name_character(line[at]) || line[at] == '-' || line[at] == '.')) at++;
    if (!at || at == length || line[0] < 'A' || (line[at] != ':' && line[at] != '=')) return false;
    if (line[at] == '=') return true;
    return line[0] > 'Z' && (at + 1 == length || (line[at + 1] == ' ' && !memchr(line + at + 2, ' ', length - at - 2)));
}

/* Returns the kind of the line, which is not empty and has no white space at its ends. */
static ListingLine line_kind(const char *line, size_t length)
{
    /* beginnings of a line with a prompt, an option, a preprocessor or a decorator */
    static const char *const begins[] = { "$ ", "> ", ">>> ", "// ", "* ", "@", "--", "{", "}", "#" };
    /* strings that occur in statements, expressions, options and tags, but hardly in prose */
    static const char *const signs[] = { " = ", "==", "!=",  "+=", "-=",   ":=", "=>", "->", "<-",
                                         "::",  "||", "&&",  "++", "/*",   "*/", "()", "((", "))",
                                         "):",  "){", ") {", "[]", "\": ", "</", "/>", "='", "=\"" };
    const char last = line[length - 1];
    bool is_quoted = false, is_escaped = false, in_formula = false, has_wrong_mark = false, has_call = false;
    bool is_prose = true; /* it has only words, spaces and punctuation of sentences */
    size_t words = 1;

    if (length > 1 && last == '\\' && line[length - 2] == '\\') return LISTING_TEXT;
    for (size_t at = 0; at < length; at++) {
        const char c = line[at], before = at ? line[at - 1] : ' ', next = at + 1 < length ? line[at + 1] : ' ';
        const bool begins_word = char_is_letter(next), is_long = at + 2 < length && char_is_letter(line[at + 2]);
        if (c == '"') is_quoted = !is_quoted;
        if (c == '\\' && !is_quoted && begins_word && is_long) return LISTING_TEXT; /* in quotes, \n is an escape */
        /* an option (-x), a comment (//) or a call with a string or a pointer */
        has_call |= at && c == '-' && before == ' ' && (begins_word || (next == '-' && is_long));
        has_call |= at && c == '/' && next == '/' && before != ':';
        has_call |= at && c == '(' && is_name_character(before) && strchr("\"'&*", next);
        /* an underscore or a # outside of mathematics is an error in a text */
        has_wrong_mark |= !is_escaped && !in_formula && (c == '_' || c == '#');
        if (c == '$' && !is_escaped) in_formula = !in_formula;
        is_escaped = c == '\\' && !is_escaped;
        words += c == ' ' && next != ' ';
        is_prose &= char_is_alphanumeric(c) || (unsigned char)c >= 0x80 || strchr(" .,;:!?'\"()-~`$", c);
    }
    if (!is_prose) words = 0;
    if (strchr("{}", last) || (last == ';' && words < VERSE_WORDS)) return LISTING_CODE;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (chars_begin(line, 0, length, begins[i])) return LISTING_CODE;
    if (length > 1 && (line[0] == '<' || line[0] == '-') && (char_is_letter(line[1]) || line[1] == '/')) /* a tag */
        return LISTING_CODE;
    if (has_wrong_mark || in_formula) return LISTING_CODE; /* a $ lacks its partner */
    if (words >= SENTENCE_WORDS || (words && char_is_upper(line[0]) && strchr(".!?", last))) return LISTING_TEXT;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (chars_after(line, 0, length, signs[i], 0)) return LISTING_CODE;
    return has_call || is_setting(line, length) ? LISTING_CODE : LISTING_OTHER;
}

/* Whether most lines of the environment whose \begin{name} ends at byte `at` look like code: they have a prompt, an
 * operator, an underscore or a # that LaTeX would reject in text, or a semicolon or a brace at the end. If the name
 * suggests code, it is enough that they have neither sentences nor commands of LaTeX. Only the first lines are read. */
static bool is_listing(const LatexScan *s, size_t at, Range name)
{
    static const char *const words[] = { "code",    "listing", "verbatim", "program", "script", "shell",   "console",
                                         "termina", "source",  "snippet",  "command", "prompt", "session", "output",
                                         "bash",    "python",  "java",     "json",    "yaml",   "matlab" };
    LatexScan part = *s;
    bool names_code = false;
    size_t counts[LISTING_OTHER + 1] = { 0 }, begin = latex_scan_arguments(s, at, LATEX_ANY_COUNT, NULL), end, code;

    begin = latex_skip_blanks(s, begin);
    if (!char_is_newline(latex_byte(s, begin))) return false; /* code begins in the line after \begin */
    part.end = chars_limit(begin, s->end, JUDGED_BYTES);
    part.end = find_code_end(&part, begin, name).begin;
    for (; begin < part.end; begin = end + 1) {
        Range line;
        end = latex_line_end(&part, begin);
        line = chars_trimmed(s->bytes, begin, end);
        if (line.begin < line.end) counts[line_kind(s->bytes + line.begin, line.end - line.begin)]++;
    }
    for (size_t i = name.begin; i < name.end; i++) /* names such as bashcode, myverbatim or terminal */
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            names_code |= chars_begin_case(s->bytes, i, name.end, words[k]);
    code = counts[LISTING_CODE] + (names_code ? counts[LISTING_OTHER] : 0);
    if (code <= counts[LISTING_TEXT] || 2 * code < counts[LISTING_OTHER]) return false;
    part.end = chars_limit(at, s->end, LISTING_BYTES);
    return find_code_end(&part, at, name).begin < part.end;
}

/* --- Reporting. */

/* Ends a text or a note. With scripts (x_1) and signs (=), it is unrecognized mathematics: do not translate it. */
static void end_unit(LatexParser *p, size_t at)
{
    if (p->has_scripts[p->notes] && p->has_equals[p->notes])
        document_builder_drop_unit(p->builder, at);
    else
        document_builder_end_unit(p->builder, at);
    p->has_scripts[p->notes] = p->has_equals[p->notes] = false;
}

/* Ends the text, if one has begun. In a note, does nothing: the note's text ends with its group. */
static void end_text(LatexParser *p, size_t at)
{
    if (document_builder_is_in_text(p->builder) && !p->notes) end_unit(p, at);
}

/* Whether two letters or digits precede byte `at` and two follow it. */
static bool is_in_name(const LatexParser *p, size_t at)
{
    return at >= 2 && char_is_alphanumeric(p->bytes[at - 1]) && char_is_alphanumeric(p->bytes[at - 2]) &&
           p->scan.end - at > 2 && char_is_alphanumeric(p->bytes[at + 1]) && char_is_alphanumeric(p->bytes[at + 2]);
}

/* Begins a text at byte `at`, unless one has begun. */
static void begin_text(LatexParser *p, size_t at)
{
    if (!document_builder_is_in_text(p->builder)) document_builder_begin(p->builder, 0, at);
}

/* Reports [begin, end) as an empty element if a text has begun. Returns `end`. */
static size_t report_empty(LatexParser *p, size_t begin, size_t end)
{
    if (document_builder_is_in_text(p->builder)) document_builder_empty(p->builder, begin, end);
    return end;
}

/* Reports [begin, end) as bytes that translations contain unchanged. Returns `end`. */
static size_t report_kept(LatexParser *p, size_t begin, size_t end)
{
    begin_text(p, begin);
    document_builder_keep(p->builder, true);
    document_builder_plain(p->builder, begin, end);
    document_builder_keep(p->builder, p->kept > 0);
    return end;
}

/* Opens a group. Its contents will be read and reported. */
static void open_group(LatexParser *p, LatexGroupKind kind, size_t begin, size_t end)
{
    p->groups[p->depth++] = (LatexGroup){ kind, begin, end, p->kept };
    p->kept += kind == LATEX_GROUP_CODE;
}

/* Reports [begin, contents.begin) as the opening of a span that ends at its closing brace. Returns where reading
 * continues. */
static size_t open_span(LatexParser *p, LatexGroupKind kind, size_t begin, Range contents)
{
    begin_text(p, begin);
    document_builder_open(p->builder, contents.end, begin, contents.begin);
    open_group(p, kind, begin, contents.end);
    document_builder_keep(p->builder, p->kept > 0);
    return contents.begin;
}

/* Opens the braces after byte `at` and blanks, if any, as a group of texts. Returns where reading continues. */
static size_t open_texts(LatexParser *p, LatexGroupKind kind, size_t at)
{
    const size_t begin = latex_scan_blanks(&p->scan, at);
    Range contents;

    if (p->depth == LATEX_GROUP_DEPTH || latex_scan_argument(&p->scan, begin, &contents) == begin) return at;
    open_group(p, kind, begin, contents.end);
    return contents.begin;
}

/* Closes the innermost group at its brace. If an element such as mathematics begins before the brace and ends after it,
 * the group ends at the end of the element, byte `at`. Returns where reading continues. */
static size_t close_group(LatexParser *p, size_t at)
{
    const LatexScan *s = &p->scan;
    const LatexGroup group = p->groups[--p->depth];
    const bool is_crossed = at > group.end;
    const size_t end = is_crossed ? at : group.end;
    size_t after = is_crossed ? at : group.end + 1;
    Range contents;

    p->kept = group.kept;
    switch (group.kind) {
    case LATEX_GROUP_TEXT:
    case LATEX_GROUP_FRAME_TITLE:
    case LATEX_GROUP_BLOCK_TITLE:
        end_text(p, end);
        if (is_crossed || group.kind == LATEX_GROUP_TEXT) return after;
        after = latex_scan_overlay(s, after); /* after the title of a frame, a subtitle may follow */
        return group.kind == LATEX_GROUP_FRAME_TITLE ? open_texts(p, LATEX_GROUP_TEXT, after) : after;
    case LATEX_GROUP_NOTE:
    case LATEX_GROUP_PDF_STRING:
        end_unit(p, end);
        p->notes = 0;
        if (group.kind == LATEX_GROUP_NOTE)
            document_builder_empty(p->builder, group.begin, after);
        else
            document_builder_close(p->builder, group.begin, group.begin, after);
        break;
    case LATEX_GROUP_TEX_STRING:
        if (!document_builder_is_in_text(p->builder) || is_crossed) break;
        /* the text for bookmarks follows; it is inside the closing bytes of the span */
        after = latex_scan_argument(s, latex_scan_blanks(s, group.end + 1), &contents);
        if (p->notes) {
            document_builder_close(p->builder, group.end, group.end, after);
            break;
        }
        document_builder_begin(p->builder, 0, contents.begin);
        p->notes = 1;
        open_group(p, LATEX_GROUP_PDF_STRING, group.end, contents.end);
        return contents.begin;
    default:
        if (!document_builder_is_in_text(p->builder)) break;
        if (!is_crossed) document_builder_close(p->builder, group.end, group.end, after);
        document_builder_keep(p->builder, p->kept > 0);
    }
    return after;
}

/* --- Elements of a text that contain no separate text: mathematics, code, declarations, references, groups.
 *
 * All functions return where reading continues. The element begins at byte `at`; `name` is the name of its command, and
 * `name_end` the end of this name. */

/* Opens the group at byte `at` as a span, such as {\it x}. Its opening bytes contain the declarations at its beginning,
 * such as \it or \color{x}, and the blanks, comments and at most one line end after them: a name must not be joined
 * with a word. Before an empty line, only the blanks belong to the opening. In {\tt x}, the text is code. */
static size_t report_group(LatexParser *p, size_t at)
{
    const LatexScan *s = &p->scan;
    bool is_code = false;
    Range contents;

    if (latex_scan_argument(s, at, &contents) == at || p->depth == LATEX_GROUP_DEPTH)
        return report_empty(p, at, at + 1);
    while (contents.begin < contents.end && p->bytes[contents.begin] == '\\') {
        const Range name = latex_scan_name(s, contents.begin);
        const LatexMeaning command = latex_command(s, name);
        size_t next = contents.begin, blanks;
        if (name.end - name.begin < 2) break;
        if (command.kind == LATEX_DECLARATION) next = name.end;
        if (command.kind == LATEX_INVISIBLE) next = latex_scan_arguments(s, name.end, command.count, NULL);
        if (command.kind == LATEX_LENGTH) next = length_end(s, name.end);
        if (next == contents.begin || next > contents.end) break;
        is_code |= latex_scan_is_in(s, name, "tt ttfamily");
        if (latex_scan_is_in(s, name, "rm sf rmfamily sffamily normalfont")) is_code = false;
        blanks = latex_scan_blanks(s, next);
        if (blanks > contents.end || (blanks < contents.end && p->bytes[blanks] == '\n'))
            blanks = chars_skip_blanks(p->bytes, next, contents.end);
        contents.begin = blanks;
    }
    return open_span(p, is_code ? LATEX_GROUP_CODE : LATEX_GROUP_SPAN, at, contents);
}

/* Reports mathematics whose contents begin at `begin` and end with `close`. Braces inside may contain other
 * mathematics, as in $a \text{ if $b$}$. If there is no end in the same paragraph within LATEX_PART_BYTES, only the
 * opening mark is reported, as an empty element. */
static size_t report_math(LatexParser *p, size_t at, size_t begin, const char *close, bool is_display)
{
    const size_t limit = chars_limit(begin, p->scan.end, LATEX_PART_BYTES);
    size_t end = begin, group_end = begin; /* the group: the last braces that are not in other braces */

    for (size_t i = begin; i < limit; i += p->bytes[i] == '\\' ? 2 : 1) {
        Range group;
        if (i >= group_end) {
            if (chars_begin(p->bytes, i, limit, close)) {
                end = i + strlen(close);
                break;
            }
            group_end = latex_scan_argument(&p->scan, i, &group);
            if (group_end > limit) group_end = i;
        }
        if (p->bytes[i] == '\n' && latex_scan_is_paragraph(&p->scan, i)) break;
    }
    return end == begin || is_display ? report_empty(p, at, end) : report_kept(p, at, end);
}

/* Reports code after the name of a command. Code in braces is a span; code between two other characters is kept. */
static size_t report_code(LatexParser *p, LatexMeaning command, size_t at, size_t name_end)
{
    const size_t begin = code_begin(&p->scan, name_end, command.count > 0);
    const size_t end = code_end(&p->scan, begin);
    Range contents;

    if (latex_scan_argument(&p->scan, begin, &contents) == begin)
        return end == begin ? report_empty(p, at, name_end) : report_kept(p, at, end);
    begin_text(p, at);
    document_builder_open(p->builder, contents.end, at, contents.begin);
    document_builder_keep(p->builder, true);
    document_builder_plain(p->builder, contents.begin, contents.end);
    document_builder_close(p->builder, contents.end, contents.end, contents.end + 1);
    document_builder_keep(p->builder, p->kept > 0);
    return contents.end + 1;
}

/* Reports a definition as an empty element, and adds it to p->definitions if it defines mathematics or code. Without
 * arguments, as after \def and \let, a definition ends with the braces in its line. */
static size_t report_definition(LatexParser *p, LatexMeaning command, size_t at, Range name)
{
    const LatexScan *s = &p->scan;
    const size_t limit = chars_limit(name.end, s->end, LATEX_PART_BYTES);
    size_t brace = name.end, end = name.end;

    read_definition(p, name);
    if (command.count) end = latex_scan_arguments(s, end, command.count, NULL);
    if (end > name.end) return report_empty(p, at, latex_scan_arguments(s, end, 0, NULL));
    while (brace < limit && s->bytes[brace] != '{' && s->bytes[brace] != '\n') brace += s->bytes[brace] == '\\' ? 2 : 1;
    if (brace < limit) end = latex_scan_arguments(s, brace, LATEX_ANY_COUNT, NULL);
    return report_empty(p, at, end);
}

/* Reports a command without text. */
static size_t report_invisible(LatexParser *p, LatexMeaning command, size_t at, size_t name_end)
{
    size_t end = latex_scan_arguments(&p->scan, name_end, command.count, NULL);

    if (command.kind == LATEX_FILE && end == name_end) { /* a word after blanks: \input x */
        const size_t word = latex_skip_blanks(&p->scan, end);
        size_t i = word;
        while (i < p->scan.end && !char_is_space(p->bytes[i]) && !strchr("\\{}[]$&%", p->bytes[i])) i++;
        if (i > word) end = i;
    }
    return report_empty(p, at, end);
}

/* --- All parts. */

static size_t parse(LatexParser *p, size_t at, size_t end);

/* Reports the option [x] after byte `at` and blanks as a separate text. Returns its end, or `at` if there is none. The
 * end is later if mathematics or code in the option ends after its bracket. */
static size_t report_option(LatexParser *p, size_t at)
{
    Range contents;
    const size_t begin = latex_scan_blanks(&p->scan, at), end = latex_scan_option(&p->scan, begin, &contents);
    size_t stop;

    if (end == begin) return at;
    if (document_builder_is_in_text(p->builder)) return end;
    stop = parse(p, contents.begin, contents.end);
    end_text(p, stop);
    return stop > end ? stop : end;
}

/* Reports the captions in [at, end) as texts. Each is in a group, so that LATEX_GROUP_DEPTH limits the recursion. */
static size_t report_captions(LatexParser *p, size_t at, size_t end)
{
    const LatexScan *s = &p->scan;

    if (p->depth == LATEX_GROUP_DEPTH) return end;
    for (size_t next; at < end; at = next) {
        Range name, contents = { 0, 0 };
        size_t stop;
        next = p->bytes[at] == '%' ? latex_line_end(s, at) : at + 1;
        if (p->bytes[at] != '\\') continue;
        name = latex_scan_name(s, at);
        next = name.end;
        if (!latex_scan_is_in(s, name, "caption")) continue;
        stop = latex_scan_arguments(s, name.end, 1, &contents);
        if (contents.end) next = parse(p, at, stop);
        end_text(p, next);
    }
    return at;
}

static size_t report_begin(LatexParser *p, size_t at, size_t name_end)
{
    const LatexScan *s = &p->scan;
    Range name;
    const size_t brace = latex_scan_blanks(s, name_end), end = latex_scan_argument(s, brace, &name);
    LatexMeaning environment;
    size_t after = 0;

    if (end == brace) return report_empty(p, at, name_end);
    environment = environment_of(p, name);
    if (environment.kind == LATEX_TEXT && environment.count == LATEX_ANY_COUNT && /* it is not known */
        is_listing(s, end, name))
        environment.kind = LATEX_VERBATIM;
    if (p->notes) {
        /* In a note, an environment begins no new text. Mathematics is skipped only if it ends in the note and is not
         * long. */
        const size_t group_end = p->groups[p->depth - 1].end; /* a note is a group */
        const size_t limit = chars_limit(end, group_end, LATEX_PART_BYTES);
        if (environment.kind == LATEX_FORMULA || environment.kind == LATEX_CAPTIONED)
            after = environment_end(p, end, limit, name);
        return report_empty(p, at, after ? after : end);
    }
    end_text(p, at);
    switch (environment.kind) {
    case LATEX_VERBATIM:
        return find_code_end(s, end, name).end;
    case LATEX_FORMULA:
    case LATEX_CAPTIONED:
        after = environment_end(p, end, s->end, name);
        if (!after) after = s->end;
        return environment.kind == LATEX_CAPTIONED ? report_captions(p, end, after) : after;
    case LATEX_THEOREM:
        return report_option(p, latex_scan_overlay(s, end));
    case LATEX_FRAME:
        return open_texts(p, LATEX_GROUP_FRAME_TITLE, latex_scan_settings(s, end));
    case LATEX_BLOCK:
        return open_texts(p, LATEX_GROUP_BLOCK_TITLE, latex_scan_settings(s, end));
    case LATEX_WIDTH:
        return latex_scan_arguments(s, width_end(s, end), environment.count, NULL);
    case LATEX_OPTIONS:
        return latex_scan_arguments(s, latex_scan_settings(s, end), environment.count, NULL);
    default:
        return latex_scan_arguments(s, latex_scan_overlay(s, end), environment.count, NULL);
    }
}

/* Reports a title, a span, code or a note. A command without an argument is an empty element. */
static size_t report_argument(LatexParser *p, LatexMeaning command, size_t at, size_t name_end)
{
    const LatexScan *s = &p->scan;
    size_t overlay_end = command.kind == LATEX_BOX ? width_end(s, name_end) : latex_scan_overlay(s, name_end);
    Range contents = { 0, 0 };
    size_t end = latex_scan_arguments(s, overlay_end, command.count, &contents), option_end;

    if (p->depth == LATEX_GROUP_DEPTH || !contents.end) {
        if (contents.end) end = overlay_end;
        return report_empty(p, at, end);
    }
    if (command.kind == LATEX_TITLE && !p->notes) {
        end_text(p, at);
        do {
            option_end = overlay_end;
            overlay_end = report_option(p, option_end);
        } while (overlay_end > option_end);
        open_group(p, LATEX_GROUP_TEXT, at, contents.end);
        return option_end > contents.begin ? option_end : contents.begin;
    }
    if (command.kind == LATEX_NOTE) { /* the note is inside a text, or stands alone */
        const bool is_inner = document_builder_is_in_text(p->builder);
        if (p->notes) return report_empty(p, at, contents.end + 1);
        document_builder_begin(p->builder, 0, contents.begin);
        p->notes = is_inner;
        open_group(p, is_inner ? LATEX_GROUP_NOTE : LATEX_GROUP_TEXT, at, contents.end);
        return contents.begin;
    }
    return open_span(p, command.kind == LATEX_CODE ? LATEX_GROUP_CODE : LATEX_GROUP_SPAN, at, contents);
}

/* Reports the end of a line, a paragraph or a page. Only \\ may have blanks before its option, a length. */
static size_t report_break(LatexParser *p, LatexMeaning command, size_t at, size_t name_end)
{
    const LatexScan *s = &p->scan;
    const bool is_row = p->bytes[at + 1] == '\\'; /* or a line of a text */
    const LatexGroupKind kind = p->depth ? p->groups[p->depth - 1].kind : LATEX_GROUP_SPAN;
    const bool is_text = kind == LATEX_GROUP_TEXT || kind == LATEX_GROUP_FRAME_TITLE || kind == LATEX_GROUP_BLOCK_TITLE;
    size_t end = name_end + (latex_byte(s, name_end) == '*');

    if (is_row) {
        const size_t option = latex_skip_blanks(s, end);
        const size_t length = latex_byte(s, option) == '[' ? length_end(s, option + 1) : 0;
        if (length > option + 1 && latex_byte(s, length) == ']') end = option;
    }
    end = latex_scan_arguments(s, end, command.count, NULL);
    if (p->notes) return report_empty(p, at, end);
    /* in a title or the like, \\ divides the text; elsewhere, it may end the row of a table */
    if (is_row && is_text && document_builder_is_in_text(p->builder))
        document_builder_separate(p->builder, at, end, BREAK_HARD);
    else
        end_text(p, at);
    return end;
}

/* Whether text is translated here: after the preamble, or in a group of the preamble, such as the title. */
static bool is_in_body(const LatexParser *p)
{
    return p->is_body || p->depth > 0;
}

/* Reads a command of the preamble. Only titles are translated. */
static size_t report_preamble(LatexParser *p, LatexMeaning command, size_t at, Range name)
{
    const LatexScan *s = &p->scan;
    const size_t name_end = name.end;

    if (at >= p->body) {
        p->is_body = true;
        return at > p->body ? at : latex_scan_arguments(s, name.end, 1, NULL);
    }
    if (latex_scan_is_in(s, name, "begin")) { /* skip code: a file that the document contains */
        const size_t brace = latex_scan_blanks(s, name.end);
        size_t end = latex_scan_argument(s, brace, &name);
        if (end == brace || p->has_open_code || latex_environment(s, name).kind != LATEX_VERBATIM) return name_end;
        end = find_code_end(s, end, name).end;
        p->has_open_code = end > p->body;
        return p->has_open_code ? name_end : end;
    }
    if (latex_scan_is_in(s, name, "title subtitle")) return report_argument(p, command, at, name.end);
    if (command.kind == LATEX_DEFINITION) return report_definition(p, command, at, name);
    return latex_scan_arguments(s, name.end, LATEX_ANY_COUNT, NULL);
}

static size_t report_command(LatexParser *p, size_t at)
{
    const LatexScan *s = &p->scan;
    const Range name = latex_scan_name(s, at);
    const LatexMeaning command = latex_command(s, name);
    size_t end;
    Range contents = { 0 }, bookmark = { 0 };

    if (name.begin == name.end) return report_empty(p, at, name.end);
    if (!is_in_body(p)) return report_preamble(p, command, at, name);
    if (p->bytes[name.begin] == '(') return report_math(p, at, name.end, "\\)", false);
    if (p->bytes[name.begin] == '[') return report_math(p, at, name.end, "\\]", true);
    if (latex_scan_is_in(s, name, "begin")) return report_begin(p, at, name.end);
    end = formula_end(p, name);
    if (end > name.end) { /* mathematics between two defined commands ends the text, like an environment */
        if (p->notes)
            report_empty(p, at, end);
        else
            end_text(p, at);
        return end;
    }
    switch (command.kind) {
    case LATEX_TITLE:
    case LATEX_SPAN:
    case LATEX_BOX:
    case LATEX_CODE:
    case LATEX_NOTE:
        return report_argument(p, command, at, name.end);
    case LATEX_TEX_STRING:
        /* \texorpdfstring{x}{y} is a span whose closing bytes contain the text y: it needs room for two groups */
        end = latex_scan_arguments(s, name.end, 1, &contents);
        if (contents.end) (void)latex_scan_argument(s, latex_scan_blanks(s, end), &bookmark);
        if (bookmark.end && p->depth + 1 < LATEX_GROUP_DEPTH) return open_span(p, LATEX_GROUP_TEX_STRING, at, contents);
        break;
    case LATEX_INLINE:
        return report_code(p, command, at, name.end);
    case LATEX_DECLARATION:
        /* a declaration has no arguments, but {} may end its name */
        end = latex_scan_argument(s, name.end, &contents);
        return report_empty(p, at, contents.begin == contents.end ? end : name.end);
    case LATEX_LENGTH:
        end = length_end(s, name.end);
        if (end == name.end) end = latex_scan_arguments(s, name.end, LATEX_ANY_COUNT, NULL);
        return report_empty(p, at, end);
    case LATEX_FRAMED:
        /* \frame draws a frame around a part of a text, but in old documents with beamer, it is a slide */
        if (document_builder_is_in_text(p->builder))
            return report_argument(p, (LatexMeaning){ LATEX_SPAN, 1 }, at, name.end);
        return open_texts(p, LATEX_GROUP_TEXT, latex_scan_settings(s, name.end));
    case LATEX_BREAK:
        return report_break(p, command, at, name.end);
    case LATEX_ITEM:
        if (p->notes) return report_invisible(p, command, at, name.end);
        end_text(p, at);
        return report_option(p, latex_scan_overlay(s, name.end));
    case LATEX_DEFINITION:
        return report_definition(p, command, at, name);
    case LATEX_VERB:
        return report_kept(p, at, verb_end(s, name.end));
    case LATEX_KEPT:
        break;
    default:
        return report_invisible(p, command, at, name.end);
    }
    /* The command is unknown or stands for text: keep it. With `contents`, no command is taken for an argument. */
    return report_kept(p, at, latex_scan_arguments(s, name.end, command.count, &contents));
}

/* Reports the part that begins at byte `at`, and returns its end. */
static size_t report_part(LatexParser *p, size_t at, size_t end)
{
    char symbol[LATEX_SYMBOL_BYTES];
    size_t length, next = read_symbol(&p->scan, at, symbol, &length);
    const char c = p->bytes[at];

    if (next > at && next <= end && is_in_body(p)) {
        begin_text(p, at);
        document_builder_spelled(p->builder, symbol, length, at, next);
        return next;
    }
    if (char_is_space(c)) {
        const bool is_paragraph = c == '\n' && latex_scan_is_paragraph(&p->scan, at);
        for (next = at; next < end && char_is_space(p->bytes[next]); next++)
            if (!is_paragraph && next > at && p->bytes[next] == '\n' && latex_scan_is_paragraph(&p->scan, next)) break;
        if (is_paragraph && !p->notes)
            end_text(p, at);
        else if (document_builder_is_in_text(p->builder))
            document_builder_space(p->builder, at, next);
        return next;
    }
    if (c == '%') {
        next = latex_scan_comment(&p->scan, at);
        return report_empty(p, at, next < end ? next : end);
    }
    if (c == '\\') return report_command(p, at);
    if (!is_in_body(p)) return at + 1;
    if (c == '{') return report_group(p, at);
    if (c == '$') {
        const bool is_display = at + 1 < p->scan.end && p->bytes[at + 1] == '$';
        return report_math(p, at, at + 1 + is_display, is_display ? "$$" : "$", is_display);
    }
    if (c == '&' && !p->notes) {
        end_text(p, at);
        return at + 1;
    }
    if (c == '}' || c == '&') return report_empty(p, at, at + 1);
    for (next = at + 1; next < end && p->bytes[next] && !strchr(" \t\r\n\\{}$&%~`'-\"", p->bytes[next]);) next++;
    begin_text(p, at);
    document_builder_plain(p->builder, at, next);
    /* A text with x_1 or x^2 is mathematics that was not recognized, so it is not translated. The _ in a name such as
     * snake_case does not count. */
    for (; p->reads_scripts && !p->kept && at < next; at++) {
        p->has_scripts[p->notes] |= p->bytes[at] == '^' || (p->bytes[at] == '_' && !is_in_name(p, at));
        p->has_equals[p->notes] |= p->bytes[at] == '=' || p->bytes[at] == '<' || p->bytes[at] == '>';
    }
    return next;
}

/* Reads [at, end), in which every group that begins also ends, and returns the end of the last part. */
static size_t parse(LatexParser *p, size_t at, size_t end)
{
    const size_t depth = p->depth;

    while (at < end && !document_builder_failed(p->builder)) {
        const size_t limit = p->depth > depth ? p->groups[p->depth - 1].end : end;
        at = at >= limit ? close_group(p, at) : report_part(p, at, limit < end ? limit : end);
    }
    while (p->depth > depth) at = close_group(p, at > p->groups[p->depth - 1].end ? at : p->groups[p->depth - 1].end);
    return at;
}

static void parse_latex(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    LatexParser p = { .builder = builder, .bytes = input.bytes, .scan = { .bytes = input.bytes, .end = input.end } };
    LatexScan *s = &p.scan;
    UErrorCode fault = U_ZERO_ERROR;
    Range body = { input.end, input.end };
    Err err;
    /* The first call loads the tables for letters with accents; later ones are quick. */
    Status st = unorm2_getNFCInstance(&fault) && U_SUCCESS(fault) ? latex_scan_open(s, &err) : ERR_MEMORY;

    if (st == OK) {
        body = find_body(s, input.begin);
        s->end = body.end;
        st = find_braces(s, input.begin, &err);
    }
    if (st == OK) {
        p.body = body.begin;
        p.is_body = body.begin == input.end;
        p.reads_scripts = !chars_after(p.bytes, 0, input.end, "{underscore}", 0); /* a package: x_1 is text */
        s->has_shorthands = latex_scan_has_shorthands(s, input.begin, body.begin < body.end ? body.begin : body.end);
        parse(&p, input.begin, body.end);
        end_text(&p, body.end);
    } else {
        document_builder_fail_memory(builder);
    }
    str_map_free(s->commands);
    str_map_free(s->environments);
    ranges_free(&s->groups);
}

/* Finds the encoding that the document declares with the package inputenc, as in \usepackage[latin1]{inputenc}. */
static void find_encoding(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    static const struct {
        const char *option, *encoding;
    } rows[] = { { "latin1", "windows-1252" }, { "ansinew", "windows-1252" }, { "cp1252", "windows-1252" },
                 { "latin9", "ISO-8859-15" },  { "latin2", "ISO-8859-2" },    { "cp1250", "windows-1250" },
                 { "applemac", "macintosh" },  { "cp1251", "windows-1251" },  { "koi8-r", "KOI8-R" } };
    static const char package[] = "]{inputenc}";
    size_t begin = chars_after(bytes, 0, size, package, 0), end = begin - (sizeof package - 1);

    *name = '\0';
    if (!begin) return;
    for (begin = end; begin && end - begin < ENCODING_NAME && bytes[begin - 1] != '[';) begin--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (chars_are(bytes + begin, end - begin, rows[i].option))
            text_encoding_set_name(name, rows[i].encoding, strlen(rows[i].encoding));
}

const DocumentFormat document_latex = { .name = "latex",
                                        .endings = ".tex .ltx .latex",
                                        .parse = parse_latex,
                                        .spelling = &latex_spelling,
                                        .find_encoding = find_encoding };
