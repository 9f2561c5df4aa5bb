/* indic_text.c - see indic_text.h. Differences from IndicTransToolkit 1.1.1:
 * - Letters with a nukta, and the visarga that a colon after a letter stands for, are normalized as in
 *   indic-nlp-library 0.92, with which the models were trained. indic-nlp-library-itt 0.1.1 has backslashes in the
 *   wrong places: it writes "\u093c" with six characters for the nukta, and changes "5:30" to "\1", visarga, "30".
 * - If a text has several numbers, their order says which is <ID1>. In the toolkit it is the order of a Python set,
 *   which changes from run to run. Numbers after the first 256 stay as they are.
 * - What stands for <ID1> is not searched for other names. In the toolkit, an address that has such a name in it may
 *   become a text of any length.
 * - "@RA" and "@LA" in a translation, which the toolkit uses as marks, are not changed.
 * - Texts in Khasi and Mizo are read like English; the toolkit fails. */
#include "indic_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>

#include "utf8.h"

#define MOST_REPLACED 256
#define BLOCK         0x80 /* code points of a script; the same offset is the same letter in all */
#define DEVANAGARI    0x900
#define PUT_BACK      0x80000000u

/* --- Languages. --- */

/* How the letters of a script are normalized. */
typedef struct {
    uint32_t block; /* first code point of the script; 0: none of those that become Devanagari */
    const IndicRule *before, *rules;
} Letters;

static const Letters english = { 0 }, urdu = { 0, NULL, indic_urdu },
                     devanagari = { DEVANAGARI, NULL, indic_devanagari }, bengali = { 0x980, NULL, indic_bengali },
                     gurmukhi = { 0xa00, indic_gurmukhi_before, indic_gurmukhi },
                     gujarati = { 0xa80, NULL, indic_gujarati }, odia = { 0xb00, NULL, indic_odia },
                     tamil = { 0xb80, NULL, indic_tamil }, telugu = { 0xc00, NULL, indic_telugu },
                     kannada = { 0xc80, NULL, indic_kannada },
                     malayalam = { 0xd00, indic_malayalam_before, indic_malayalam };

/* The library uses the rules of Odia for Santali (Olck). */
static const struct {
    const char *script; /* at the end of the names of languages */
    const Letters *letters;
} letters_of[] = {
    { "Arab", &urdu },    { "Beng", &bengali }, { "Gujr", &gujarati },  { "Guru", &gurmukhi },
    { "Knda", &kannada }, { "Latn", &english }, { "Mlym", &malayalam }, { "Olck", &odia },
    { "Orya", &odia },    { "Taml", &tamil },   { "Telu", &telugu },    { "", &devanagari }, /* any other */
};

static bool has_script(const char *language, const char *script)
{
    const size_t len = strlen(language);

    return len >= 4 && strcmp(language + len - 4, script) == 0;
}

static const Letters *find_letters(const char *language)
{
    size_t i = 0;

    while (*letters_of[i].script && !has_script(language, letters_of[i].script)) i++;
    return letters_of[i].letters;
}

/* --- A text while it is rewritten: its code points, each with the range of the bytes it was made from. Each step reads
 * `text`, writes `made` and calls next(). --- */

typedef struct {
    uint32_t code;
    Range from;
} Char;

typedef LIST_OF(Char) CharList;

typedef struct {
    CharList text, made;
    uint32_t mark; /* put() sets these bits in its characters, so that no text matches them */
} Rewrite;

static void next(Rewrite *r)
{
    const CharList done = r->text;

    r->text = r->made;
    r->made = done;
    r->made.len = 0;
}

static void read_text(Rewrite *r, const char *text, size_t len)
{
    uint32_t code;

    for (size_t at = 0, size; at < len; at += size) {
        size = utf8_next(text + at, len - at, &code);
        LIST_PUT(&r->text, ((Char){ code, { at, at + size } }));
    }
}

/* Appends the text to *out and its origins to *map, if that is not NULL. Frees the text. */
static Status write_text(Rewrite *r, Buf *out, RangeList *map, Err *err)
{
    Status st = LIST_CHECK(&r->text, "a text", err);
    char bytes[4];

    if (st == OK) st = LIST_CHECK(&r->made, "a text", err);
    for (size_t i = 0; st == OK && i < r->text.len; i++) {
        const size_t size = utf8_put(r->text.data[i].code, bytes);
        buf_put(out, bytes, size);
        if (map) ranges_put(map, r->text.data[i].from, size);
    }
    if (st == OK) st = buf_check(out, err);
    if (st == OK && map) st = ranges_check(map, err);
    free(r->text.data);
    free(r->made.data);
    *r = (Rewrite){ 0 };
    return st;
}

