/* latex_symbols.c - see latex_symbols.h.
 * Source   The LaTeX Companion, 2nd edition, section 7.11 (accents and symbols of the text encodings). The manual of
 *          babel-german, version 2.14, table 1, without its shorthands for words of the old spelling ("ck "ff "ll "mm "nn
 *          "pp "rr "tt) and for capitals ("S "Z "E "I). */
#include "latex_symbols.h"

#include <string.h>

#include <unicode/unorm2.h>

#include "chars.h"
#include "latex_commands.h"
#include "utf8.h"

/* --- What a quote begins in German with the package babel: "a is \"a, "` and "' are quotation marks. */

#define SOFT_HYPHEN 0xad

static bool is_german(const LatexScan *s, Range word)
{
    return latex_scan_is_in(s, word, "german ngerman austrian naustrian swissgerman nswissgerman germanb");
}

/* Whether an option of a class, which may be anything, is the name of a language. */
static bool is_language(const LatexScan *s, Range word)
{
    return is_german(s, word) ||
           latex_scan_is_in(
               s, word,
               "english american british USenglish UKenglish canadian australian newzealand french francais "
               "frenchb acadian canadien italian spanish catalan galician portuguese brazilian brazil "
               "portuges romanian latin dutch afrikaans danish swedish norsk nynorsk icelandic finnish "
               "estonian latvian lithuanian polish czech slovak slovene croatian serbian bulgarian "
               "russian ukrainian hungarian magyar greek turkish irish welsh basque esperanto");
}

/* Whether the main language of the options is German: that of main=NAME, or else the last name of a language. In the
 * options of babel, all names are. *has_language: there is one. */
static bool is_main_german(const LatexScan *s, Range options, bool of_class, bool *has_language)
{
    static const char main[] = "main=";
    bool is_last = false;

    *has_language = false;
    for (size_t at = options.begin; at < options.end;) {
        bool is_main;
        Range word;
        while (at < options.end && strchr(" \t\r\n,", s->bytes[at])) at++;
        word.begin = at;
        while (at < options.end && s->bytes[at] != ',') at++;
        for (word.end = at; word.end > word.begin && strchr(" \t\r\n", s->bytes[word.end - 1]);) word.end--;
        is_main = word.end - word.begin >= sizeof main && memcmp(s->bytes + word.begin, main, sizeof main - 1) == 0;
        if (is_main) word.begin += sizeof main - 1;
        if (word.begin == word.end || memchr(s->bytes + word.begin, '=', word.end - word.begin)) continue;
        if (of_class && !is_language(s, word)) continue;
        *has_language = true;
        is_last = is_german(s, word);
        if (is_main) break;
    }
    return is_last;
}

/* Returns where the text begins for the first time outside of comments, or the end of the range. The range begins
 * outside of a comment. */
static size_t find(const LatexScan *s, Range range, const char *text)
{
    const size_t length = strlen(text);

    for (size_t at = range.begin; at < range.end; at++) {
        if (range.end - at >= length && memcmp(s->bytes + at, text, length) == 0) return at;
        if (s->bytes[at] == '\\')
            at++;
        else if (s->bytes[at] == '%')
            at = latex_scan_line_end(s, at);
    }
    return range.end;
}

/* Finds the command with the argument, {babel}, and what is in its brackets. */
static bool find_options(const LatexScan *s, Range preamble, const char *text, Range *options)
{
    const size_t at = find(s, preamble, text);

    if (at == preamble.end) return false;
    *options = (Range){ at, at };
    if (at > preamble.begin && s->bytes[at - 1] == ']') {
        options->end = at - 1;
        while (options->begin > preamble.begin && s->bytes[options->begin - 1] != '[') options->begin--;
    }
    return true;
}

/* Whether the document gives the quote another meaning, none or that of csquotes, or changes to another language than
 * German. */
static bool turns_off(const LatexScan *s, Range range)
{
    static const char *const commands[] = { "\\shorthandoff", "\\MakeOuterQuote", "\\MakeInnerQuote", "\\MakeAutoQuote",
                                            "shorthands=off" };
    static const char select[] = "\\selectlanguage";
    Range name;

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (find(s, range, commands[i]) < range.end) return true;
    while ((range.begin = find(s, range, select)) < range.end) {
        range.begin = latex_scan_blanks(s, range.begin + sizeof select - 1);
        if (latex_scan_argument(s, range.begin, &name) > range.begin && !is_german(s, name)) return true;
    }
    return false;
}

bool latex_shorthands_are_german(const LatexScan *s, size_t begin, size_t end)
{
    static const char class[] = "\\documentclass";
    const Range preamble = { begin, end };
    Range options;
    bool has_language, is_main;
    size_t at;

    if (!find_options(s, preamble, "{babel}", &options)) return false;
    if (turns_off(s, (Range){ begin, s->end })) return false;
    is_main = is_main_german(s, options, false, &has_language);
    if (has_language) return is_main;
    at = find(s, preamble, class);
    if (at == end) return false;
    at += sizeof class - 1;
    return latex_scan_option(s, at, &options) > at && is_main_german(s, options, true, &has_language);
}

