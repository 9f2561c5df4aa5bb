/* sentences.c - see sentences.h. */
#include "sentences.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>

#include "abbreviations.h"
#include "buf.h"
#include "utf8.h"

/* --- Characters and words near a position in a text. Every function looks at a bounded number of bytes. */

/* A position where a sentence may end: text[left..right) is white space or empty. */
typedef struct {
    const Abbreviations *words;
    const char *text;
    size_t len;
    const unsigned char *quotes; /* of the text: quotes_read() */
    size_t begin;                /* start of the sentence that may end here */
    size_t left, right;
    bool found; /* ICU has a boundary here */
} SentencePosition;

/* A word as it is written, and in lower case with an ASCII apostrophe. Empty if it is too long. */
#define SENTENCE_WORD_BYTES 64
typedef struct {
    char exact[SENTENCE_WORD_BYTES], folded[SENTENCE_WORD_BYTES];
} SentenceWord;

/* Returns the character before *at and moves *at to its start; at `begin`, returns 0. */
static uint32_t char_before(const char *text, size_t begin, size_t *at)
{
    uint32_t c;

    if (*at <= begin) return 0;
    *at = begin + utf8_previous(text + begin, *at - begin, &c);
    return c;
}

/* Returns the character at *at and moves *at to its end; at `len`, returns 0. */
static uint32_t char_next(const char *text, size_t len, size_t *at)
{
    uint32_t c;

    if (*at >= len) return 0;
    *at += utf8_next(text + *at, len - *at, &c);
    return c;
}

static bool is_one_of(uint32_t c, const uint32_t *list)
{
    while (*list && *list != c) list++;
    return *list != 0;
}

bool sentence_is_full_stop(uint32_t c)
{
    static const uint32_t marks[] = { '.', '!', '?', 0x2026, 0x203c, 0x203d, 0x2047, 0x2048, 0x2049, 0 };

    return is_one_of(c, marks);
}

bool sentence_is_dash(uint32_t c)
{
    return c == '-' || (c >= 0x2010 && c <= 0x2015);
}

/* Before a word: quotes, brackets, bullets, dashes. */
static bool is_opener(uint32_t c)
{
    static const uint32_t openers[] = { '"',    '\'',   '(',    '[',    '{',    0x00a1, 0x00bf, 0x00ab, 0x00bb, 0x2018,
                                        0x2019, 0x201a, 0x201b, 0x201c, 0x201d, 0x201e, 0x201f, 0x2039, 0x203a, '*',
                                        '_',    '#',    0x2022, 0x00b7, 0x2023, 0x25aa, 0x25cf, 0 };

    return is_one_of(c, openers) || sentence_is_dash(c);
}

bool sentence_is_closer(uint32_t c)
{
    static const uint32_t closers[] = { ')', ']', '}', '*', '_', 0x00b9, 0x00b2, 0x00b3, 0 };

    return is_one_of(c, closers) || (c >= 0x2070 && c <= 0x2079) ||
           (c >= 0x3000 && u_charType((UChar32)c) == U_END_PUNCTUATION);
}

/* Includes the characters that join and colour emoji. */
static bool is_emoji(uint32_t c)
{
    if (c < 0x200d) return false;
    if (c == 0x200d || c == 0xfe0f || (c >= 0x1f3fb && c <= 0x1f3ff) || (c >= 0x1f1e6 && c <= 0x1f1ff)) return true;
    return c >= 0x2190 && u_hasBinaryProperty((UChar32)c, UCHAR_EXTENDED_PICTOGRAPHIC);
}

/* CJK punctuation and full-width forms belong to no script, so they are tested here. */
bool sentence_is_dense(uint32_t c)
{
    UErrorCode fault = U_ZERO_ERROR;

    if ((c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xffef)) return true;
    return uscript_breaksBetweenLetters(uscript_getScript((UChar32)c, &fault));
}

/* Reads the word text[begin..end). Several words become one: "z. B" is "z.B". */
static void read_word(SentenceWord *out, const char *text, size_t begin, size_t end)
{
    size_t exact = 0, folded = 0;

    for (size_t at = begin; at < end;) {
        uint32_t c = char_next(text, end, &at);
        if (utf8_is_space(c)) continue;
        if (c == 0x2019) c = '\'';
        if (exact + 4 >= SENTENCE_WORD_BYTES || folded + 4 >= SENTENCE_WORD_BYTES) {
            exact = folded = 0;
            break;
        }
        exact += utf8_put(c, out->exact + exact);
        folded += utf8_put((uint32_t)u_tolower((UChar32)c), out->folded + folded);
    }
    out->exact[exact] = out->folded[folded] = '\0';
}