/* The code point at `at`; 0 at the end. */
static uint32_t code_at(const Rewrite *r, size_t at)
{
    return at < r->text.len ? r->text.data[at].code : 0;
}

/* The code point before `at`; 0 at the beginning. */
static uint32_t code_before(const Rewrite *r, size_t at)
{
    return at ? r->text.data[at - 1].code : 0;
}

static void copy(Rewrite *r, size_t begin, size_t end)
{
    for (; begin < end; begin++) LIST_PUT(&r->made, r->text.data[begin]);
}

/* Writes a text that replaces [begin, end). */
static void put(Rewrite *r, const char *text, size_t len, size_t begin, size_t end)
{
    Range from = r->text.data[begin].from;
    uint32_t code;

    for (size_t i = begin; i < end; i++) { /* quotation marks are moved, so the origins may not ascend */
        const Range one = r->text.data[i].from;
        from = (Range){ one.begin < from.begin ? one.begin : from.begin, one.end > from.end ? one.end : from.end };
    }

    for (size_t at = 0; at < len;) {
        at += utf8_next(text + at, len - at, &code);
        LIST_PUT(&r->made, ((Char){ code | r->mark, from }));
    }
}

/* Writes a space before the character at `at`. */
static void put_space(Rewrite *r, size_t at)
{
    const CharList *text = &r->text;
    const size_t place = at < text->len ? text->data[at].from.begin : text->data[at - 1].from.end;

    LIST_PUT(&r->made, ((Char){ ' ', { place, place } }));
}

static bool is_in(const char *set, uint32_t code)
{
    uint32_t member;

    for (size_t at = 0, len = strlen(set); at < len;) {
        at += utf8_next(set + at, len - at, &member);
        if (member == code) return true;
    }
    return false;
}

/* The number of code points of `from` if the text has it at `at`; 0: it has not. */
static size_t match(const Rewrite *r, size_t at, const char *from, size_t len)
{
    uint32_t code;
    size_t count = 0;

    for (size_t i = 0; i < len; count++) {
        i += utf8_next(from + i, len - i, &code);
        if (code_at(r, at + count) != code) return 0;
    }
    return count;
}

static void replace_all(Rewrite *r, const char *from, size_t from_len, const char *to, size_t to_len)
{
    size_t at = 0, same = 0;

    while (at < r->text.len && !match(r, at, from, from_len)) at++;
    if (at == r->text.len) return; /* the usual case */
    copy(r, 0, at);
    for (; at < r->text.len; at += same ? same : 1) {
        same = match(r, at, from, from_len);
        if (same)
            put(r, to, to_len, at, at + same);
        else
            copy(r, at, at + 1);
    }
    next(r);
}

static void apply(Rewrite *r, const IndicRule *rules)
{
    for (; rules && rules->from; rules++)
        replace_all(r, rules->from, strlen(rules->from), rules->to, strlen(rules->to));
}

static void strip(Rewrite *r)
{
    size_t begin = 0, end = r->text.len;

    while (begin < end && utf8_is_space(r->text.data[begin].code)) begin++;
    while (begin < end && utf8_is_space(r->text.data[end - 1].code)) end--;
    copy(r, begin, end);
    next(r);
}

/* \w and \d of the Python package regex; \s is utf8_is_white_space(). */
static bool is_word(uint32_t code)
{
    const UChar32 c = (UChar32)code;

    return code && (u_hasBinaryProperty(c, UCHAR_ALPHABETIC) || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) ||
                    (U_MASK(u_charType(c)) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)));
}

static bool is_digit(uint32_t code)
{
    return u_charType((UChar32)code) == U_DECIMAL_DIGIT_NUMBER;
}

static bool is_ascii_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

/* Makes each run of spaces one space. */
static void join_spaces(Rewrite *r, bool (*is_one)(uint32_t code))
{
    for (size_t at = 0, end; at < r->text.len; at = end) {
        for (end = at; is_one(code_at(r, end));) end++;
        if (end > at)
            put(r, " ", 1, at, end);
        else
            copy(r, at, ++end);
    }
    next(r);
}

static bool is_plain_space(uint32_t code)
{
    return code == ' ';
}

/* --- Punctuation and digits. --- */

