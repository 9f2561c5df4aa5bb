/* unknown_text.c - see unknown_text.h. */
#include "unknown_text.h"

#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "kept_text.h"
#include "utf8.h"

#define LONGEST_OPERAND 3             /* letters beside ^ */
#define LONGEST_FORMULA ((size_t)64)  /* bytes of a word with raised or lowered digits */
#define LONGEST_ADDRESS ((size_t)300) /* bytes on each side of a sign */
#define LONGEST_GROUP   ((size_t)60)  /* bytes in braces after ^ */
#define KEYCAP          0x20e3u       /* 1 and this mark are an emoji */

typedef struct {
    LineText text;
    const Tokenizer *tokenizer;
    bool spells;
    RangeList *parts;
    size_t word; /* where the word of the current character begins */
} Finder;

/* A character with the marks on it. */
typedef struct {
    Range range;
    uint32_t code, last; /* the character, the last mark or itself */
} Character;

static bool is_mark(uint32_t code)
{
    return (U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK) != 0;
}

static Character character_at(LineText text, size_t at)
{
    Character c = { .range = { at, at } };

    c.range.end += utf8_next(text.data + at, text.len - at, &c.code);
    c.last = c.code;
    while (c.range.end < text.len) {
        uint32_t next;
        const size_t size = utf8_next(text.data + c.range.end, text.len - c.range.end, &next);
        if (!is_mark(next)) break;
        c.range.end += size;
        c.last = next;
    }
    return c;
}

/* A character of ASCII that models with byte pieces have not learned. */
static bool is_sign(uint32_t code)
{
    return code == '^' || code == '|' || code == '~';
}

/* Dashes and quotation marks are in any text, and models replace those that they do not know. */
static bool may_be_unknown(const Finder *f, const Character *c)
{
    const uint32_t kind = U_GET_GC_MASK((UChar32)c->code);
    UErrorCode error = U_ZERO_ERROR;

    if (c->last == KEYCAP || is_sign(c->code)) return true;
    if (c->code < 0x80 && c->last == c->code) return false;
    if (c->code == 0x201a || c->code == 0x201e) return false; /* low quotation marks, which count as brackets */
    if (kind & (U_GC_Z_MASK | U_GC_C_MASK | U_GC_PD_MASK | U_GC_PI_MASK | U_GC_PF_MASK)) return false;
    return !f->spells || !(kind & U_GC_L_MASK) || uscript_getScript((UChar32)c->code, &error) != USCRIPT_LATIN;
}

static bool is_lowered(uint32_t code)
{
    return code >= 0x2080 && code < 0x20a0;
}

/* Raised digits with their signs. */
static bool is_raised(uint32_t code)
{
    return code == 0xb2 || code == 0xb3 || code == 0xb9 || (code >= 0x2070 && code < 0x207f);
}

/* Fractions, and digits in circles and the like. */
static bool is_other_number(uint32_t code)
{
    return code >= 0x80 && (U_GET_GC_MASK((UChar32)code) & U_GC_NO_MASK) && !is_raised(code) && !is_lowered(code);
}

static bool is_in_word(uint32_t code)
{
    return kept_parts_is_letter(code) || is_raised(code) || is_lowered(code);
}

/* Adds the part, or makes it one with the parts that it touches or contains. */
static Status add(RangeList *parts, Range part, Err *err)
{
    while (parts->len && parts->data[parts->len - 1].end >= part.begin) {
        parts->len--;
        if (parts->data[parts->len].begin < part.begin) part.begin = parts->data[parts->len].begin;
    }
    return ranges_append(parts, part, 1, err);
}

static bool is_digit(LineText text, size_t at)
{
    return at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
}

/* Where digits go on after a separator at byte `at`, a full stop, a comma, or a space before three digits; else
 * `at`. */
static size_t skip_separator(LineText text, size_t at)
{
    static const char *const spaces[] = { " ", "\xc2\xa0", "\xe2\x80\xaf" }; /* U+00A0 U+202F */

    if (at < text.len && strchr(".,", text.data[at]) && is_digit(text, at + 1)) return at + 1;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const size_t size = strlen(spaces[i]), next = at + size;
        if (next < text.len && memcmp(text.data + at, spaces[i], size) == 0 && is_digit(text, next) &&
            is_digit(text, next + 1) && is_digit(text, next + 2))
            return next;
    }
    return at;
}

/* The end of the digits at byte `at`; `at` if their number has separators. */
static size_t number_end(LineText text, size_t at)
{
    size_t end = at;

    while (is_digit(text, end)) end++;
    return skip_separator(text, end) > end ? at : end;
}

/* Where the digits before byte `at` begin, which are those from `word` on; `at` if their number has separators. */
static size_t number_begin(LineText text, size_t word, size_t at)
{
    for (size_t i = word; i < at; i++)
        if (!is_digit(text, i)) return at;
    return word && strchr(".,", text.data[word - 1]) ? at : word;
}

/* The end of an operand of ^ at byte `at`: a sign, digits and a few letters, or braces. `at` if there is none. */
static size_t operand_end(LineText text, size_t at)
{
    const size_t most = text.len - at < LONGEST_GROUP ? text.len - at : LONGEST_GROUP;
    const char *brace = most && text.data[at] == '{' ? memchr(text.data + at, '}', most) : NULL;
    size_t end = at + (most && strchr("+-", text.data[at])), letters = 0;

    if (brace) return (size_t)(brace - text.data) + 1;

    while (end < text.len && (unsigned char)text.data[end] < 0x80 && u_isalnum(text.data[end]))
        letters += !is_digit(text, end++);
    return letters > LONGEST_OPERAND ? at : end;
}

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