/* The number of letters, or 0 if the word has other characters. */
static size_t word_letters(const char *word)
{
    size_t at = 0, count = 0, len = strlen(word);

    while (at < len) {
        if (!u_isalpha((UChar32)char_next(word, len, &at))) return 0;
        count++;
    }
    return count;
}

/* True for two or more letters, all capitals: "EST". */
static bool word_is_capitals(const char *word)
{
    size_t at = 0, count = 0, len = strlen(word);

    for (; at < len; count++)
        if (!u_isupper((UChar32)char_next(word, len, &at))) return false;
    return count > 1;
}

/* --- Opening quotation marks and closing ones. “ can be either, depending on the language, and so can ".
 *
 * White space and punctuation decide first: a mark after a space and before a letter opens; one after a letter and
 * before a space closes. Where they do not decide, as in Chinese and in « French », a mark closes if the same line has
 * an open mark that it can close: „ before “, » before «. */

typedef struct {
    uint32_t mark;
    uint32_t closes[4]; /* the marks that it can close */
    bool opens;         /* if nothing else decides */
} QuoteKind;

static const QuoteKind kinds[] = {
    { '"', { '"', 0x201e, 0x201c }, true },
    { '\'', { '\'', 0x201a, 0x2018 }, true },
    { 0x00ab, { 0x00bb }, true },
    { 0x00bb, { 0x00ab, 0x00bb }, false },
    { 0x2018, { 0x201a }, true },
    { 0x2019, { 0x2018, 0x201a, 0x2019 }, false },
    { 0x201a, { 0 }, true },
    { 0x201b, { 0 }, true },
    { 0x201c, { 0x201e }, true },
    { 0x201d, { 0x201c, 0x201e, 0x201d, 0x201f }, false },
    { 0x201e, { 0 }, true },
    { 0x201f, { 0 }, true },
    { 0x2039, { 0x203a }, true },
    { 0x203a, { 0x2039, 0x203a }, false },
};

#define KINDS (sizeof kinds / sizeof *kinds)

static size_t quote_kind(uint32_t c)
{
    size_t i = 0;

    if (c != '"' && c != '\'' && c != 0xab && c != 0xbb && (c < 0x2018 || c > 0x203a)) return KINDS;
    while (i < KINDS && kinds[i].mark != c) i++;
    return i;
}

bool quotes_is_mark(uint32_t c)
{
    return quote_kind(c) < KINDS;
}

/* True if the mark at text[at] closes. */
static bool quote_closes(const unsigned char *quotes, size_t at)
{
    return quotes[at / 8] >> at % 8 & 1;
}

static bool is_ascii_of(uint32_t c, const char *characters)
{
    return c < 0x80 && strchr(characters, (int)c); /* 0, too */
}

/* The characters on both sides of a mark. If only one of them is part of a word, the mark opens or closes; otherwise
 * they do not decide. */
typedef struct {
    bool opens, closes;
} Sides;

static Sides sides_of(uint32_t before, bool before_opens, uint32_t after)
{
    bool free_before =
        before_opens || utf8_is_space(before) || sentence_is_dash(before) || is_ascii_of(before, "([{*_/");
    bool free_after = utf8_is_space(after) || is_ascii_of(after, ")]}.,;:!?*_\"'") || after == 0x201d ||
                      after == 0x2019 || after == 0xbb || after == 0x203a;

    return (Sides){ free_before && !free_after, free_after && !free_before && !sentence_is_dense(before) };
}

/* „ and ‚ always open; an apostrophe between letters is not a quotation mark. open[KINDS]: the marks that are open. */
static bool closes_here(size_t k, Sides sides, size_t *open)
{
    const QuoteKind *kind = &kinds[k];
    size_t opened = KINDS; /* the open mark that this one can close */
    bool closes;

    for (size_t i = 0; opened == KINDS && i < sizeof kind->closes / sizeof *kind->closes && kind->closes[i]; i++) {
        const size_t other = quote_kind(kind->closes[i]);
        if (other < KINDS && open[other]) opened = other;
    }
    if (!kind->closes[0])
        closes = false;
    else if (sides.opens || sides.closes)
        closes = sides.closes;
    else
        closes = opened < KINDS || !kind->opens;
    if (!closes)
        open[k]++;
    else if (opened < KINDS)
        open[opened]--;
    return closes;
}

/* Sets a bit of *out for each byte at which a closing mark begins. Takes time linear in `len`. OK: the caller frees
 * *out. */