/* Removes spaces: all after `open` and before `close`. */
static void trim_brackets(Rewrite *r)
{
    for (size_t at = 0, end; at < r->text.len; at = end) {
        end = at + 1;
        copy(r, at, end);
        if (code_at(r, at) == '(')
            while (utf8_is_white_space(code_at(r, end))) end++;
    }
    next(r);
    for (size_t at = 0, end; at < r->text.len; at = end) {
        for (end = at; utf8_is_white_space(code_at(r, end));) end++;
        if (code_at(r, end) != ')') copy(r, at, end);
        if (end < r->text.len) copy(r, end, end + 1);
        end++;
    }
    next(r);
}

/* Removes a space before the mark and, if there was one, a space after it. */
static void trim_mark(Rewrite *r, char mark)
{
    for (size_t at = 0, end; at < r->text.len; at = end) {
        const bool trims = utf8_is_white_space(code_at(r, at)) && code_at(r, at + 1) == (uint32_t)mark;
        end = at + 1 + trims;
        copy(r, at + trims, end);
        if (trims && utf8_is_white_space(code_at(r, end))) end++;
    }
    next(r);
}

static void normalize_punctuation(Rewrite *r)
{
#define NBSP "\u00a0"
    static const IndicRule marks[] = {
        { "`", "'" },
        { "\u00b4", "'" },
        { "\u2018", "'" },
        { "\u201a", "'" },
        { "\u2019", "'" },
        { "\u201e", "\"" },
        { "\u201c", "\"" },
        { "\u201d", "\"" },
        { "\u00ab", "\"" },
        { "\u00bb", "\"" },
        { "\u2013", "-" },
        { "\u2014", "-" },
        { NBSP "%", "%" },
        { "n\u00ba" NBSP, "n\u00ba " },
        { NBSP "\u00baC", " \u00baC" },
        { NBSP "?", "?" },
        { NBSP "!", "!" },
        { NBSP ";", ";" },
        { "," NBSP, ", " },
        { NULL, NULL },
    };

    replace_all(r, "\r", 1, "", 0);
    trim_brackets(r);
    trim_mark(r, ':');
    trim_mark(r, ';');
    apply(r, marks);
    join_spaces(r, is_plain_space);
    for (size_t at = 0; at < r->text.len; at++) /* ") ." */
        if (code_at(r, at) != ' ' || code_before(r, at) != ')' || !is_in(".!:?;,", code_at(r, at + 1)))
            copy(r, at, at + 1);
    next(r);
    for (size_t at = 0; at < r->text.len; at++) /* "5 %" */
        if (code_at(r, at) != ' ' || code_at(r, at + 1) != '%' || !is_digit(code_before(r, at))) copy(r, at, at + 1);
    next(r);
    for (size_t at = 0, end; at < r->text.len; at = end) { /* a quotation mark goes after commas and full stops */
        for (end = at + 1; code_at(r, at) == '"' && (code_at(r, end) == ',' || code_at(r, end) == '.');) end++;
        copy(r, at + 1, end);
        copy(r, at, at + 1);
    }
    next(r);
    for (size_t at = 0, digit = 0; at < r->text.len; at++) { /* "1 000": digit is 1 + the last digit that was used */
        const bool joins =
            code_at(r, at) == 0xa0 && at > digit && is_digit(code_before(r, at)) && is_digit(code_at(r, at + 1));
        if (!joins) {
            copy(r, at, at + 1);
            continue;
        }
        put(r, ".", 1, at, at + 1);
        digit = at + 2;
    }
    next(r);
    strip(r);
}

/* Digits of these scripts become ASCII. */
static void normalize_digits(Rewrite *r)
{
    static const struct {
        uint32_t zero, first, last;
    } digits[] = {
        { 0x660, 0, 0 }, { 0x6f0, 0, 9 }, { 0x966, 0, 9 }, { 0x9e6, 0, 9 },  { 0xa66, 0, 9 },  { 0xae6, 0, 9 },
        { 0xb66, 0, 9 }, { 0xc66, 1, 9 }, { 0xce6, 0, 9 }, { 0x1c50, 0, 9 }, { 0xabf0, 0, 9 },
    };

    for (size_t i = 0; i < r->text.len; i++)
        for (size_t d = 0; d < sizeof digits / sizeof *digits; d++) {
            uint32_t *code = &r->text.data[i].code;
            if (*code >= digits[d].zero + digits[d].first && *code <= digits[d].zero + digits[d].last)
                *code = '0' + (*code - digits[d].zero);
        }
}

