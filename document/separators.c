/* separators.c - see separators.h. */
#include "separators.h"

#include <stdint.h>
#include <stdlib.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "chars.h"
#include "sentences.h"
#include "utf8.h"

typedef enum { KIND_NONE, KIND_TAB, KIND_LIST, KIND_PATH, KIND_CAREFUL_PATH, KIND_OPENING, KIND_DASH } SeparatorKind;

/* The kind of text between two separators. */
typedef enum {
    BETWEEN_NOTHING,
    BETWEEN_SYMBOLS, /* no letters: numbers */
    BETWEEN_LETTER,  /* a single letter, as in a list from A to Z */
    BETWEEN_FORMULA, /* letters, but no word */
    BETWEEN_WORDS
} Between;

typedef struct {
    Range range;
    SeparatorKind kind;
    uint32_t code; /* the first character of the separator */
    bool divides;
    bool is_quote; /* « or », ‹ or ›, with a partner */
    Range before;  /* the text between the separator before it and this one */
    Between between;
} Separator;

/* The words that may be separators, in order. The last element has KIND_NONE and stands for the end of the text. */
typedef LIST_OF(Separator) SeparatorList;

/* Returns the kind of a character: KIND_LIST for bars and bullets, KIND_PATH for » and arrows, KIND_DASH for dashes. */
static SeparatorKind kind_of_code(uint32_t code)
{
    static const uint32_t lists[][2] = {
        { '|', '|' },       { 0xa6, 0xa6 },     { 0xb7, 0xb7 },     { 0x2016, 0x2016 },
        { 0x2022, 0x2023 }, { 0x2043, 0x2043 }, { 0x2219, 0x2219 }, { 0x22c5, 0x22c5 },
        { 0x2502, 0x2503 }, { 0x25a0, 0x25ab }, { 0x25c6, 0x25cf }, { 0x25e6, 0x25e6 },
        { 0x2756, 0x2756 }, { 0x30fb, 0x30fb }, { 0xff5c, 0xff5c }, { 0xff65, 0xff65 }
    };
    static const uint32_t paths[][2] = { { 0xbb, 0xbb },     { 0x203a, 0x203a }, { 0x2190, 0x21ff }, { 0x25b2, 0x25c5 },
                                         { 0x276e, 0x2771 }, { 0x2794, 0x2794 }, { 0x2798, 0x27af }, { 0x27b1, 0x27be },
                                         { 0x27e8, 0x27e9 }, { 0x27f0, 0x27ff }, { 0x2b05, 0x2b11 } };

    if (code == '-' || code == '/' || sentence_is_dash(code)) return KIND_DASH;
    if (code == '>') return KIND_CAREFUL_PATH;
    if (code == '<' || code == 0xab || code == 0x2039) return KIND_OPENING;
    if (code < 0x80 && code != '|') return KIND_NONE;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (code >= lists[i][0] && code <= lists[i][1]) return KIND_LIST;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (code >= paths[i][0] && code <= paths[i][1]) return KIND_PATH;
    return KIND_NONE;
}

/* Returns the kind that all characters of a word have, or KIND_NONE. Exceptions: -> and <- are arrows, and the
 * variation selectors of emoji are skipped. */
static SeparatorKind kind_of_word(const char *word, size_t length)
{
    const char last = word[length - 1];
    uint32_t code;
    size_t at = utf8_next(word, length, &code);
    const bool is_line = code == '-' || code == '=';
    const SeparatorKind kind = is_line && length > 1 && last == '>' ? KIND_CAREFUL_PATH : kind_of_code(code);

    if (kind == KIND_NONE) return kind;
    while (at < length) {
        at += utf8_next(word + at, length - at, &code);
        if (code == 0xfe0e || code == 0xfe0f || (code == '-' && kind == KIND_OPENING)) continue;
        if (is_line && kind == KIND_CAREFUL_PATH && (code == '-' || code == '=')) continue;
        if (kind_of_code(code) != kind) return KIND_NONE;
    }
    return kind;
}

/* Whether a placeholder begins at byte `at`: %s, %1$d, {0} or ${n}. Its value may be a word. */
static bool is_placeholder(const char *text, size_t at, size_t end)
{
    const size_t begin = at;

    if (at + 1 < end && text[at] == '$' && text[at + 1] == '{') at++;
    if (at < end && text[at] == '{') {
        while (at < end && text[at] != ' ' && text[at] != '}') at++;
        return at - begin > 1 && at < end && text[at] == '}';
    }
    if (at == end || text[at] != '%') return false;
    for (at++; at < end && char_is_digit(text[at]);) at++;
    if (at < end && text[at] == '$') at++;
    return at < end ? char_is_letter(text[at]) || text[at] == '@' : at - begin > 1;
}