static Status quotes_read(unsigned char **out, const char *text, size_t len, Err *err)
{
    unsigned char *quotes = calloc(len / 8 + 1, 1);
    size_t open[KINDS] = { 0 };
    uint32_t before = 0;
    bool before_opens = true;

    *out = quotes;
    if (!quotes) return err_memory(err, "the quotation marks of a text");
    for (size_t at = 0, next = 0; at < len; at = next) {
        uint32_t c = char_next(text, len, &next), after;
        size_t k = quote_kind(c), following = next;
        bool closes = false;
        if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029) memset(open, 0, sizeof open);
        if (k < KINDS) {
            after = char_next(text, len, &following);
            bool apostrophe = (c == '\'' || c == 0x2019) && u_isalpha((UChar32)before) && u_isalpha((UChar32)after) &&
                              !sentence_is_dense(before);
            closes = !apostrophe && closes_here(k, sides_of(before, before_opens, after), open);
            if (closes) quotes[at / 8] |= (unsigned char)(1u << at % 8);
        }
        before = c;
        before_opens = k < KINDS && !closes;
    }
    return OK;
}

/* --- The text on both sides of a position where a sentence may end: the marks and the word before it, and the word
 * after it. */

#define CONTEXT_CHARACTERS 24 /* how far the rules look, in characters outside a word */

/* The kind of text after the position. */
typedef enum {
    NEXT_NOTHING, /* part of the sentence before: a closing quote, an emoji, a comma */
    NEXT_LOWER,
    NEXT_UPPER,
    NEXT_NAME, /* a capital inside: "iPhone" */
    NEXT_DIGIT,
    NEXT_LETTER, /* in a script without case */
    NEXT_SYMBOL
} Next;

typedef struct {
    const SentencePosition *position;
    uint32_t mark;     /* the last mark; 0: no mark of the rules */
    bool dots;         /* an ellipsis */
    bool strong;       /* ! or ? is among the marks */
    size_t begin;      /* start of the word before the marks */
    size_t end;        /* end of the marks */
    Next next;         /* kind of the following text */
    SentenceWord word; /* the first word of it */
    bool abbreviated;  /* a full stop follows that word */
} SentenceContext;

/* Returns the flags of a word (abbreviations.h). */
static unsigned word_flags(const SentenceContext *s, const SentenceWord *word)
{
    return abbreviations_find(s->position->words, word->exact, word->folded);
}

/* True if the character c at `at` opens or closes a quotation or brackets. */
static bool open_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return u_charType((UChar32)c) == U_START_PUNCTUATION || (quotes_is_mark(c) && !quote_closes(p->quotes, at));
}

static bool close_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return quotes_is_mark(c) ? quote_closes(p->quotes, at) : sentence_is_closer(c);
}

/* Returns the first character after the position that opens nothing. */
static uint32_t after_openers(const SentencePosition *p)
{
    size_t at = p->right;
    uint32_t c = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t start = at;
        c = char_next(p->text, p->len, &at);
        if (!open_at(p, start, c)) break;
    }
    return c;
}

/* --- Text after the position. */

static Next next_kind(uint32_t c)
{
    if (!c) return NEXT_NOTHING;
    if (u_islower((UChar32)c) && (uint32_t)u_totitle((UChar32)c) != c) return NEXT_LOWER; /* Georgian has no capitals */
    if (u_isupper((UChar32)c) || u_istitle((UChar32)c)) return NEXT_UPPER;
    if (u_isdigit((UChar32)c)) return NEXT_DIGIT;
    if (u_isalpha((UChar32)c)) return NEXT_LETTER;
    return c == '&' || c == '=' ? NEXT_LOWER : NEXT_SYMBOL;
}

/* A closing quote or a mark that stands alone, as in French: white space or nothing follows it. A bullet does not
 * close a sentence in this way. */
static bool closes_alone(const SentencePosition *p)
{
    size_t at = p->right;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t start = at;
        uint32_t c = char_next(p->text, p->len, &at);
        if (!i && (c == '*' || c == '_')) return false;
        if (!c || (i && utf8_is_space(c))) return true;
        if (!close_at(p, start, c) && !sentence_is_full_stop(c)) return false;
    }
    return false;
}

/* Returns the letter or digit after openers; spaces between them are skipped. */
static uint32_t first_character(const SentencePosition *p, size_t *at)
{
    uint32_t c = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t next = *at;
        c = char_next(p->text, p->len, &next);
        if (!c || !(is_opener(c) || sentence_is_full_stop(c) || (i && utf8_is_space(c)))) break;
        *at = next;
    }
    return c;
}

/* True for an item of a list in upper or lower case: "b) Second". */
static bool is_item(const SentencePosition *p, size_t at)
{
    char_next(p->text, p->len, &at);
    return at < p->len && p->text[at] == ')';
}

/* True for "iPad": one letter, then a capital and another letter. "pH" is an ordinary word. */
static bool is_name(const SentencePosition *p, size_t at)
{
    uint32_t second;

    char_next(p->text, p->len, &at);
    second = char_next(p->text, p->len, &at);
    return u_isupper((UChar32)second) && u_isalpha((UChar32)char_next(p->text, p->len, &at));
}