/* --- Parts that the model sees as <ID1>, <ID2>, ...
 *
 * The toolkit finds them with regular expressions. A pattern here is an expression without groups and alternatives:
 * each letter stands for a class of characters, any other character for itself; ?, * and + are as in expressions, and
 * match as much as possible. `$` at the end stands for (\.\d+)?. No position of the text is tried twice with the same
 * part of a pattern, so the time is linear. --- */

static bool fits(char item, uint32_t code)
{
    const bool ascii = code < 0x80;
    const bool letter = ascii && ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z'));
    const bool alnum = letter || is_ascii_digit(code);

    if (!code) return false;
    switch (item) {
    case 'd':
        return is_digit(code);
    case 's':
        return utf8_is_white_space(code);
    case 'w':
        return is_word(code);
    case 'A':
        return alnum;
    case 'L':
        return alnum || is_in("._%+-", code);
    case 'D':
        return alnum || is_in(".-", code);
    case 'T':
        return letter || code == '|';
    case 'H':
        return is_in("#|@", code);
    case 'P':
        return is_in("-/.,:'", code);
    case 'Q':
        return is_in("-/.,:'+", code);
    case 'R':
        return is_in("-/.:'+", code);
    default:
        return code == (uint32_t)(unsigned char)item;
    }
}

#define ALTERNATIVES 4
#define URL          1
#define NUMBER       2
static const char *const patterns[][ALTERNATIVES] = {
    { "L+@D+.TT+" }, /* e-mail */
    { NULL },        /* web: match_url() */
    { "~?d+.?d*s?%?s?-?s?~?d+.?d*s?%", "~?d+%", "d+Pd+Qd+$", "d+Rd+$" },
    { "A*Hw+" }, /* tags and names */
};
#define PATTERNS (sizeof patterns / sizeof *patterns)

/* Part `item` of a pattern, to be tried at position `at`. */
typedef struct {
    size_t item, at;
} Try;

typedef struct {
    const Rewrite *r;
    uint32_t *seen[ALTERNATIVES]; /* [text.len + 1]: the parts of the pattern that were tried at a position, as bits */
    LIST_OF(Try) stack;
    size_t dead; /* match_url(): where the next address may begin, unless it begins with http:// */
} Finder;

/* Returns where the longest match that begins at `at` ends; 0: there is none. */
static size_t match_pattern(Finder *f, size_t alternative, const char *pattern, size_t at)
{
    uint32_t *seen = f->seen[alternative];

    f->stack.len = 0;
    LIST_PUT(&f->stack, ((Try){ 0, at }));
    while (f->stack.len) {
        const size_t item = f->stack.data[--f->stack.len].item, here = f->stack.data[f->stack.len].at;
        /* Items are numbered by their characters: with '+', the character stands for the first time, '+' for more. */
        const char what = pattern[item], times = what == '+' ? '*' : what ? pattern[item + 1] : 0;
        const size_t after = item + 1 + (what != '+' && (times == '?' || times == '*'));
        const bool same = fits(what == '+' ? pattern[item - 1] : what, code_at(f->r, here));
        size_t end = here;
        if (!what || what == '$') {
            if (what && code_at(f->r, end) == '.' && is_digit(code_at(f->r, end + 1)))
                for (end++; is_digit(code_at(f->r, end));) end++;
            return end;
        }
        if (seen[here] >> item & 1) continue;
        seen[here] |= (uint32_t)1 << item;
        if (times == '?' || times == '*') LIST_PUT(&f->stack, ((Try){ after, here }));
        if (same) LIST_PUT(&f->stack, ((Try){ times == '*' ? item : after, here + 1 }));
    }
    return 0;
}

static bool is_url(uint32_t code)
{
    return is_word(code) || (code && is_in("/-?#&=%.", code));
}

/* \b(?<![\w/.])(https?://|ftp://)?([\w-]+\.)+(?!\.)[\w/\-?#&=%.]+(?!\.\w+)\b */
static size_t match_url(Finder *f, size_t at)
{
    static const char *const schemes[] = { "https://", "http://", "ftp://" };
    const Rewrite *r = f->r;
    const uint32_t before = code_before(r, at);
    size_t begin = at, labels = 0, first = 0, end;

    if (!is_word(code_at(r, at)) || is_word(before) || before == '/' || before == '.') return 0;
    for (size_t i = 0; begin == at && i < sizeof schemes / sizeof *schemes; i++)
        begin += match(r, at, schemes[i], strlen(schemes[i]));
    if (begin == at && at < f->dead) return 0;
    for (end = begin;; labels++, first = first ? first : end) {
        size_t stop = end;
        while (is_word(code_at(r, stop)) || code_at(r, stop) == '-') stop++;
        f->dead = stop;
        if (stop == end || code_at(r, stop) != '.') break;
        end = stop + 1;
    }
    if (!labels || (labels == 1 && code_at(r, first) == '.')) return 0;
    for (end = first; is_url(code_at(r, end));) end++;
    f->dead = end;
    for (; end > first; end--)
        if (is_word(code_at(r, end)) != is_word(code_before(r, end)) &&
            !(code_at(r, end) == '.' && is_word(code_at(r, end + 1))))
            return end;
    return 0;
}