static Between between_bare(const char *text, Range range)
{
    size_t letters = 0, spaces = 0, run = 0;
    bool is_letter = false;

    if (range.begin == range.end) return BETWEEN_NOTHING;
    for (size_t at = range.begin, step; at < range.end; at += step) {
        uint32_t code;
        step = utf8_next(text + at, range.end - at, &code);
        spaces += utf8_is_space(code);
        is_letter = u_isalpha((UChar32)code) || (is_letter && (U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK));
        letters += is_letter;
        run = is_letter ? run + 1 : 0;
        if (run == 2 || (is_letter && sentence_is_dense(code))) return BETWEEN_WORDS;
    }
    return !letters                                                  ? BETWEEN_SYMBOLS
           : letters == 1 && !spaces && range.end - range.begin <= 4 ? BETWEEN_LETTER
                                                                     : BETWEEN_FORMULA;
}

static Between between(const char *text, Range range)
{
    size_t last = range.end;

    while (last > range.begin && text[last - 1] != ' ') last--;
    if (is_placeholder(text, range.begin, range.end) || is_placeholder(text, last, range.end)) return BETWEEN_WORDS;
    return between_bare(text, range);
}

static void add(SeparatorList *list, const char *text, Separator separator)
{
    const Range before = { list->len ? list->data[list->len - 1].range.end : 0, separator.range.begin };

    separator.before = ranges_trimmed(text, before);
    separator.between = between(text, separator.before);
    LIST_PUT(list, separator);
}

/* Lists the separators of a text. The list of a text without separators is empty. */
static void scan(SeparatorList *list, const char *text, size_t length)
{
    size_t begin = 0;
    bool may_be_one = true; /* the word that begins at `begin` may be a separator */

    for (size_t at = 0, step; at <= length; at += step) {
        uint32_t code = ' ';
        step = at < length ? utf8_next(text + at, length - at, &code) : 1;
        if (utf8_is_space(code)) {
            Separator separator = { .range = { begin, at } };
            if (may_be_one && at > begin) separator.kind = kind_of_word(text + begin, at - begin);
            if (separator.kind) (void)utf8_next(text + begin, at - begin, &separator.code);
            if (separator.kind) add(list, text, separator);
            if (code == '\t') add(list, text, (Separator){ .range = { at, at + 1 }, .kind = KIND_TAB, .code = code });
            begin = at + step;
            may_be_one = true;
        } else if (at == begin) {
            may_be_one = code == '=' || kind_of_code(code);
        }
    }
    if (list->len) add(list, text, (Separator){ .range = { length, length } });
}

bool separators_divide_text(const char *text, Range range)
{
    return between_bare(text, range) >= BETWEEN_FORMULA;
}

/* Whether the first word of the range (with `at_end`, the last) may be an operand: a letter, a number or a formula. */
static bool is_operand(const char *text, Range range, bool at_end)
{
    Range word = at_end ? (Range){ range.end, range.end } : (Range){ range.begin, range.begin };

    while (at_end && word.begin > range.begin && text[word.begin - 1] != ' ') word.begin--;
    while (!at_end && word.end < range.end && text[word.end] != ' ') word.end++;
    return between(text, word) <= BETWEEN_FORMULA;
}

/* Whether the separator is an operator between two operands, and does not divide a list of letters or numbers. */
static bool is_operator(const char *text, const Separator *it)
{
    return is_operand(text, it[0].before, true) && is_operand(text, it[1].before, false) &&
           (it[0].between > BETWEEN_LETTER || it[1].between > BETWEEN_LETTER);
}

/* Whether a text begins like a name: with a capital letter or a letter of a script without capitals; with `or_digit`,
 * also with a digit or a placeholder. */
static bool begins_like_name(const char *text, Range range, bool or_digit)
{
    if (is_placeholder(text, range.begin, range.end)) return or_digit;
    for (size_t at = range.begin; at < range.end;) {
        uint32_t code;
        at += utf8_next(text + at, range.end - at, &code);
        if (u_isalpha((UChar32)code)) return !u_islower((UChar32)code);
        if (u_isdigit((UChar32)code)) return or_digit;
    }
    return false;
}

/* Whether a text is a label: short, and without punctuation after a word. */
static bool is_label(const char *text, Range range, size_t most_words)
{
    size_t words = 1;
    uint32_t last = 0;

    for (size_t at = range.begin, step; at <= range.end; at += step) {
        uint32_t code = ' ';
        step = at < range.end ? utf8_next(text + at, range.end - at, &code) : 1;
        if (!utf8_is_space(code)) {
            if (!sentence_is_closer(code) && !quotes_is_mark(code)) last = code;
            continue;
        }
        if (sentence_is_full_stop(last) || last == ',' || last == ';' || last == ':' ||
            u_hasBinaryProperty((UChar32)last, UCHAR_S_TERM))
            return false;
        words += at < range.end;
    }
    return range.begin < range.end && words <= most_words;
}