/* Returns the end of the letters, and of an apostrophe among them. */
static size_t word_end(const SentencePosition *p, size_t at)
{
    for (size_t i = 0; i < SENTENCE_WORD_BYTES; i++) {
        size_t next = at;
        uint32_t c = char_next(p->text, p->len, &next);
        if (!u_isalpha((UChar32)c) && c != '\'' && c != 0x2019) break;
        at = next;
    }
    return at;
}

static void read_after(SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = p->right, after_first = at, end;
    uint32_t first = char_next(p->text, p->len, &after_first);

    s->next = NEXT_NOTHING;
    if (first == ',' || first == ';' || first == ':' || is_emoji(first) || closes_alone(p)) return;
    s->next = next_kind(first_character(p, &at));
    if (s->next == NEXT_LOWER && is_item(p, at)) s->next = NEXT_UPPER;
    if (s->next == NEXT_LOWER && is_name(p, at)) s->next = NEXT_NAME;
    end = word_end(p, at);
    read_word(&s->word, p->text, at, end);
    s->abbreviated = end < p->len && p->text[end] == '.';
}

/* True if sentences often begin with the next word, or with its part before an apostrophe: "L'homme". */
static bool next_is_first(const SentenceContext *s)
{
    char part[SENTENCE_WORD_BYTES];
    const char *apostrophe = strchr(s->word.folded, '\'');
    size_t len = apostrophe ? (size_t)(apostrophe - s->word.folded) + 1 : 0;

    if (s->next != NEXT_UPPER || word_is_capitals(s->word.exact)) return false;
    if (s->abbreviated && word_letters(s->word.exact) == 1) return false;
    if (word_flags(s, &s->word) & WORD_FIRST) return true;
    memcpy(part, s->word.folded, len);
    part[len] = '\0';
    return len && abbreviations_find(s->position->words, part, part) & WORD_FIRST;
}

/* --- Text before the position. */

/* Returns the start of the footnote "[12]" that ends at `at`, or `at`. */
static size_t skip_footnote(const SentencePosition *p, size_t at)
{
    size_t start = at;

    if (at == p->begin || p->text[--start] != ']') return at;
    for (size_t i = 0; i < 3 && start > p->begin && u_isdigit((UChar32)(unsigned char)p->text[start - 1]); i++) start--;
    return start > p->begin && p->text[start - 1] == '[' && p->text[start] != ']' ? start - 1 : at;
}

/* Returns the position before closing quotes, brackets, emoji, emoticons and footnotes, and before the spaces that
 * precede those. */
static size_t skip_closers(const SentencePosition *p)
{
    size_t at = p->left;
    bool passed = false;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = skip_footnote(p, at);
        uint32_t c = before < at ? ']' : char_before(p->text, p->begin, &before);
        bool closes = close_at(p, before, c) || is_emoji(c);
        if (!closes && !(passed && (utf8_is_space(c) || (c && is_ascii_of(c, ":;-("))))) break;
        passed = true;
        at = before;
    }
    return at;
}

static bool ends_word(uint32_t c)
{
    if (c == '-' || c == '\'' || c == 0x2010 || c == 0x2011 || c == 0x2019) return false;
    return !c || utf8_is_space(c) || is_opener(c);
}

/* Returns the start of the word that ends at `at`, or `at` if the word is longer than any that matters. */
static size_t word_begin(const SentencePosition *p, size_t at)
{
    size_t begin = at;

    while (at - begin < SENTENCE_WORD_BYTES) {
        size_t before = begin;
        if (ends_word(char_before(p->text, p->begin, &before))) return begin;
        begin = before;
    }
    return at;
}

/* Set all fields except `position`, which the caller sets. */
static void read_before(SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = skip_closers(p), dots = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = at;
        uint32_t c = char_before(p->text, p->begin, &before);
        if (!sentence_is_full_stop(c)) break;
        if (!i) s->mark = c;
        dots += c == '.' ? 1 : c == 0x2026 ? 3 : 0;
        s->strong = s->strong || (c != '.' && c != 0x2026);
        at = before;
    }
    s->dots = dots > 1;
    s->end = at;
    s->begin = word_begin(p, at);
}

/* True if the word before the marks is the first of its sentence: a number or letter of a list. */
static bool word_is_first(const SentenceContext *s)
{
    size_t at = s->begin;

    for (size_t i = 0; i < CONTEXT_CHARACTERS && at > s->position->begin; i++) {
        uint32_t c = char_before(s->position->text, s->position->begin, &at);
        if (!is_opener(c) && !utf8_is_space(c)) return false;
    }
    return at == s->position->begin;
}

