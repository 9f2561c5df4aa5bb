/* latex_symbols.c - see latex_symbols.h.
 * Source   The LaTeX Companion, 2nd edition, section 7.11 (accents and symbols of the text encodings). */
#include "latex_symbols.h"

#include <string.h>

#include <unicode/unorm2.h>

#include "chars.h"
#include "latex_shorthands.h"
#include "utf8.h"

/* Commands of letters, sorted; a space or {} ends their names. */
static const struct {
    const char *name;
    uint32_t code;
} letters[] = { { "AA", 0xc5 },
                { "AE", 0xc6 },
                { "L", 0x141 },
                { "O", 0xd8 },
                { "OE", 0x152 },
                { "S", 0xa7 },
                { "aa", 0xe5 },
                { "ae", 0xe6 },
                { "copyright", 0xa9 },
                { "dots", 0x2026 },
                { "euro", 0x20ac },
                { "flq", 0x2039 },
                { "flqq", 0xab },
                { "frq", 0x203a },
                { "frqq", 0xbb },
                { "glq", 0x201a },
                { "glqq", 0x201e },
                { "grq", 0x2018 },
                { "grqq", 0x201c },
                { "guillemotleft", 0xab },
                { "guillemotright", 0xbb },
                { "i", 0x131 },
                { "j", 0x237 },
                { "l", 0x142 },
                { "ldots", 0x2026 },
                { "o", 0xf8 },
                { "oe", 0x153 },
                { "quotedblbase", 0x201e },
                { "slash", '/' },
                { "ss", 0xdf },
                { "textasciicircum", '^' },
                { "textasciitilde", '~' },
                { "textbackslash", '\\' },
                { "textbar", '|' },
                { "textdegree", 0xb0 },
                { "textemdash", 0x2014 },
                { "textendash", 0x2013 },
                { "texteuro", 0x20ac },
                { "textgreater", '>' },
                { "textless", '<' },
                { "textquotedblleft", 0x201c },
                { "textquotedblright", 0x201d },
                { "textquoteleft", 0x2018 },
                { "textquoteright", 0x2019 },
                { "textunderscore", '_' } };

/* Marks; the first sequence that fits counts. */
static const struct {
    const char *spelling;
    uint32_t code;
} marks[] = { { "---", 0x2014 }, { "--", 0x2013 }, { "``", 0x201c }, { "''", 0x201d }, { "~", 0xa0 },
              { "\\%", '%' },    { "\\&", '&' },   { "\\$", '$' },   { "\\#", '#' },   { "\\_", '_' },
              { "\\{", '{' },    { "\\}", '}' },   { "\\ ", ' ' },   { "\\-", 0xad } };

/* Accents, as combining characters. */
static uint32_t combining(const LatexScan *s, Range name)
{
    static const char keys[] = "\"'`^~=.cvHukrd";
    static const uint16_t codes[] = { 0x308, 0x301, 0x300, 0x302, 0x303, 0x304, 0x307,
                                      0x327, 0x30c, 0x30b, 0x306, 0x328, 0x30a, 0x323 };
    const char *key = name.end - name.begin == 1 ? strchr(keys, s->bytes[name.begin]) : NULL;

    return key && *key ? codes[key - keys] : 0;
}

/* Returns the end of what ends the name of a letter at byte `at`, {} or blanks, which TeX skips. */
static size_t skip_name_end(const LatexScan *s, size_t at)
{
    if (at + 1 < s->end && memcmp(s->bytes + at, "{}", 2) == 0) return at + 2;
    while (at < s->end && char_is_blank(s->bytes[at])) at++;
    return at;
}

/* The same for a letter with an accent. TeX skips one line end, too. Returns 0 before an empty line. */
static size_t skip_base_end(const LatexScan *s, size_t at)
{
    const size_t end = skip_name_end(s, at);
    size_t next;

    if (end == s->end || !char_is_newline(s->bytes[end])) return end;
    if (latex_scan_is_paragraph(s, end, &next)) return 0;
    return next == s->end ? at : next;
}

/* Returns the end of the letter that is accented; 0 if there is none. \i and \j are i and j without dots. */
static size_t read_base(const LatexScan *s, size_t at, uint32_t *base)
{
    if (at < s->end && s->bytes[at] == '\\' && at + 1 < s->end && strchr("ij", s->bytes[at + 1]) &&
        !(at + 2 < s->end && char_is_letter(s->bytes[at + 2]))) {
        *base = (unsigned char)s->bytes[at + 1];
        return skip_base_end(s, at + 2);
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
    UErrorCode fault = U_ZERO_ERROR;
    const UNormalizer2 *nfc;
    const uint32_t mark = combining(s, name);
    const bool has_letter = char_is_letter(s->bytes[name.begin]);
    size_t end = name.end, close;
    uint32_t base;
    UChar32 both;

    if (!mark) return at;
    if (has_letter && end < s->end && s->bytes[end] == ' ') end++;
    if (end < s->end && s->bytes[end] == '{') {
        close = read_base(s, end + 1, &base);
        end = close && close < s->end && s->bytes[close] == '}' ? close + 1 : 0;
    } else {
        end = has_letter && end == name.end ? 0 : read_base(s, end, &base);
    }
    if (!end) return at;
    nfc = unorm2_getNFCInstance(&fault); /* there: latex_symbols_open() */
    both = unorm2_composePair(nfc, (UChar32)base, (UChar32)mark);
    if (both < 0) return at;
    *code = (uint32_t)both;
    return end;
}

/* The name of a command of letters ends before another character. One that ends a line is left to the caller. */
static size_t read_letter(const LatexScan *s, size_t at, Range name, uint32_t *code)
{
    const size_t count = sizeof letters / sizeof *letters;
    const size_t row = latex_scan_row(s, name, letters, count, sizeof *letters);
    size_t end;

    if (row == count || s->bytes[name.end - 1] == '*') return at;
    end = skip_name_end(s, name.end);
    if (end < s->end && char_is_newline(s->bytes[end])) return at;
    *code = letters[row].code;
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

static size_t read_command(const LatexScan *s, size_t at, uint32_t *code)
{
    const Range name = latex_scan_name(s, at);
    const size_t end = name.begin < name.end ? read_accent(s, at, name, code) : at;

    return end > at || name.begin == name.end ? end : read_letter(s, at, name, code);
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