/* Decides which of the > and -> from `first` to `end` (exclusive) divide the text. */
static void choose_careful(const char *text, Separator *first, const Separator *end)
{
    bool is_lower = end - first >= 2; /* lower-case labels, as in a list of folders */
    bool has_name = false;

    for (const Separator *it = first; it <= end && is_lower; it++)
        is_lower = is_label(text, it->before, 3) && it->between == BETWEEN_WORDS;
    for (const Separator *it = first; it < end; it++)
        has_name |= it->between == BETWEEN_WORDS && begins_like_name(text, it[1].before, false);
    for (Separator *it = first; it < end; it++) {
        const Between left = it[0].between, right = it[1].between;
        if (left == BETWEEN_NOTHING || right == BETWEEN_NOTHING)
            it->divides = left == BETWEEN_WORDS || (left == BETWEEN_NOTHING && right == BETWEEN_WORDS);
        else
            it->divides = is_lower || (left == BETWEEN_WORDS && right == BETWEEN_WORDS && !is_operator(text, it) &&
                                       begins_like_name(text, it[1].before, has_name));
    }
}

/* Decides whether the dashes from `first` to `end` (exclusive) divide the text. `is_first`: no separator is before. */
static void choose_dashes(const char *text, Separator *first, const Separator *end, bool is_first)
{
    size_t words = 0;

    if ((!is_first && !first[-1].divides) || (end->kind && !end->divides)) return;
    for (const Separator *it = first; it <= end; it++) {
        words += it->between == BETWEEN_WORDS;
        if (!is_label(text, it->before, end - first > 1 ? 4 : 3)) return;
        if (it->between != BETWEEN_SYMBOLS && it->between != BETWEEN_WORDS) return;
        if (it->between == BETWEEN_WORDS && !begins_like_name(text, it->before, true)) return;
    }
    for (Separator *it = first; words > 1 && it < end; it++) it->divides = true;
}

/* Finds the guillemets that are quotation marks: those with a partner. Between them may be other quotations, dashes, /
 * and >. Openings need a partner after them, so they are found from the end. */
static void find_quotes(SeparatorList *list)
{
    for (int backward = 0; backward < 2; backward++) {
        size_t open = 0;
        for (size_t i = 0; i < list->len; i++) {
            Separator *it = &list->data[backward ? list->len - 1 - i : i];
            const bool opens = it->code == 0xab || it->code == 0x2039, closes = it->code == 0xbb || it->code == 0x203a;
            if (backward ? closes : opens) {
                open++;
            } else if (opens || closes) {
                it->is_quote = open > 0;
                open -= open > 0;
            } else if (it->kind == KIND_TAB || it->kind == KIND_LIST || it->kind == KIND_PATH) {
                open = 0;
            }
        }
    }
}

/* Whether the separator of a list or a path divides the text. Quotation marks do not. */
static bool other_divides(const char *text, const Separator *it, bool is_first)
{
    const Between left = it[0].between, right = it[1].between;

    if (it->is_quote) return false;
    if (it->kind == KIND_OPENING)
        return left == BETWEEN_NOTHING && right == BETWEEN_WORDS && (is_first || it[-1].divides);
    return left != BETWEEN_FORMULA && right != BETWEEN_FORMULA && !is_operator(text, it);
}

Status separators_find(RangeList *out, const char *text, size_t len, Err *err)
{
    const Range inner = ranges_trimmed(text, (Range){ 0, len });
    SeparatorList list = { 0 };
    Status st;

    scan(&list, text, len);
    st = LIST_CHECK(&list, "the separators of a text", err);
    if (st != OK) list.len = 0;
    find_quotes(&list);
    for (size_t i = 0; i + 1 < list.len; i++) {
        Separator *it = &list.data[i];
        if (it->kind == KIND_TAB)
            it->divides = it->range.begin > inner.begin && it->range.end < inner.end;
        else if (it->kind != KIND_DASH && it->kind != KIND_CAREFUL_PATH)
            it->divides = other_divides(text, it, !i);
    }
    for (size_t i = 0, end; i + 1 < list.len; i = end + (end == i)) {
        for (end = i; list.data[end].kind == KIND_CAREFUL_PATH; end++) continue;
        if (end > i) choose_careful(text, &list.data[i], &list.data[end]);
    }
    for (size_t i = 0, end; i + 1 < list.len; i = end + (end == i)) {
        for (end = i; list.data[end].kind == KIND_DASH; end++) continue;
        if (end > i) choose_dashes(text, &list.data[i], &list.data[end], !i);
    }
    for (size_t i = 0; i + 1 < list.len; i++)
        if (list.data[i].divides) LIST_PUT(out, list.data[i].range);
    free(list.data);
    return st == OK ? LIST_CHECK(out, "the separators of a text", err) : st;
}