/* Reads the word before that one, with its full stop; empty if there is none. */
static void read_previous(const SentenceContext *s, SentenceWord *out)
{
    const SentencePosition *p = s->position;
    size_t end = s->begin;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = end;
        uint32_t c = char_before(p->text, p->begin, &before);
        if (!utf8_is_space(c) && !is_opener(c)) break;
        end = before;
    }
    read_word(out, p->text, word_begin(p, end), end);
}

/* --- Rules.
 *
 * Before the white space come a word, a mark, and possibly closing quotes, brackets and emoji; after it comes the next
 * word. A sentence never begins with a lower-case letter. Otherwise ! and ? end a sentence. A full stop ends one unless
 * the word before it is an abbreviation, an initial or an ordinal number. Many of those can end a sentence, too; they
 * do if the next word is one that sentences often begin with. */

#define MAX_CHAIN 4 /* words of an abbreviation: "a. d. S." */
#define MAX_DAY   31

/* The flags of abbreviations. */
#define ABOUT_STOPS (WORD_NEVER | WORD_NUMBER | WORD_STARTER | WORD_CAPITAL)

static bool is_roman(const char *word)
{
    return strlen(word) > 1 && strspn(word, "IVX") == strlen(word);
}

/* True for "U.S", "z.B", "Ph.D", "J.-J": groups of one or two letters. */
static bool is_acronym(const char *word)
{
    size_t at = 0, group = 0, groups = 1, len = strlen(word);

    while (at < len) {
        uint32_t c = char_next(word, len, &at);
        if (c == '.' && group) {
            group = 0;
            groups++;
        } else if (!(c == '-' && !group && groups > 1) && (!u_isalpha((UChar32)c) || ++group > 2)) {
            return false;
        }
    }
    return groups > 1 && group;
}

/* True for "vgl", "Mrd": in most languages every word has a vowel. */
static bool lacks_vowel(const Abbreviations *words, const char *word)
{
    if (abbreviations_may_lack_vowels(words)) return false;
    if (strlen(word) < 2 || strspn(word + 1, "bcdfghjklmnpqrstvwxz") != strlen(word) - 1) return false;
    return strchr("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ", word[0]) != NULL;
}

/* Returns the flags of the last words from `begin`, without their spaces. A word in capitals ("ID", "CO") can be an
 * ordinary word, so only WORD_NEVER and WORD_NUMBER count for it. For a single letter only WORD_NUMBER counts if the
 * language is unknown, because the letter is a title in some language: French "M.". */
static unsigned flags_from(const SentenceContext *s, size_t begin)
{
    SentenceWord word;
    unsigned flags;

    read_word(&word, s->position->text, begin, s->end);
    if (!*word.exact) return 0;
    flags = word_flags(s, &word) & ABOUT_STOPS;
    if (abbreviations_are_multilingual(s->position->words) && word_letters(word.exact) == 1) return flags & WORD_NUMBER;
    return word_is_capitals(word.exact) ? flags & (WORD_NEVER | WORD_NUMBER) : flags;
}

/* Returns the start of the short word with a full stop before `begin`, or `begin` if there is none. */
static size_t chain_begin(const SentenceContext *s, size_t begin)
{
    const SentencePosition *p = s->position;
    size_t at = begin, start;

    if (!utf8_is_space(char_before(p->text, p->begin, &at))) return begin;
    if (char_before(p->text, p->begin, &at) != '.') return begin;
    start = word_begin(p, at);
    return start < at && at - start <= 12 ? start : begin;
}

/* True if the full stop is inside an abbreviation: "EE. UU.", "S. A.". */
static bool is_inside(const SentenceContext *s)
{
    SentenceWord both;
    char exact[2 * SENTENCE_WORD_BYTES], folded[2 * SENTENCE_WORD_BYTES];

    if (!s->abbreviated) return false;
    read_word(&both, s->position->text, s->begin, s->end);
    snprintf(exact, sizeof exact, "%s.%s", both.exact, s->word.exact);
    snprintf(folded, sizeof folded, "%s.%s", both.folded, s->word.folded);
    return (abbreviations_find(s->position->words, exact, folded) & ABOUT_STOPS) != 0;
}

/* Returns the flags of the word together with those before it ("z. B.", the longest first), of the word itself, and
 * of its part after an apostrophe or a hyphen ("l'art. 5"). */