/* The run without blanks around the sign, if it is an address or a path. */
static Range address_around(LineText text, Range sign)
{
    Range run = sign;
    bool found = false;

    while (run.begin && !is_blank(text.data[run.begin - 1]) && sign.begin - run.begin < LONGEST_ADDRESS) run.begin--;
    while (run.end < text.len && !is_blank(text.data[run.end]) && run.end - sign.end < LONGEST_ADDRESS) run.end++;
    while (run.end > sign.end && strchr(".,;:!?)]}\"'>", text.data[run.end - 1])) run.end--;
    while (run.begin < sign.begin && strchr("([{\"'<", text.data[run.begin])) run.begin++;
    for (size_t i = run.begin; i < run.end && !found; i++)
        found = text.data[sign.begin] == '|' ? run.end - i > 2 && !memcmp(text.data + i, "://", 3)
                                             : strchr("/\\@", text.data[i]) != NULL;
    return found ? run : sign;
}

/* The sign of ASCII with what it belongs to: ~5, 2^10, ^C, a|b; but yes|no are two words. */
static Range with_operands(LineText text, size_t word, Range sign)
{
    const char c = text.data[sign.begin];
    const size_t after = operand_end(text, sign.end), before = sign.begin - word;
    Range whole = address_around(text, sign);

    if (whole.end - whole.begin > 1) return whole;
    if (c == '~') return (Range){ number_begin(text, word, sign.begin), number_end(text, sign.end) };
    if (c == '|' && (before > 1 || after - sign.end > 1)) return sign;
    if (before <= LONGEST_OPERAND || number_begin(text, word, sign.begin) == word) whole.begin = word;
    if (c == '^' || after > sign.end) whole.end = after;
    return whole;
}

/* Adds the character if it is unknown. *end: where to go on. */
static Status add_character(Finder *f, const Character *c, size_t *end, Err *err)
{
    Range part = c->range;
    float cost;
    Status st = tokenizer_word_cost(f->tokenizer, false, f->text.data + part.begin, part.end - part.begin, &cost, err);

    if (st != OK || cost < TOKENIZER_UNKNOWN_COST) return st;
    if (is_sign(c->code))
        part = with_operands(f->text, f->word, part);
    else if (!kept_parts_is_letter(c->code))
        part = (Range){ number_begin(f->text, f->word, part.begin), number_end(f->text, part.end) };
    *end = part.end;
    return add(f->parts, part, err);
}

static bool is_unit(const char *word, size_t length)
{
    static const char *const units[] = { "km", "cm", "mm", "dm", "nm", "ft", "yd", "mi", "\xc2\xb5m", "\xce\xbcm" };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (length == strlen(units[i]) && memcmp(word, units[i], length) == 0) return true;
    return false;
}

/* Whether raised digits belong to the letters before them, and are no footnote: m², km², x², 5². */
static bool is_power(LineText text, size_t word, size_t at)
{
    size_t letters = 0;

    if (word == at || at - word > LONGEST_FORMULA) return false;
    if (word && strchr("'-", text.data[word - 1])) return false;
    if (word > 2 && memcmp(text.data + word - 3, "\xe2\x80\x99", 3) == 0) return false; /* U+2019 */
    for (size_t i = word; i < at; i += character_at(text, i).range.end - i)
        letters += !is_digit(text, i) && kept_parts_is_letter(character_at(text, i).code);
    return letters < 2 || is_unit(text.data + word, at - word);
}

/* The end of the word from byte `at` on, but at most LONGEST_FORMULA bytes. */
static size_t formula_end(LineText text, size_t at)
{
    const size_t most = at + LONGEST_FORMULA;

    while (at < text.len && at < most) {
        const Character c = character_at(text, at);
        if (!is_in_word(c.code)) break;
        at = c.range.end;
    }
    return at;
}

static Status add_raised(Finder *f, const Character *c, size_t *end, Err *err)
{
    Range part = c->range;

    while (part.end < f->text.len) {
        const Character next = character_at(f->text, part.end);
        if (!is_raised(next.code)) break;
        part.end = next.range.end;
    }
    *end = part.end;
    if (is_power(f->text, f->word, part.begin)) part.begin = f->word;
    return add(f->parts, part, err);
}

/* Lowered digits are those of a formula, as in CO₂ and H₂SO₄. */
static Status add_lowered(Finder *f, const Character *c, size_t *end, Err *err)
{
    Range part = { c->range.begin - f->word > LONGEST_FORMULA ? c->range.begin : f->word, 0 };

    part.end = *end = formula_end(f->text, c->range.end);
    return add(f->parts, part, err);
}

/* Fractions belong to the number before them. */
static Status add_other_number(Finder *f, const Character *c, size_t *end, Err *err)
{
    *end = c->range.end;
    return add(f->parts, (Range){ number_begin(f->text, f->word, c->range.begin), *end }, err);
}

Status unknown_text_find(RangeList *parts, LineText text, const Tokenizer *tokenizer, Err *err)
{
    Finder f = { text, tokenizer, tokenizer_source_spells(tokenizer), parts, 0 };
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < text.len; at = end) {
        const Character c = character_at(text, at);
        end = c.range.end;
        if (is_raised(c.code))
            st = add_raised(&f, &c, &end, err);
        else if (is_lowered(c.code))
            st = add_lowered(&f, &c, &end, err);
        else if (is_other_number(c.code))
            st = add_other_number(&f, &c, &end, err);
        else if (may_be_unknown(&f, &c))
            st = add_character(&f, &c, &end, err);
        if (!is_in_word(c.code) || end > c.range.end) f.word = end;
    }
    return st;
}
