/* capitals.c - see capitals.h. */
#include "capitals.h"

#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "language.h"
#include "utf8.h"

/* The extra cost of a capital at the beginning of a word within a sentence, except in German. In other languages mostly
 * names have one, but a vocabulary that is shared with German also has pieces such as Math. Of 2,211 sentences of
 * Tatoeba and FLORES in all capitals, the embedded model translates 482 differently from normal case without this cost,
 * 295 with it (361, 324, 282, 329 with the costs 1, 2, 4, 6); of 1,100 German ones 386 without, and more with it. */
#define TITLE_COST 3

#define LONGEST_WORD   256 /* in bytes; longer runs of letters do not change */
#define SHARP_S        0xdfu
#define SIGMA          0x3c3u /* becomes FINAL_SIGMA at the end of a word */
#define FINAL_SIGMA    0x3c2u
#define FIRST_CHEROKEE 0x13a0u
#define LAST_CHEROKEE  0x13ffu

/* Replaces the character of `size` bytes by `code` if that has the same number of bytes. */
static void replace(char *at, size_t size, uint32_t code)
{
    char bytes[4];

    if (code != UTF8_INVALID && utf8_put(code, bytes) == size) memcpy(at, bytes, size);
}

/* Letters of scripts without case do not count as capitals. Neither do Cherokee letters: Cherokee has small letters,
 * but is usually written in capitals. */
size_t capitals_count(const char *text, const Range *parts, size_t count)
{
    size_t letters = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t at = parts[i].begin; at < parts[i].end;) {
            uint32_t code;
            at += utf8_next(text + at, parts[i].end - at, &code);
            if ((uint32_t)u_toupper((UChar32)code) != code || (code >= FIRST_CHEROKEE && code <= LAST_CHEROKEE) ||
                (u_charType((UChar32)code) == U_OTHER_LETTER && !u_isULowercase((UChar32)code)))
                return 0;
            if ((uint32_t)u_tolower((UChar32)code) != code) letters++;
        }
    }
    return letters;
}

/* A word: letters, digits and marks, and apostrophes between them. */
typedef struct {
    size_t begin, end;
    bool digits;
} Word;

/* Finds the first word of text[at..end); false if there is none. */
static bool next_word(const char *text, size_t at, size_t end, Word *word)
{
    bool found = false;

    while (at < end) {
        uint32_t code;
        const size_t size = utf8_next(text + at, end - at, &code);
        if (u_isalnum((UChar32)code) || U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK) {
            if (!found) *word = (Word){ .begin = at };
            found = true;
            word->end = at + size;
            word->digits |= u_isdigit((UChar32)code) != 0;
        } else if (found && !((code == '\'' || code == 0x2019) && word->end == at)) {
            return true;
        }
        at += size;
    }
    return found;
}

/* How a word in capitals is written in normal case. */
typedef struct {
    bool title;   /* the first letter remains a capital */
    bool sharp_s; /* SS becomes the sharp s, which also has two bytes */
} Style;

/* Sets *out to the word in small letters, in the given style. */
static Status put_small(Buf *out, const char *word, size_t len, Style style, Err *err)
{
    Status st;
    size_t at = 0;

    buf_clear(out);
    buf_put(out, word, len);
    st = buf_check(out, err);
    while (st == OK && at < len) {
        uint32_t code, small;
        size_t size = utf8_next(out->data + at, len - at, &code);
        small = (uint32_t)u_tolower((UChar32)code);
        if (small == SIGMA && at && at + size == len) small = FINAL_SIGMA;
        if (style.sharp_s && at && at + 1 < len && memcmp(out->data + at, "SS", 2) == 0) {
            small = SHARP_S;
            size = 2;
        }
        if (at || !style.title) replace(out->data + at, size, small);
        at += size;
    }
    return st;
}

/* How the words of a text are converted. */
typedef struct {
    const Tokenizer *tokenizer;
    bool target;
    bool german;
    bool *changed; /* set when a word changes */
} Casing;