/* Reads a shorthand at byte `at`. *code is its character: a soft hyphen where a word can be divided. Returns where it
 * ends, or `at` if there is none. */
static size_t latex_shorthand_read(const LatexScan *s, size_t at, uint32_t *code)
{
    static const struct {
        char key;
        uint32_t code;
    } rows[] = { { 'a', 0xe4 },   { 'o', 0xf6 },    { 'u', 0xfc },        { 'A', 0xc4 },        { 'O', 0xd6 },
                 { 'U', 0xdc },   { 's', 0xdf },    { 'z', 0xdf },        { 'e', 0xeb },        { 'i', 0xef },
                 { '`', 0x201e }, { '\'', 0x201c }, { '<', 0xab },        { '>', 0xbb },        { '=', '-' },
                 { '~', '-' },    { '/', '/' },     { '-', SOFT_HYPHEN }, { '|', SOFT_HYPHEN }, { '"', SOFT_HYPHEN } };

    if (s->bytes[at] != '"' || at + 1 >= s->end) return at;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s->bytes[at + 1] != rows[i].key) continue;
        *code = rows[i].code;
        return at + 2;
    }
    return at;
}

/* --- Reading: accents, quotation marks, dashes, special letters. */

/* Marks; the first sequence that fits counts. */
static const struct {
    const char *spelling;
    uint32_t code;
} marks[] = { { "---", 0x2014 }, { "--", 0x2013 }, { "``", 0x201c }, { "''", 0x201d }, { "~", 0xa0 },
              { "\\%", '%' },    { "\\&", '&' },   { "\\$", '$' },   { "\\#", '#' },   { "\\_", '_' },
              { "\\{", '{' },    { "\\}", '}' },   { "\\ ", ' ' },   { "\\-", 0xad } };

/* Returns the end of what ends the name of a letter at byte `at`, {} or blanks, which TeX skips. */
static size_t skip_name_end(const LatexScan *s, size_t at)
{
    if (at + 1 < s->end && memcmp(s->bytes + at, "{}", 2) == 0) return at + 2;
    while (at < s->end && char_is_blank(s->bytes[at])) at++;
    return at;
}

/* Returns the end of the letter that is accented; 0 if there is none. \i and \j are i and j without dots, after which
 * TeX also skips one line end; before an empty line, there is no letter. */
static size_t read_base(const LatexScan *s, size_t at, uint32_t *base)
{
    size_t end, next;

    if (at < s->end && s->bytes[at] == '\\' && at + 1 < s->end && strchr("ij", s->bytes[at + 1]) &&
        !(at + 2 < s->end && char_is_letter(s->bytes[at + 2]))) {
        *base = (unsigned char)s->bytes[at + 1];
        end = skip_name_end(s, at + 2);
        if (end == s->end || !char_is_newline(s->bytes[end])) return end;
        if (latex_scan_is_paragraph(s, end, &next)) return 0;
        return next == s->end ? at + 2 : next;
    }
    if (at >= s->end || !char_is_letter(s->bytes[at])) return 0;
    *base = (unsigned char)s->bytes[at];
    return at + 1;
}

bool latex_symbols_open(void)
{
    UErrorCode fault = U_ZERO_ERROR;

    return unorm2_getNFCInstance(&fault) && U_SUCCESS(fault);
}

static size_t read_accent(const LatexScan *s, size_t at, Range name, uint32_t *code)
{
    static const char keys[] = "\"'`^~=.cvHukrd";
    static const uint16_t combining[] = { 0x308, 0x301, 0x300, 0x302, 0x303, 0x304, 0x307,
                                          0x327, 0x30c, 0x30b, 0x306, 0x328, 0x30a, 0x323 };
    const char *key = name.end - name.begin == 1 ? strchr(keys, s->bytes[name.begin]) : NULL;
    const bool has_letter = char_is_letter(s->bytes[name.begin]);
    UErrorCode fault = U_ZERO_ERROR;
    size_t end = name.end, close;
    uint32_t base;
    UChar32 both;

    if (!key || !*key) return at;
    if (has_letter && end < s->end && s->bytes[end] == ' ') end++;
    if (end < s->end && s->bytes[end] == '{') {
        close = read_base(s, end + 1, &base);
        end = close && close < s->end && s->bytes[close] == '}' ? close + 1 : 0;
    } else {
        end = has_letter && end == name.end ? 0 : read_base(s, end, &base);
    }
    if (!end) return at;
    /* the instance is there: latex_symbols_open() */
    both = unorm2_composePair(unorm2_getNFCInstance(&fault), (UChar32)base, (UChar32)combining[key - keys]);
    if (both < 0) return at;
    *code = (uint32_t)both;
    return end;
}

/* Reads the accent or the letter of the command at byte `at`. The name of a letter ends before another character. One
 * that ends a line is left to the caller. */
