/* latex_syntax.c - see latex_syntax.h. */
#include "latex_syntax.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "utf8.h"

/* --- The syntax of LaTeX documents: comments, names and arguments of commands. */

/* The most bytes of an argument in brackets and of an overlay specification: they keep the reading time linear. */
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
        } else if (c == '%') {
            i = chars_find(s->bytes, i, limit, '\n');
        } else if (c == '}') {
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

/* --- Whether " begins a shorthand of the package babel for German: "a means \"a, and "` and "' are quotation marks. */

static bool is_german(const LatexScan *s, Range word)
{
    return latex_scan_is_in(s, word, "german ngerman austrian naustrian swissgerman nswissgerman germanb");
}

/* Whether the main language in the options is German: main=NAME, or else the last one. Each name in the options of
 * babel is a language; a class has other options as well. *has_language: the options name a language. */
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
        word = chars_trimmed(s->bytes, at, comma);
        is_main = word.end - word.begin >= sizeof main && chars_begin(s->bytes, word.begin, word.end, main);
        if (is_main) word.begin += sizeof main - 1;
        if (word.begin == word.end || memchr(s->bytes + word.begin, '=', word.end - word.begin)) continue;
        /* skip options of the class that are not languages */
        if (of_class && !is_german(s, word) && !latex_scan_is_in(s, word, languages)) continue;
        *has_language = true;
        is_last = is_german(s, word);
        if (is_main) break;
    }
    return is_last;
}

/* Returns the first place of `text` in the range outside of comments, or the end of the range. The range must not begin
 * inside a comment. */
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

extern const char latex_names_txt[];

/* The names of the kinds in latex_names.txt, in the order of LatexKind. */
static const char *const kinds[] = { "kept",     "title",     "span",      "box",        "code",        "tex-string",
                                     "inline",   "note",      "invisible", "file",       "declaration", "length",
                                     "break",    "item",      "framed",    "definition", "verb",        "letter",
                                     "text",     "options",   "width",     "theorem",    "frame",       "block",
                                     "verbatim", "captioned", "formula" };

#define KINDS (sizeof kinds / sizeof *kinds)

/* The value of a name in the maps is its kind + KINDS * the number of its arguments; for a letter, the code point
 * replaces the number of arguments. */
Status latex_scan_open(LatexScan *s, Err *err)
{
    Status st = str_map_new(&s->commands, err);

    if (st == OK) st = str_map_new(&s->environments, err);
    for (const char *line = latex_names_txt; st == OK && *line; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, " \n");
        const char *name = line + length + 1;
        uint32_t number;
        size_t kind = 0;
        while (kind < KINDS && !chars_are(line, length, kinds[kind])) kind++;
        if (kind == KINDS) continue; /* a comment */
        name += utf8_next(name, strcspn(name, " "), &number);
        if (kind != LATEX_LETTER) number -= '0';
        for (size_t size; st == OK && *name == ' '; name += size) {
            size = strcspn(++name, " \n");
            st = str_map_add(kind < LATEX_TEXT ? s->commands : s->environments, name, size,
                             (int32_t)(number * KINDS + kind), NULL, err);
        }
    }
    return st;
}

/* Returns the meaning of the name, or else of the name without its star. If neither is known, returns `unknown`. */
static LatexMeaning find_meaning(const LatexScan *s, const StrMap *map, Range name, LatexMeaning unknown)
{
    const char *bytes = s->bytes + name.begin;
    const size_t length = name.end - name.begin;
    int32_t value = str_map_get(map, bytes, length, -1);

    if (value < 0 && length > 1 && bytes[length - 1] == '*') value = str_map_get(map, bytes, length - 1, -1);
    return value < 0 ? unknown : (LatexMeaning){ (LatexKind)((size_t)value % KINDS), (size_t)value / KINDS };
}

LatexMeaning latex_command(const LatexScan *s, Range name)
{
    const LatexMeaning unknown = { LATEX_KEPT, LATEX_ANY_COUNT }, found = find_meaning(s, s->commands, name, unknown);

    return found.kind == LATEX_LETTER ? unknown : found;
}

uint32_t latex_letter(const LatexScan *s, Range name)
{
    const int32_t value = str_map_get(s->commands, s->bytes + name.begin, name.end - name.begin, 0);

    return (size_t)value % KINDS == LATEX_LETTER ? (uint32_t)((size_t)value / KINDS) : 0;
}

LatexMeaning latex_environment(const LatexScan *s, Range name)
{
    static const char *const formulas[] = { "equation", "eqnarray", "multline", "gather" };
    const LatexMeaning unknown = { LATEX_TEXT, LATEX_ANY_COUNT };
    const LatexMeaning found = find_meaning(s, s->environments, name, unknown);
    const size_t star = name.begin < name.end && s->bytes[name.end - 1] == '*', end = name.end - star;

    if (found.count != unknown.count) return found;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) /* names from packages, such as narrowmultline* */
        if (chars_end(s->bytes, name.begin + 1, end, formulas[i])) return (LatexMeaning){ LATEX_FORMULA, 0 };
    return unknown;
}