static Status find_cost(Buf *tried, const char *word, size_t len, Style style, const Casing *casing, float *cost,
                        Err *err)
{
    Status st = put_small(tried, word, len, style, err);

    return st == OK ? tokenizer_word_cost(casing->tokenizer, casing->target, tried->data, len, cost, err) : st;
}

/* Overwrites the word, which is in capitals, with its most common spelling. Of equally common spellings, the one in
 * lower case is chosen, or else the one without a sharp s. The `first` word of a sentence gets a capital. */
static Status lower_word(char *word, size_t len, bool first, const Casing *casing, Err *err)
{
    static const Style styles[] = { { false, false }, { true, false }, { false, true }, { true, true } };
    const size_t count = casing->german ? 4 : 2;
    Buf tried = { 0 };
    Style best = { false, false };
    bool kept = true;
    float least, cost = 0;
    Status st = tokenizer_word_cost(casing->tokenizer, casing->target, word, len, &least, err);

    for (size_t i = 0; st == OK && i < count; i++) {
        st = find_cost(&tried, word, len, styles[i], casing, &cost, err);
        if (styles[i].title && !first && !casing->german) cost += TITLE_COST;
        if (st != OK || cost > least || (cost == least && !kept)) continue;
        least = cost;
        best = styles[i];
        kept = false;
    }
    if (st == OK && first && !best.title && !kept) {
        best.title = true;
        st = find_cost(&tried, word, len, best, casing, &cost, err);
        best.title = cost - least < TOKENIZER_UNKNOWN_COST / 2; /* else only lower case is in the vocabulary */
    }
    if (st == OK && !kept) st = put_small(&tried, word, len, best, err);
    if (st == OK && !kept) memcpy(word, tried.data, len);
    *casing->changed |= !kept;
    buf_free(&tried);
    return st;
}

/* Whether text[begin..end), the text between two words, ends a sentence. A full stop after an initial does not. */
static bool ends_sentence(const char *text, size_t begin, size_t end, bool after_initial)
{
    for (size_t i = begin; i + 1 < end; i++) {
        const bool stop = text[i] == '!' || text[i] == '?' || (text[i] == '.' && !after_initial);
        if (stop && (text[i + 1] == ' ' || text[i + 1] == '\t')) return true;
    }
    return false;
}

Status capitals_lower(char *text, const Range *parts, size_t count, const Tokenizer *tokenizer, CapitalsText kind,
                      bool *changed, Err *err)
{
    const bool target = kind == CAPITALS_TARGET, sentence = kind == CAPITALS_SENTENCE;
    const char *language = target ? tokenizer_target_language(tokenizer) : tokenizer_source_language(tokenizer);
    const Casing casing = { .tokenizer = tokenizer,
                            .target = target,
                            .german = language && language_same(language, "de"),
                            .changed = changed };
    bool first = true;
    Status st = OK;

    *changed = false;
    for (size_t i = 0; st == OK && i < count; i++) {
        Word word = { .end = parts[i].begin };
        size_t last = parts[i].begin;
        bool initial = false;
        while (st == OK && next_word(text, last, parts[i].end, &word)) {
            if (!sentence && ends_sentence(text, last, word.begin, initial)) first = true;
            if (!word.digits && word.end - word.begin <= LONGEST_WORD)
                st = lower_word(text + word.begin, word.end - word.begin, first, &casing, err);
            first = false;
            last = word.end;
            initial = word.end - word.begin == 1;
        }
        if (!sentence && ends_sentence(text, last, parts[i].end, initial)) first = true;
    }
    return st;
}

void capitals_raise(char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        uint32_t code;
        const size_t size = utf8_next(text + at, len - at, &code);
        if (code == SHARP_S)
            memcpy(text + at, "SS", 2);
        else if ((uint32_t)u_totitle((UChar32)code) != code) /* not Georgian: its sentences begin without a capital */
            replace(text + at, size, (uint32_t)u_toupper((UChar32)code));
        at += size;
    }
}