/* Returns where the match of pattern p that begins at `at` ends, or 0. */
static size_t match_any(Finder *f, size_t p, size_t at)
{
    size_t end = 0;

    if (p == URL) return match_url(f, at);
    for (size_t i = 0; !end && i < ALTERNATIVES && patterns[p][i]; i++) end = match_pattern(f, i, patterns[p][i], at);
    return end;
}

/* Appends the texts that match the pattern, each once and with a final NUL. */
static Status find_parts(Rewrite *r, size_t p, Buf *out, size_t most, Err *err)
{
    const size_t room = r->text.len + 1, first = out->len;
    Finder f = { .r = r };
    uint32_t *seen = calloc(room * ALTERNATIVES, sizeof *seen);
    Status st = seen ? OK : err_memory(err, "a text");

    for (size_t i = 0; seen && i < ALTERNATIVES; i++) f.seen[i] = seen + i * room;
    for (size_t at = 0, end; st == OK && most && at < r->text.len; at = end ? end : at + 1) {
        const size_t start = out->len;
        size_t counted = 0;
        bool known = false;
        end = match_any(&f, p, at);
        if (!end) continue;
        for (size_t i = at; i < end; i++) {
            const uint32_t code = r->text.data[i].code;
            char bytes[4];
            buf_put(out, bytes, utf8_put(code, bytes));
            counted += p == URL ? code != '.' : p != NUMBER || !is_in(" .:", code);
        }
        buf_put_byte(out, '\0');
        st = buf_check(out, err);
        if (st != OK) break;
        for (size_t i = first; i < start && !known; i += strlen(out->data + i) + 1)
            known = strcmp(out->data + i, out->data + start) == 0;
        if (known || ((p == URL || p == NUMBER) && counted < 4))
            out->data[out->len = start] = '\0';
        else
            most--;
    }
    if (st == OK) st = LIST_CHECK(&f.stack, "a text", err);
    free(f.stack.data);
    free(seen);
    return st;
}

static size_t count_texts(const Buf *texts)
{
    size_t count = 0;

    for (size_t i = 0; i < texts->len; i++) count += !texts->data[i];
    return count;
}

static Status replace_parts(Rewrite *r, Buf *replaced, Err *err)
{
    static const IndicRule artifacts[] = { { ">/", ">" }, { "]/", "]" }, { NULL, NULL } };
    size_t number = replaced ? count_texts(replaced) : 0;
    Status st = OK;

    for (size_t p = 0; st == OK && replaced && p < PATTERNS; p++) {
        const size_t first = replaced->len;
        st = find_parts(r, p, replaced, MOST_REPLACED - number, err);
        for (size_t at = first, len; st == OK && at < replaced->len; at += len + 1) {
            char name[32];
            len = strlen(replaced->data + at);
            (void)snprintf(name, sizeof name, "<ID%zu>", ++number);
            replace_all(r, replaced->data + at, len, name, strlen(name));
        }
    }
    join_spaces(r, utf8_is_white_space);
    apply(r, artifacts);
    return st;
}