static unsigned stop_flags(const SentenceContext *s)
{
    size_t begins[MAX_CHAIN] = { s->begin }, count = 1;
    unsigned flags = 0;

    while (count < MAX_CHAIN) {
        size_t begin = chain_begin(s, begins[count - 1]);
        if (begin == begins[count - 1]) break;
        begins[count++] = begin;
    }
    while (!flags && count) flags = flags_from(s, begins[--count]);
    for (size_t at = s->end; !flags && at > s->begin;) {
        size_t part = at;
        uint32_t c = char_before(s->position->text, s->begin, &at);
        if (c == '-' || c == '\'' || c == 0x2019) return flags_from(s, part);
    }
    return flags;
}

/* True for one letter, unless words of its script can be that short. */
static bool is_initial(const char *word)
{
    size_t at = 0;
    uint32_t c = char_next(word, strlen(word), &at);

    return word_letters(word) == 1 && !u_hasBinaryProperty((UChar32)c, UCHAR_IDEOGRAPHIC) &&
           u_getIntPropertyValue((UChar32)c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_NOT_APPLICABLE;
}

/* "than I. Peter" ends a sentence, "by I. Newton" does not. */
static bool initial_ends(const SentenceContext *s, const SentenceWord *word)
{
    SentenceWord previous;
    unsigned flags;

    if (word_is_first(s) || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL) return false;
    read_previous(s, &previous);
    flags = word_flags(s, &previous);
    if (flags & WORD_BEFORE_LETTER || (flags & WORD_BEFORE_PRONOUN && strcmp(word->exact, "I") == 0)) return true;
    return next_is_first(s);
}

/* Returns the number that a word ends with: "5" of "5", "4./5" and "4-5". */
static const char *number_in(const char *word)
{
    const char *slash = strrchr(word, '/'), *hyphen = strrchr(word, '-');
    const char *number = slash ? slash + 1 : hyphen ? hyphen + 1 : word;

    return *number && strspn(number, "0123456789") == strlen(number) ? number : NULL;
}

/* Decides whether a number ends its sentence or is an ordinal number with a full stop. */
static bool number_ends(const SentenceContext *s, const char *number)
{
    size_t digits = strlen(number);
    long value = 0;
    SentenceWord previous;
    unsigned flags;

    if (digits < 4 && word_is_first(s)) return false;
    if (digits < 3 && word_flags(s, &s->word) & WORD_DATED) return false;
    if (!abbreviations_have_dotted_ordinals(s->position->words) || digits > 3) return true;
    for (size_t i = 0; i < digits; i++) value = value * 10 + (number[i] - '0');
    if (s->next == NEXT_DIGIT) return value > MAX_DAY;
    if (word_flags(s, &s->word) & WORD_DATED) return false;
    if (next_is_first(s)) return true;
    read_previous(s, &previous);
    flags = word_flags(s, &previous);
    if (flags & WORD_BEFORE_ORDINAL) return false;
    if (flags & WORD_BEFORE_COUNT || strchr(previous.folded, '.')) return true;
    return value > MAX_DAY;
}

/* "vol. IV", "No. B". A word that is an abbreviation only before a number is an ordinary word otherwise: "The answer
 * is no. I left." After "p.m." the sentence may continue with a word that sentences often begin with; after "etc." it
 * does not: "At 5 p.m. I left." */
static bool abbreviation_ends(const SentenceContext *s, const SentenceWord *word, unsigned flags)
{
    unsigned next = word_flags(s, &s->word);
    bool numeral = is_roman(s->word.exact) || strlen(s->word.exact) == 1;

    if (flags & WORD_NEVER || s->next == NEXT_DIGIT || s->next == NEXT_SYMBOL || s->next == NEXT_NAME) return false;
    if (flags & WORD_CAPITAL) return !(next & WORD_AFTER_TIME) || (next & WORD_FIRST && !is_acronym(word->exact));
    if (flags & WORD_NUMBER && !(flags & WORD_STARTER)) return !numeral || next_is_first(s);
    return !(flags & WORD_NUMBER && numeral) && next_is_first(s);
}

static bool stop_ends(const SentenceContext *s)
{
    SentenceWord word;
    const char *number;
    unsigned flags;

    if (s->begin ==
        s->end) { /* after a space ("the end ."); one of ". . ." ends it only before a frequent first word */
        const SentencePosition *p = s->position;
        size_t at = s->end;
        if (!utf8_is_space(char_before(p->text, p->begin, &at))) return true;
        return char_before(p->text, p->begin, &at) != '.' || next_is_first(s);
    }
    read_word(&word, s->position->text, s->begin, s->end);
    number = number_in(word.exact);
    if (number) return number_ends(s, number);
    if (is_inside(s)) return false;
    flags = stop_flags(s);
    if (flags && !(flags == WORD_NUMBER && word_letters(word.exact) == 1)) return abbreviation_ends(s, &word, flags);
    if (is_initial(word.exact)) return initial_ends(s, &word);
    if (is_roman(word.exact) && (word_is_first(s) || abbreviations_have_dotted_ordinals(s->position->words)))
        return next_is_first(s) && !word_is_first(s);
    if (is_acronym(word.exact) || lacks_vowel(s->position->words, word.exact)) return next_is_first(s);
    return true;
}

/* An ellipsis after a space may stand for omitted words. */
static bool ellipsis_ends(const SentenceContext *s)
{
    size_t at = s->end;

    if (s->next == NEXT_DIGIT) return false;
    if (!utf8_is_space(char_before(s->position->text, s->position->begin, &at))) return true;
    return s->next == NEXT_LETTER || next_is_first(s);
}

/* The marks of Chinese and related scripts end a sentence without white space, unless Japanese continues after a
 * quotation with 'to'. */
static bool full_mark_ends(const SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = p->left, next = p->right, mark = skip_closers(p);
    uint32_t before = char_before(p->text, p->begin, &at), after = char_next(p->text, p->len, &next);

    if (open_at(p, at, before)) return false;
    if ((before == 0x300d || before == 0x300f) && (after == 0x3068 || after == 0x3063)) return false;
    if (s->mark) return sentence_is_dense(after_openers(p));
    return u_hasBinaryProperty((UChar32)char_before(p->text, p->begin, &mark), UCHAR_S_TERM);
}

/* Decides whether a sentence ends at the position. Looks at a bounded number of bytes on both
 * sides. */
static bool ends_at(const SentencePosition *position)
{
    SentenceContext s = { .position = position };

    read_before(&s);
    if (position->left == position->right) return position->found && full_mark_ends(&s);
    if (!s.mark && !position->found) return false;
    read_after(&s);
    if (s.next == NEXT_NOTHING || s.next == NEXT_LOWER) return false;
    if (!s.mark) return true;
    if (s.end > position->begin && is_ascii_of((unsigned char)position->text[s.end - 1], "([") &&
        skip_closers(position) < position->left)
        return false; /* marks inside brackets: "(!)", "[...]" */
    if (s.strong) return !(s.next == NEXT_UPPER && word_flags(&s, &s.word) & WORD_COMPANY);
    return s.dots ? ellipsis_ends(&s) : stop_ends(&s);
}

struct Sentences {
    char *language;       /* NULL: any language */
    pthread_mutex_t lock; /* protects the field below */
    Abbreviations *words; /* NULL: not needed yet */
};

Status sentences_new(Sentences **out, const char *language, Err *err)
{
    Sentences *s = calloc(1, sizeof *s);

    *out = s;
    if (s && language) s->language = strdup(language);
    if (!s || (language && !s->language)) {
        free(s);
        *out = NULL;
        return err_memory(err, "the sentences of a text");
    }
    pthread_mutex_init(&s->lock, NULL);
    return OK;
}

void sentences_free(Sentences *s)
{
    if (!s) return;
    abbreviations_free(s->words);
    pthread_mutex_destroy(&s->lock);
    free(s->language);
    free(s);
}

/* --- ICU. */

/* ICU's rules are the same for all languages except Greek, which has its own question mark. ICU's lists of
 * abbreviations (ss=standard) are not used: they are short, differ between versions, and take a millisecond to open. */
static const char *locale_of(const char *language)
{
    static const char *const greek[] = { "el", "ell", "gre" };
    size_t len = language ? strcspn(language, "_-") : 0;

    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (len == strlen(greek[i]) && memcmp(language, greek[i], len) == 0) return "el";
    return "en";
}

static Status icu_fault(UErrorCode fault, Err *err)
{
    if (fault == U_MEMORY_ALLOCATION_ERROR) return err_memory(err, "the sentences of a text");
    return err_set(err, ERR_IO, "ICU cannot find sentences: %s; are its data files complete?", u_errorName(fault));
}

/* --- Candidates. */

/* A text and the sentences found so far. */
typedef struct {
    Sentences *owner;
    const char *text;
    size_t len; /* without trailing white space */
    unsigned char *quotes;
    UBreakIterator *iterator;
    size_t boundary; /* ICU's next boundary that has not been passed */
    RangeList ranges;
} Reader;

/* True if ICU has a boundary in (left, right]. */
static bool icu_found(Reader *r, size_t left, size_t right)
{
    while (r->boundary <= left) {
        int32_t next = ubrk_next(r->iterator);
        r->boundary = next == UBRK_DONE ? SIZE_MAX : (size_t)next;
    }
    return r->boundary <= right;
}

/* The same without white space: at the position, or after opening brackets and quotes there, which ICU assigns to the
 * sentence before them. */
static bool icu_found_here(Reader *r, const SentencePosition *position)
{
    size_t right = position->right;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t next = right;
        uint32_t c = char_next(r->text, r->len, &next);
        if (!open_at(position, right, c)) break;
        right = next;
    }
    return icu_found(r, position->left - 1, right);
}