static size_t read_command(const LatexScan *s, size_t at, uint32_t *code)
{
    const Range name = latex_scan_name(s, at);
    size_t end = name.begin < name.end ? read_accent(s, at, name, code) : at;
    uint32_t letter;

    if (end > at || name.begin == name.end) return end;
    letter = latex_letter(s, name);
    end = skip_name_end(s, name.end);
    if (!letter || (end < s->end && char_is_newline(s->bytes[end]))) return at;
    *code = letter;
    return end;
}

static size_t read_mark(const LatexScan *s, size_t at, uint32_t *code)
{
    if (!s->bytes[at] || !strchr("-`'~\\", s->bytes[at])) return at;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t length = strlen(marks[i].spelling);
        if (s->end - at < length || memcmp(s->bytes + at, marks[i].spelling, length) != 0) continue;
        *code = marks[i].code;
        return at + length;
    }
    return at;
}

size_t latex_symbol_read(const LatexScan *s, size_t at, char out[LATEX_SYMBOL_BYTES], size_t *length)
{
    uint32_t code = 0;
    size_t end = read_mark(s, at, &code);

    if (end == at && s->bytes[at] == '\\') end = read_command(s, at, &code);
    if (end == at && s->bytes[at] == '{' && at + 1 < s->end && s->bytes[at + 1] == '\\') {
        end = read_command(s, at + 1, &code);
        end = end > at + 1 && end < s->end && s->bytes[end] == '}' ? end + 1 : at;
    }
    if (end == at && s->has_shorthands) end = latex_shorthand_read(s, at, &code);
    *length = utf8_put(code, out);
    return end;
}

/* --- Writing. */

static bool is_special_latex(unsigned context, uint32_t code)
{
    (void)context;
    if (code < 0x80) return code && strchr("#$%&_{}~^\\[*\"", (int)code);
    return code == 0xa0 || code == 0x2026 || (code >= 0x2013 && code <= 0x2014) || (code >= 0x2018 && code <= 0x201e);
}

static bool is_after_space(const SpellingPlace *place)
{
    const char before = place->before_length ? place->before[place->before_length - 1] : ' ';

    return char_is_space(before) || before == '(' || before == '~';
}

/* Marks that fonts in the oldest encoding lack are written with the characters that TeX makes them from. */
static size_t spell_latex(uint32_t code, const SpellingPlace *place, char *out)
{
    static const char *const quotes[] = { "`", "'", ",", "'", "``", "''", ",," }; /* U+2018 to U+201E */

    switch (code) {
    case '[':
    case '*': /* after \item and \\, they would begin an option */
        return place->before_length ? utf8_put(code, out) : spelling_copy(code == '[' ? "{[}" : "{*}", out);
    case '"':
        return spelling_copy(is_after_space(place) ? "``" : "''", out);
    case '~':
        return spelling_copy("\\textasciitilde{}", out);
    case '^':
        return spelling_copy("\\textasciicircum{}", out);
    case '\\':
        return spelling_copy("\\textbackslash{}", out);
    case 0xa0:
        return spelling_copy("~", out);
    case 0x2013:
        return spelling_copy("--", out);
    case 0x2014:
        return spelling_copy("---", out);
    case 0x2026:
        return spelling_copy("\\ldots{}", out);
    default:
        if (code >= 0x2018) return spelling_copy(quotes[code - 0x2018], out);
        out[0] = '\\', out[1] = (char)code;
        return 2;
    }
}

/* Whether the bytes end with the name of a command of letters. */
static bool ends_with_name(const char *bytes, size_t length)
{
    size_t begin = length, backslash;

    while (begin && (char_is_letter(bytes[begin - 1]) || bytes[begin - 1] == '@')) begin--;
    for (backslash = begin; backslash && bytes[backslash - 1] == '\\';) backslash--;
    return begin < length && (begin - backslash) % 2 == 1; /* \\ is a command of its own */
}

/* Whether the document or an environment ends here: white space that TeX skips does not count then. */
static bool is_last(const SpellingPlace *place)
{
    size_t at = 0;

    while (at < place->after_length && char_is_space(place->after[at])) at++;
    if (at == place->after_length) return true;
    return place->after_length - at >= 4 && memcmp(place->after + at, "\\end", 4) == 0;
}

/* A name must not be joined with what follows, and TeX skips the white space after it, which belongs to the
 * spelling. */
static bool keeps_latex(const char *spelling, size_t length, const SpellingPlace *place)
{
    size_t end = length;

    while (end && char_is_space(spelling[end - 1])) end--;
    if (!ends_with_name(spelling, end) || is_last(place)) return true;
    return !char_is_space(*place->after) && (end < length || !char_is_letter(*place->after));
}

/* A name that is moved with its element has other text after it than in the source. XeTeX takes letters that are not
 * ASCII as a part of it, too. */
static bool needs_blank(const SpellingPlace *place)
{
    if (!place->after_length || !ends_with_name(place->before, place->before_length)) return false;
    return char_is_letter(*place->after) || (unsigned char)*place->after >= 0x80;
}

const SpellingRules latex_spelling = {
    .is_special = is_special_latex, .spell = spell_latex, .keeps = keeps_latex, .needs_blank = needs_blank
};