/* Puts the parts back. Models copy <ID1> in various ways. */
static Status restore_parts(Rewrite *r, const Buf *replaced, Err *err)
{
    static const char *const forms[] = { "<@#>", "< @# >", "[@#]", "[ @# ]", "[@ #]", "<@#]", "< @#]", "<@# ]", NULL };
    static const char *const word_forms[] = { "<@#>",  "< @# >", "< @ # >", "<@ #]", "< @ # ]", "[@#]",
                                              "[@ #]", "[ @# ]", "[ @ # ]", "@ #",   "@#",      NULL };
    static const char *const names[] = { "ID", "id" };
    char number[24];
    size_t serial = 0;
    Buf key = { 0 };
    Status st = OK;

    r->mark = PUT_BACK;
    for (size_t at = 0, len; st == OK && replaced && at < replaced->len; at += len + 1) {
        bool found = false; /* every form has the number */
        len = strlen(replaced->data + at);
        const size_t digits = (size_t)snprintf(number, sizeof number, "%zu", ++serial);
        for (size_t i = 0; !found && i < r->text.len; i++) found = match(r, i, number, digits) > 0;
        for (size_t w = 0; found && st == OK; w++) {
            const char *name = w < 2 ? names[w] : indic_identifier_words[w - 2];
            if (!name) break;
            for (const char *const *form = w < 2 ? forms : word_forms; *form; form++) {
                buf_clear(&key);
                for (const char *c = *form; *c; c++) {
                    if (*c == '@' || *c == '#')
                        buf_put_text(&key, *c == '@' ? name : number);
                    else
                        buf_put_byte(&key, *c);
                }
                st = buf_check(&key, err);
                if (st == OK) replace_all(r, key.data, key.len, replaced->data + at, len);
            }
        }
    }
    r->mark = 0;
    for (size_t i = 0; i < r->text.len; i++) r->text.data[i].code &= ~PUT_BACK;
    buf_free(&key);
    return st;
}

/* --- Letters. --- */

/* A colon after a letter of the script is a visarga, which looks like one. */
static void correct_visarga(Rewrite *r, uint32_t block)
{
    for (size_t at = r->text.len; at-- > 1;) /* backwards, since a visarga is a letter itself */
        if (code_at(r, at) == ':' && code_before(r, at) >= block && code_before(r, at) < block + BLOCK)
            r->text.data[at].code = block + 3;
}

#define MARKS "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~" /* ASCII without the backslash, as in indic-nlp-library */

typedef bool IsClass(uint32_t code);

static bool is_urdu(uint32_t code)
{
    return code && is_in(indic_urdu_characters, code);
}

static bool is_urdu_except_hamza(uint32_t code)
{
    return code != 0x621 && is_urdu(code);
}

static bool is_mark(uint32_t code)
{
    return code && (is_in(MARKS, code) || is_in(indic_urdu_punctuation, code));
}

static bool follows_mark(uint32_t code)
{
    return code && !is_mark(code) && !is_ascii_digit(code) && code != ' ';
}

/* [a-zA-Z] without regard to case */
static bool is_latin(uint32_t code)
{
    return (code < 0x80 && u_isalpha((UChar32)code)) || code == 0x130 || code == 0x131 || code == 0x17f ||
           code == 0x212a;
}

/* Puts a space between two classes. */
static void put_apart(Rewrite *r, IsClass *left, IsClass *right)
{
    for (size_t at = 0; at < r->text.len; at++) {
        if (at && left(code_before(r, at)) && right(code_at(r, at))) put_space(r, at);
        copy(r, at, at + 1);
    }
    next(r);
}

static void normalize_urdu(Rewrite *r)
{
    apply(r, indic_punctuation);
    join_spaces(r, utf8_is_white_space);
    strip(r);
    for (size_t at = 0; at < r->text.len; at++)
        if (!is_in(indic_urdu_diacritics, code_at(r, at))) copy(r, at, at + 1);
    next(r);
    apply(r, indic_urdu);
    put_apart(r, is_urdu, is_ascii_digit);
    put_apart(r, is_ascii_digit, is_urdu_except_hamza);
    put_apart(r, is_urdu, is_mark);
    put_apart(r, is_mark, follows_mark);
    put_apart(r, is_urdu, is_latin);
    put_apart(r, is_latin, is_urdu);
}

/* Numbers with marks between them, 1 , 234 / 5: returns where they end; `at` if there are none. */
static size_t number_end(const Rewrite *r, size_t at)
{
    size_t end = at, digits;

    for (digits = at; is_ascii_digit(code_at(r, digits));) digits++;
    while (digits > at && code_at(r, digits) == ' ' && code_at(r, digits + 1) &&
           is_in(",.:/", code_at(r, digits + 1)) && code_at(r, digits + 2) == ' ' &&
           is_ascii_digit(code_at(r, digits + 3))) {
        for (digits += 3; is_ascii_digit(code_at(r, digits));) digits++;
        end = digits;
    }
    return end;
}