/* True for the end of a line or paragraph, even within a line. */
static bool is_separator(uint32_t c)
{
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Whether letters follow a mark after which ICU may find the end of a sentence. Most lines have a mark only at their end
 * and need no iterator. */
static bool has_candidate(const char *text, size_t len)
{
    bool mark = false;

    for (size_t at = 0; at < len;) {
        uint32_t c = char_next(text, len, &at);
        if (c < 0x80 ? c && strchr(".!?;\n\r", (int)c) != NULL
                     : is_separator(c) || sentence_is_full_stop(c) || c == 0x37e ||
                           u_hasBinaryProperty((UChar32)c, UCHAR_S_TERM))
            mark = true;
        else if (mark && u_isalnum((UChar32)c))
            return true;
    }
    return false;
}

/* Moves *at past the white space there. */
static void skip_space(const Reader *r, size_t *at, bool *separator)
{
    for (size_t next = *at; *at < r->len; *at = next) {
        uint32_t c = char_next(r->text, r->len, &next);
        if (!utf8_is_space(c)) break;
        *separator = *separator || is_separator(c);
    }
}

static void read_ranges(Reader *r, size_t begin)
{
    size_t at = begin;

    while (at < r->len && !r->ranges.failed) {
        SentencePosition position = {
            .words = r->owner->words, .text = r->text, .len = r->len, .quotes = r->quotes, .begin = begin
        };
        bool separator = false;
        char_next(r->text, r->len, &at);
        position.left = position.right = at;
        skip_space(r, &position.right, &separator);
        if (position.right >= r->len) break;
        position.found =
            position.left < position.right ? icu_found(r, position.left, position.right) : icu_found_here(r, &position);
        at = position.right;
        if (!separator && !(position.left < position.right || position.found)) continue;
        if (!separator && !ends_at(&position)) continue;
        LIST_PUT(&r->ranges, ((Range){ begin, position.left }));
        begin = at;
    }
    LIST_PUT(&r->ranges, ((Range){ begin, r->len }));
}

/* Opening the iterator takes two microseconds. Cloning one for all texts would be faster, but ubrk_clone() may return
 * one that crashes if memory has run out. */
static Status read_with_icu(Reader *r, size_t begin, Err *err)
{
    Sentences *owner = r->owner;
    UErrorCode fault = U_ZERO_ERROR;
    UText *utext = NULL;
    Status st = OK;

    pthread_mutex_lock(&owner->lock);
    if (!owner->words) st = abbreviations_new(&owner->words, owner->language, err);
    pthread_mutex_unlock(&owner->lock);
    if (st == OK) st = quotes_read(&r->quotes, r->text, r->len, err);
    if (st == OK) r->iterator = ubrk_open(UBRK_SENTENCE, locale_of(owner->language), NULL, 0, &fault);
    if (st == OK && U_SUCCESS(fault)) utext = utext_openUTF8(NULL, r->text, (int64_t)r->len, &fault);
    if (st == OK && U_SUCCESS(fault)) ubrk_setUText(r->iterator, utext, &fault);
    if (st == OK && U_FAILURE(fault)) st = icu_fault(fault, err);
    if (st == OK) read_ranges(r, begin);
    if (r->iterator) ubrk_close(r->iterator);
    utext_close(utext);
    free(r->quotes);
    return st;
}

Status sentences_find(Sentences *sentences, const char *text, size_t len, Range **out, size_t *count, Err *err)
{
    Reader r = { .owner = sentences, .text = text, .len = len };
    bool separator = false;
    size_t begin = 0;
    Status st = OK;

    for (size_t at = len; at && utf8_is_space(char_before(text, 0, &at));) r.len = at;
    skip_space(&r, &begin, &separator);
    if (begin < r.len && r.len <= INT32_MAX && has_candidate(text + begin, r.len - begin))
        st = read_with_icu(&r, begin, err);
    else if (begin < r.len)
        LIST_PUT(&r.ranges, ((Range){ begin, r.len }));
    if (st == OK) st = LIST_CHECK(&r.ranges, "the sentences of a text", err);
    if (st != OK) ranges_free(&r.ranges);
    *out = r.ranges.data;
    *count = r.ranges.len;
    return st;
}

/* --- Joining. */

bool sentences_need_space(const char *before, size_t before_len, const char *after, size_t after_len)
{
    size_t at = 0;
    uint32_t last = char_before(before, 0, &before_len), first = char_next(after, after_len, &at);

    if (!last || !first || utf8_is_space(last) || utf8_is_space(first)) return false;
    return !sentence_is_dense(last) && !sentence_is_dense(first);
}