/* Removes the spaces in numbers. As in the library, a translation keeps those at its beginning. */
static void join_numbers(Rewrite *r, bool but_first)
{
    for (size_t at = 0; at < r->text.len;) {
        const size_t end = is_ascii_digit(code_before(r, at)) || (but_first && !at) ? at : number_end(r, at);
        if (end == at) copy(r, at, at + 1);
        for (size_t i = at; i < end; i++)
            if (code_at(r, i) != ' ') copy(r, i, i + 1);
        at = end == at ? at + 1 : end;
    }
    next(r);
}

/* Splits off punctuation marks. */
static void split_marks(Rewrite *r, bool is_urdu_script)
{
    const char *more = is_urdu_script ? "\u0609\u060a\u060c\u061e\u066a\u066b\u066c\u066d\u06d4"
                                      : "\u0964\u0965\uaaf1\uaaf0\uabeb\uabec\uabed\uabee\uabef\u1c7e\u1c7f";

    replace_all(r, "\t", 1, " ", 1);
    for (size_t at = 0; at < r->text.len; at++) {
        const bool splits = is_in(MARKS, code_at(r, at)) || is_in(more, code_at(r, at));
        if (splits) put_space(r, at);
        copy(r, at, at + 1);
        if (splits) put_space(r, at + 1);
    }
    next(r);
    join_spaces(r, is_plain_space);
    for (size_t at = 0; at < r->text.len; at++)
        if (code_at(r, at) != ' ' || (at && at + 1 < r->text.len)) copy(r, at, at + 1);
    next(r);
    if (!is_urdu_script) join_numbers(r, false);
}

/* Tamil has no letters for most voiced and aspirated consonants. */
static uint32_t tamil_offset(uint32_t offset)
{
    const uint32_t row = (offset - 0x15) / 5, column = (offset - 0x15) % 5;

    if (offset >= 0x15 && offset <= 0x28 && offset != 0x1c && column > 0 && column < 4) return 0x15 + 5 * row;
    if (offset >= 0x2b && offset <= 0x2d) return 0x2a;
    return offset == 0x36 ? 0x37 : offset;
}

static void transliterate(Rewrite *r, uint32_t from, uint32_t to)
{
    for (size_t i = 0; from && to && i < r->text.len; i++) {
        uint32_t *code = &r->text.data[i].code;
        const uint32_t offset = *code - from;
        if (*code < from || offset > 0x6f || *code == 0x964 || *code == 0x965) continue;
        *code = to + (to == tamil.block ? tamil_offset(offset) : offset);
    }
}

Status indic_text_prepare(const Moses *moses, const char *language, const char *text, size_t len, Buf *out,
                          Buf *replaced, RangeList *map, Err *err)
{
    static const char virama[] = " \u094d ";
    const Letters *letters = find_letters(language);
    RangeList origins = { 0 }, places = { 0 };
    Buf plain = { 0 }, words = { 0 };
    Rewrite r = { 0 };
    Status st, written;

    read_text(&r, text, len);
    normalize_punctuation(&r);
    normalize_digits(&r);
    st = replace_parts(&r, replaced, err);
    strip(&r);
    if (letters == &english) {
        written = write_text(&r, &plain, map ? &origins : NULL, err);
        if (st == OK) st = written;
        if (st == OK) st = moses_apply(moses, MOSES_WORDS, plain.data, plain.len, &words, map ? &places : NULL, err);
        for (size_t i = 0; st == OK && i < words.len; i++) { /* one space between words */
            if (words.data[i] == ' ' && (i + 1 == words.len || !out->len || words.data[i + 1] == ' ')) continue;
            buf_put_byte(out, words.data[i]);
            if (map) ranges_put(map, places.data[i], 1);
        }
        if (st == OK) st = buf_check(out, err);
        if (st == OK && map) st = ranges_check(map, err);
        if (st == OK && map) ranges_trace(map, 0, &origins);
    } else if (letters == &urdu) {
        normalize_urdu(&r);
        split_marks(&r, true);
    } else {
        apply(&r, letters->before);
        apply(&r, indic_shared);
        apply(&r, indic_punctuation);
        apply(&r, letters->rules);
        correct_visarga(&r, letters->block);
        split_marks(&r, false);
        if (!has_script(language, "Olck") && !has_script(language, "Mtei")) {
            transliterate(&r, letters->block, DEVANAGARI);
            replace_all(&r, virama, strlen(virama), "\u094d", strlen("\u094d"));
        }
    }
    strip(&r);
    written = write_text(&r, out, map, err);
    if (st == OK) st = written;
    if (st == OK && map) ranges_let_ascend(map); /* a quotation mark and a comma may have changed places */
    ranges_free(&origins);
    ranges_free(&places);
    buf_free(&plain);
    buf_free(&words);
    return st;
}

/* --- Translations. --- */

/* Removes the spaces around marks. A mark of `left` belongs to the word before it, one of `right` to the word after it,
 * one of `both` to both. */
static void join_marks(Rewrite *r)
{
    static const char left[] = "!%)]},.:;>?\u0964\u0965", right[] = "#$([{<@", both[] = "-/\\", quotes[] = "'\"`";

    for (size_t at = 0; at < r->text.len; at++) {
        const bool joins =
            code_at(r, at) == ' ' && code_at(r, at + 1) && is_in(both, code_at(r, at + 1)) && code_at(r, at + 2) == ' ';
        copy(r, at + joins, at + joins + 1);
        if (joins) at += 2;
    }
    next(r);
    for (size_t at = 0; at < r->text.len; at++)
        if (code_at(r, at) != ' ' || !code_at(r, at + 1) || !is_in(left, code_at(r, at + 1))) copy(r, at, at + 1);
    next(r);
    for (size_t at = 0; at < r->text.len; at++)
        if (code_at(r, at) != ' ' || !at || !is_in(right, code_before(r, at))) copy(r, at, at + 1);
    next(r);
    for (const char *quote = quotes; *quote; quote++) { /* every second one closes */
        bool closes = false;
        for (size_t at = 0; at < r->text.len; at++) {
            CharList *made = &r->made;
            const bool is_quote = code_at(r, at) == (uint32_t)*quote;
            if (is_quote && closes && made->len && made->data[made->len - 1].code == ' ') made->len--;
            copy(r, at, at + 1);
            if (is_quote && !closes && code_at(r, at + 1) == ' ') at++;
            closes = closes != is_quote;
        }
        next(r);
    }
}

/* Moves the ranges, which refer to the text that was rewritten, to the text that starts at byte `begin`. Bytes that
 * several tokens became belong to the first of them. */
static void move_ranges(Range *ranges, size_t count, const RangeList *map, size_t begin)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        const Range old = { ranges[i].begin - begin, ranges[i].end - begin };
        while (at < map->len && map->data[at].end <= old.begin) at++;
        ranges[i].begin = begin + at;
        while (at < map->len && old.begin < old.end && map->data[at].begin < old.end) at++;
        ranges[i].end = begin + at;
    }
}

Status indic_text_restore(const Moses *moses, const char *language, const Buf *replaced, Buf *text, size_t begin,
                          Range *ranges, size_t count, Err *err)
{
    /* clean_up_tokenization() of transformers, which the programs of the toolkit's authors ask for */
    static const IndicRule cleaned[] = { { " .", "." },     { " ?", "?" },     { " !", "!" },   { " ,", "," },
                                         { " ' ", "'" },    { " n't", "n't" }, { " 'm", "'m" }, { " 's", "'s" },
                                         { " 've", "'ve" }, { " 're", "'re" }, { NULL, NULL } };
    static const IndicRule arabic[] = { { " \u061f", "\u061f" },
                                        { " \u06d4", "\u06d4" },
                                        { " \u060c", "\u060c" },
                                        { "\u066e\u06ea", "\u0620" },
                                        { NULL, NULL } };
    static const IndicRule ya[] = { { "\u0b2f\u0b3c", "\u0b5f" }, { NULL, NULL } };
    const Letters *letters = find_letters(language);
    RangeList map = { 0 }, origins = { 0 };
    Buf plain = { 0 };
    Rewrite r = { 0 };
    Status st, written;

    if (text->len > begin) read_text(&r, text->data + begin, text->len - begin);
    apply(&r, cleaned);
    if (letters == &urdu) apply(&r, arabic);
    if (has_script(language, "Orya")) apply(&r, ya);
    st = restore_parts(&r, replaced, err);
    text->len = begin;
    if (strcmp(language, "eng_Latn") == 0) {
        written = write_text(&r, &plain, &origins, err);
        if (st == OK) st = written;
        if (st == OK) st = moses_join(moses, plain.data, plain.len, text, &map, err);
        if (st == OK) ranges_trace(&map, 0, &origins);
    } else {
        transliterate(&r, DEVANAGARI, letters->block);
        join_numbers(&r, true);
        join_marks(&r);
        written = write_text(&r, text, &map, err);
        if (st == OK) st = written;
    }
    if (st == OK) move_ranges(ranges, ranges ? count : 0, &map, begin);
    ranges_free(&map);
    ranges_free(&origins);
    buf_free(&plain);
    return st;
}
