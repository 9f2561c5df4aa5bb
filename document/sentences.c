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

#include "buf.h"
#include "chars.h"
#include "str_map.h"
#include "text.h"
#include "utf8.h"

/* --- Words that decide whether a full stop ends a sentence. sentence_words.txt explains their kinds. */

extern const char sentence_words_txt[];

/* The kinds of words, as flags in the order of word_kinds[]. */
enum {
    WORD_NEVER = 1,
    WORD_NUMBER = 2,
    WORD_STARTER = 4,
    WORD_CAPITAL = 8,
    WORD_FIRST = 16,
    WORD_AFTER_TIME = 32,
    WORD_DATED = 64,
    WORD_BEFORE_ORDINAL = 128,
    WORD_BEFORE_COUNT = 256,
    WORD_BEFORE_LETTER = 512,
    WORD_BEFORE_PRONOUN = 1024,
    WORD_COMPANY = 2048,
    NO_VOWEL = 4096
};

static const char *const word_kinds[] = {
    "never",          "number",       "starter",       "capital",        "first",   "after-time", "dated",
    "before-ordinal", "before-count", "before-letter", "before-pronoun", "company", "no-vowel",
};

typedef struct {
    StrMap *flags;   /* of each word; NULL: not read yet */
    bool is_known;   /* the words are those of one language; false: of all languages */
    unsigned kinds;  /* the kinds that have a line */
    char ending[16]; /* words with this ending have WORD_NUMBER and WORD_STARTER; "": none */
} Abbreviations;

/* Returns the line of sentence_words.txt with the code of a language, or NULL. */
static const char *find_language(const char *code)
{
    const size_t len = strlen(code);

    for (const char *at = sentence_words_txt; (at = strstr(at, "\nlanguages ")); at++)
        for (const char *word = strchr(at, ' '); *word == ' '; word += 1 + strcspn(word + 1, " \n"))
            if (strcspn(word + 1, " \n") == len && memcmp(word + 1, code, len) == 0) return at + 1;
    return NULL;
}

/* Reads the words of the language with this code, or those of all languages if it is "" or unknown. *a is {0} before
 * that, and after a failure. */
static Status abbreviations_read(Abbreviations *a, const char *code, Err *err)
{
    const char *language = *code ? find_language(code) : NULL;
    const size_t count = sizeof word_kinds / sizeof *word_kinds;
    bool is_wanted = true;
    Status st = str_map_new(&a->flags, err);

    a->is_known = language != NULL;
    for (const char *line = sentence_words_txt; st == OK && *line; line = strchr(line, '\n') + 1) {
        const size_t len = strcspn(line, " \n");
        const char *word = line + len;
        size_t kind = 0;
        if (chars_are(line, len, "languages")) is_wanted = !language || line == language;
        if (!is_wanted) continue;
        if (language && chars_are(line, len, "ending")) sscanf(word, "%15s", a->ending);
        while (kind < count && !chars_are(line, len, word_kinds[kind])) kind++;
        if (kind == count) continue;
        a->kinds |= 1U << kind;
        for (size_t size; st == OK && *word == ' '; word += size) {
            int32_t *flags;
            size = strcspn(++word, " \n");
            st = str_map_hold(a->flags, word, size, 0, &flags, err);
            if (st == OK) *flags |= 1 << kind;
        }
    }
    if (st == OK) return OK;
    str_map_free(a->flags);
    *a = (Abbreviations){ 0 };
    return st;
}

/* Returns the flags of a word. `exact` is its spelling and `folded` the same in lower case. The flags of both are
 * joined, unless `exact` is listed and has a full stop inside, because "a.D" is not "a.d". An abbreviation is given
 * without its last full stop and without spaces: "z.b". */
static unsigned abbreviations_find(const Abbreviations *words, const char *exact, const char *folded)
{
    unsigned flags = (unsigned)str_map_get(words->flags, exact, strlen(exact), 0);

    if (!flags || !strchr(exact, '.')) flags |= (unsigned)str_map_get(words->flags, folded, strlen(folded), 0);
    if (*words->ending && text_ends_with(folded, words->ending)) flags |= WORD_NUMBER | WORD_STARTER;
    return flags;
}

/* --- Characters and words near a position in a text. Every function looks at a bounded number of bytes. */

/* The spelling of a word, and the word in lower case with an ASCII apostrophe. Both are empty if it is too long. */
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

/* Whether the character may precede the first word of a sentence: quotes, brackets, bullets, dashes. */
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

/* Whether the character is an emoji, or joins or colours emoji. */
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

bool sentence_is_unspaced(uint32_t c)
{
    return sentence_is_dense(c) && !(c >= 0xff10 && c <= 0xff5a && u_isalnum((UChar32)c));
}

/* Reads text[begin..end) as one word, without white space: "z. B" becomes "z.B". */
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

/* --- Opening and closing quotation marks. “ and " can be either, depending on the language.
 *
 * White space and punctuation decide first: a mark after a space and before a letter opens; a mark after a letter and
 * before a space closes. If they do not decide, as in Chinese and in « French », a mark closes if there is an open mark
 * before it in the same line that it can close: “ closes „, and « closes ». */

typedef struct {
    uint32_t mark;
    uint32_t closes[4]; /* the marks that it can close */
    bool opens;         /* it opens a quotation if nothing else decides */
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
    return c < 0x80 && strchr(characters, (int)c); /* also 0 */
}

/* Whether a mark of kinds[k] closes a quotation. If a word is on one side only, the mark opens before the word or
 * closes after it. „ and ‚ always open. open[KINDS]: how many marks of each kind are open; it is updated. */
static bool closes_here(size_t k, uint32_t before, bool before_opens, uint32_t after, size_t *open)
{
    const QuoteKind *kind = &kinds[k];
    const bool free_before =
        before_opens || utf8_is_space(before) || sentence_is_dash(before) || is_ascii_of(before, "([{*_/");
    const bool free_after = utf8_is_space(after) || is_ascii_of(after, ")]}.,;:!?*_\"'") || after == 0x201d ||
                            after == 0x2019 || after == 0xbb || after == 0x203a;
    const bool side_opens = free_before && !free_after;
    const bool side_closes = free_after && !free_before && !sentence_is_dense(before);
    size_t opened = KINDS; /* the open mark that this one can close */
    bool closes;

    for (size_t i = 0; opened == KINDS && i < sizeof kind->closes / sizeof *kind->closes && kind->closes[i]; i++) {
        const size_t other = quote_kind(kind->closes[i]);
        if (other < KINDS && open[other]) opened = other;
    }
    if (!kind->closes[0])
        closes = false;
    else if (side_opens || side_closes)
        closes = side_closes;
    else
        closes = opened < KINDS || !kind->opens;
    if (!closes)
        open[k]++;
    else if (opened < KINDS)
        open[opened]--;
    return closes;
}

/* Sets a bit of *out for each byte at which a closing mark begins; an apostrophe between letters is no mark. Takes
 * time linear in `len`. If it returns OK, the caller frees *out. */
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
            closes = !apostrophe && closes_here(k, before, before_opens, after, open);
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
    NEXT_NOTHING, /* it belongs to the sentence before: a closing quote, an emoji, a comma */
    NEXT_LOWER,
    NEXT_UPPER,
    NEXT_NAME, /* a word with a capital inside: "iPhone" */
    NEXT_DIGIT,
    NEXT_LETTER, /* a letter of a script without case */
    NEXT_SYMBOL
} Next;

/* A position in a text where a sentence may end: text[left..right) is white space or empty. */
typedef struct {
    const Abbreviations *words;
    const char *text;
    size_t len;            /* without white space at the end */
    unsigned char *quotes; /* the closing marks of the text: quotes_read() */
    size_t begin;          /* start of the sentence that may end here */
    size_t left, right;
    bool found; /* ICU has a boundary here */

    uint32_t mark; /* the last full stop, ! or the like before the position; 0: none */
    bool dots;     /* the marks are an ellipsis */
    bool strong;   /* ! or ? is among the marks */
    Range before;  /* the word before the marks */

    Next next;         /* the kind of text after the position */
    SentenceWord word; /* the first word after the position */
    bool abbreviated;  /* a full stop follows that word */
} SentencePosition;

/* Returns the flags of a word: WORD_NEVER and so on. */
static unsigned word_flags(const SentencePosition *p, const SentenceWord *word)
{
    return abbreviations_find(p->words, word->exact, word->folded);
}

/* Whether the character c at `at` opens a quotation or a bracket; close_at(): closes one. */
static bool open_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return u_charType((UChar32)c) == U_START_PUNCTUATION || (quotes_is_mark(c) && !quote_closes(p->quotes, at));
}

static bool close_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return quotes_is_mark(c) ? quote_closes(p->quotes, at) : sentence_is_closer(c);
}

/* Returns the end of the opening quotes and brackets after the position. */
static size_t skip_openers(const SentencePosition *p)
{
    size_t at = p->right;

    for (size_t i = 0, next = at; i < CONTEXT_CHARACTERS; i++, at = next)
        if (!open_at(p, at, char_next(p->text, p->len, &next))) break;
    return at;
}

/* --- Text after the position. */

/* Whether only closing quotes and marks are between the position and the next white space, as before the ! of French
 * "Bravo !". A bullet, * or _, does not count. */
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

static void read_after(SentencePosition *p)
{
    size_t at = p->right, next = at, end;
    uint32_t c = char_next(p->text, p->len, &next);

    p->next = NEXT_NOTHING;
    if (c == ',' || c == ';' || c == ':' || is_emoji(c) || closes_alone(p)) return;
    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) { /* skips openers and the spaces between them */
        next = at;
        c = char_next(p->text, p->len, &next);
        if (!c || !(is_opener(c) || sentence_is_full_stop(c) || (i && utf8_is_space(c)))) break;
        at = next;
    }
    if (u_islower((UChar32)c) && (uint32_t)u_totitle((UChar32)c) != c) /* Georgian has no capitals */
        p->next = NEXT_LOWER;
    else if (u_isupper((UChar32)c) || u_istitle((UChar32)c))
        p->next = NEXT_UPPER;
    else if (u_isdigit((UChar32)c))
        p->next = NEXT_DIGIT;
    else if (u_isalpha((UChar32)c))
        p->next = NEXT_LETTER;
    else if (c)
        p->next = c == '&' || c == '=' ? NEXT_LOWER : NEXT_SYMBOL;
    next = end = at;
    char_next(p->text, p->len, &next);
    if (p->next == NEXT_LOWER && next < p->len && p->text[next] == ')') p->next = NEXT_UPPER; /* a list: "b) Second" */
    c = char_next(p->text, p->len, &next);
    if (p->next == NEXT_LOWER && u_isupper((UChar32)c) && u_isalpha((UChar32)char_next(p->text, p->len, &next)))
        p->next = NEXT_NAME; /* one letter, then a capital and another letter: "iPad", but not "pH" */
    for (size_t i = 0; i < SENTENCE_WORD_BYTES; i++) { /* the word: letters and apostrophes */
        next = end;
        c = char_next(p->text, p->len, &next);
        if (!u_isalpha((UChar32)c) && c != '\'' && c != 0x2019) break;
        end = next;
    }
    read_word(&p->word, p->text, at, end);
    p->abbreviated = end < p->len && p->text[end] == '.';
}

/* True if sentences often begin with the next word, or with its part before an apostrophe: "L'homme". */
static bool next_is_first(const SentencePosition *p)
{
    char part[SENTENCE_WORD_BYTES];
    const char *apostrophe = strchr(p->word.folded, '\'');
    size_t len = apostrophe ? (size_t)(apostrophe - p->word.folded) + 1 : 0;

    if (p->next != NEXT_UPPER || word_is_capitals(p->word.exact)) return false;
    if (p->abbreviated && word_letters(p->word.exact) == 1) return false;
    if (word_flags(p, &p->word) & WORD_FIRST) return true;
    memcpy(part, p->word.folded, len);
    part[len] = '\0';
    return len && abbreviations_find(p->words, part, part) & WORD_FIRST;
}

/* --- Text before the position. */

/* Skips closing quotes, brackets, emoji, emoticons and footnotes before the position, and the spaces before them.
 * Returns where they begin. */
static size_t skip_closers(const SentencePosition *p)
{
    size_t at = p->left;
    bool passed = false;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = at, note; /* the beginning of a footnote: [12] */
        uint32_t c = char_before(p->text, p->begin, &before);
        if (c == ']') {
            for (note = before; note > p->begin && before - note < 3 && char_is_digit(p->text[note - 1]);) note--;
            if (note > p->begin && note < before && p->text[note - 1] == '[') before = note - 1;
        }
        if (!close_at(p, before, c) && !is_emoji(c) && !(passed && (utf8_is_space(c) || (c && is_ascii_of(c, ":;-(")))))
            break;
        passed = true;
        at = before;
    }
    return at;
}

/* Returns the start of the word that ends at `at`, or `at` if the word is longer than any that matters. */
static size_t word_begin(const SentencePosition *p, size_t at)
{
    size_t begin = at;

    while (at - begin < SENTENCE_WORD_BYTES) {
        size_t before = begin;
        uint32_t c = char_before(p->text, p->begin, &before);
        bool joins = c == '-' || c == '\'' || c == 0x2010 || c == 0x2011 || c == 0x2019;
        if (!joins && (!c || utf8_is_space(c) || is_opener(c) || sentence_is_dense(c))) return begin;
        begin = before;
    }
    return at;
}

/* Sets the fields about the text before the position. */
static void read_before(SentencePosition *p)
{
    size_t at = skip_closers(p), dots = 0;

    p->mark = 0;
    p->strong = false;
    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = at;
        uint32_t c = char_before(p->text, p->begin, &before);
        if (!sentence_is_full_stop(c)) break;
        if (!i) p->mark = c;
        dots += c == '.' ? 1 : c == 0x2026 ? 3 : 0;
        p->strong = p->strong || (c != '.' && c != 0x2026);
        at = before;
    }
    p->dots = dots > 1;
    p->before = (Range){ word_begin(p, at), at };
}

/* Returns the character before the closers (closing quotes and the like) that precede the position. */
static uint32_t mark_before(const SentencePosition *p)
{
    size_t at = skip_closers(p);

    return char_before(p->text, p->begin, &at);
}

/* Returns the end of the word before p->before: skips openers and the white space between them. */
static size_t previous_end(const SentencePosition *p)
{
    size_t end = p->before.begin;

    for (size_t i = 0, before = end; i < CONTEXT_CHARACTERS; i++, end = before) {
        const uint32_t c = char_before(p->text, p->begin, &before);
        if (!utf8_is_space(c) && !is_opener(c)) break;
    }
    return end;
}

/* True if the word before the marks is the first one of its sentence, as the number of a list item is. */
static bool word_is_first(const SentencePosition *p)
{
    return previous_end(p) == p->begin;
}

/* Returns the flags of the word before p->before, and sets *out to the word, with its full stop. Without such a word,
 * *out is empty. */
static unsigned read_previous(const SentencePosition *p, SentenceWord *out)
{
    const size_t end = previous_end(p);

    read_word(out, p->text, word_begin(p, end), end);
    return word_flags(p, out);
}

/* --- Rules.
 *
 * Before the white space come a word, a mark, and possibly closing quotes, brackets and emoji; after it comes the next
 * word. A sentence never begins with a lower-case letter. Otherwise ! and ? end a sentence. A full stop ends one unless
 * the word before it is an abbreviation, an initial or an ordinal number. Many of those can also end a sentence; they
 * do if the next word is one that sentences often begin with. */

#define MAX_CHAIN 4 /* words of an abbreviation: "a. d. S." */
#define MAX_DAY   31

#define BURMESE_COMMA 0x104a /* Unicode counts it among the marks that end sentences */

/* The flags of abbreviations. */
#define ABOUT_STOPS (WORD_NEVER | WORD_NUMBER | WORD_STARTER | WORD_CAPITAL)

/* Whether an ordinal number with a full stop may be here. In languages without a list, such as Turkish, one may be here
 * if a capital or a digit follows; scripts without capitals have no such numbers. */
static bool has_dotted_ordinals(const SentencePosition *p)
{
    return p->words->kinds & WORD_BEFORE_ORDINAL &&
           (p->words->is_known || p->next == NEXT_UPPER || p->next == NEXT_DIGIT);
}

static bool is_roman(const char *word)
{
    return strlen(word) > 1 && strspn(word, "IVX") == strlen(word);
}

/* True for "U.S", "z.B", "Ph.D", "J.-J": groups of one or two letters. Vowel signs do not count: Hindi "कि.मी". */
static bool is_acronym(const char *word)
{
    size_t at = 0, group = 0, groups = 1, len = strlen(word);

    while (at < len) {
        uint32_t c = char_next(word, len, &at);
        if (group && U_GET_GC_MASK((UChar32)c) & U_GC_M_MASK) continue;
        if (c == '.' && group) {
            group = 0;
            groups++;
        } else if (!(c == '-' && !group && groups > 1) && (!u_isalpha((UChar32)c) || ++group > 2)) {
            return false;
        }
    }
    return groups > 1 && group;
}

/* Whether a word has no vowel, so that it is an abbreviation in most languages: "vgl", "Mrd". */
static bool lacks_vowel(const Abbreviations *words, const char *word)
{
    if (words->is_known && words->kinds & NO_VOWEL) return false;
    if (strlen(word) < 2 || strspn(word + 1, "bcdfghjklmnpqrstvwxz") != strlen(word) - 1) return false;
    return strchr("bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ", word[0]) != NULL;
}

/* Joins the words from `begin` to the marks without spaces and returns the flags of the result. A word in capitals
 * ("ID", "CO") can be an ordinary word, so it gets only WORD_NEVER and WORD_NUMBER. If the language is unknown, a
 * single letter gets only WORD_NUMBER, because each letter is a title in some language: French "M.". */
static unsigned flags_from(const SentencePosition *p, size_t begin)
{
    SentenceWord word;
    unsigned flags;

    read_word(&word, p->text, begin, p->before.end);
    if (!*word.exact) return 0;
    flags = word_flags(p, &word) & ABOUT_STOPS;
    if (!p->words->is_known && word_letters(word.exact) == 1) return flags & WORD_NUMBER;
    return word_is_capitals(word.exact) ? flags & (WORD_NEVER | WORD_NUMBER) : flags;
}

/* Returns the start of the short word with a full stop before `begin`, or `begin` if there is none. */
static size_t chain_begin(const SentencePosition *p, size_t begin)
{
    size_t at = begin, start;

    if (!utf8_is_space(char_before(p->text, p->begin, &at))) return begin;
    if (char_before(p->text, p->begin, &at) != '.') return begin;
    start = word_begin(p, at);
    return start < at && at - start <= 12 ? start : begin;
}

/* Returns the flags of the text before the full stop. Tries until one has flags: the word with the short words before
 * it ("z. B.", longest chain first), the word alone, its part after an apostrophe or a hyphen ("l'art. 5"). */
static unsigned stop_flags(const SentencePosition *p)
{
    size_t begins[MAX_CHAIN] = { p->before.begin }, count = 1;
    unsigned flags = 0;

    while (count < MAX_CHAIN) {
        size_t begin = chain_begin(p, begins[count - 1]);
        if (begin == begins[count - 1]) break;
        begins[count++] = begin;
    }
    while (!flags && count) flags = flags_from(p, begins[--count]);
    for (size_t at = p->before.end; !flags && at > p->before.begin;) {
        size_t part = at;
        uint32_t c = char_before(p->text, p->before.begin, &at);
        if (c == '-' || c == '\'' || c == 0x2019) return flags_from(p, part);
    }
    return flags;
}

/* True for a single letter, but not for a Chinese or Korean character, which can be a word. */
static bool is_initial(const char *word)
{
    size_t at = 0;
    uint32_t c = char_next(word, strlen(word), &at);

    return word_letters(word) == 1 && !u_hasBinaryProperty((UChar32)c, UCHAR_IDEOGRAPHIC) &&
           u_getIntPropertyValue((UChar32)c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_NOT_APPLICABLE;
}

/* Whether the full stop after a letter ends a sentence: "than I. Peter", but not "by I. Newton". */
static bool initial_ends(const SentencePosition *p, const SentenceWord *word)
{
    SentenceWord previous;
    unsigned flags;

    if (word_is_first(p) || p->next == NEXT_DIGIT || p->next == NEXT_SYMBOL) return false;
    flags = read_previous(p, &previous);
    if (flags & WORD_BEFORE_LETTER || (flags & WORD_BEFORE_PRONOUN && strcmp(word->exact, "I") == 0)) return true;
    return next_is_first(p);
}

/* Decides whether a number ends its sentence or is an ordinal number with a full stop. */
static bool number_ends(const SentencePosition *p, const char *number)
{
    size_t digits = strlen(number);
    long value = 0;
    SentenceWord previous;
    unsigned flags;

    if (digits < 4 && word_is_first(p)) return false;
    if (digits < 3 && word_flags(p, &p->word) & WORD_DATED) return false;
    if (!has_dotted_ordinals(p) || digits > 3) return true;
    for (size_t i = 0; i < digits; i++) value = value * 10 + (number[i] - '0');
    if (p->next == NEXT_DIGIT) return value > MAX_DAY;
    if (word_flags(p, &p->word) & WORD_DATED) return false;
    if (next_is_first(p)) return true;
    flags = read_previous(p, &previous);
    if (flags & WORD_BEFORE_ORDINAL) return false;
    return flags & WORD_BEFORE_COUNT || strchr(previous.folded, '.') || value > MAX_DAY;
}

/* Whether the full stop after an abbreviation ends a sentence, which it does not in "vol. IV" and "No. B". A word that
 * is an abbreviation only before a number is otherwise an ordinary word: "The answer is no. I left." After "p.m.",
 * unlike "etc.", the sentence may continue even with a word that often begins sentences: "At 5 p.m. I left." */
static bool abbreviation_ends(const SentencePosition *p, const SentenceWord *word, unsigned flags)
{
    unsigned next = word_flags(p, &p->word);
    bool numeral = is_roman(p->word.exact) || strlen(p->word.exact) == 1;

    if (flags & WORD_NEVER || p->next == NEXT_DIGIT || p->next == NEXT_SYMBOL || p->next == NEXT_NAME) return false;
    if (flags & WORD_CAPITAL) return !(next & WORD_AFTER_TIME) || (next & WORD_FIRST && !is_acronym(word->exact));
    if (flags & WORD_NUMBER && !(flags & WORD_STARTER)) return !numeral || next_is_first(p);
    return !(flags & WORD_NUMBER && numeral) && next_is_first(p);
}

/* Whether the marks are after a Thai or Lao letter. These languages use full stops only in abbreviations. */
static bool follows_thai(const SentencePosition *p)
{
    size_t at = p->before.end;
    UErrorCode fault = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript((UChar32)char_before(p->text, p->begin, &at), &fault);

    return script == USCRIPT_THAI || script == USCRIPT_LAO;
}

static bool stop_ends(const SentencePosition *p)
{
    SentenceWord word;
    const char *slash, *hyphen, *number;
    unsigned flags;

    if (follows_thai(p)) return false;
    if (p->before.begin == p->before.end) { /* "the end ." ends a sentence; ". . ." does so only before a WORD_FIRST */
        size_t at = p->before.end;
        if (!utf8_is_space(char_before(p->text, p->begin, &at))) return true;
        return char_before(p->text, p->begin, &at) != '.' || next_is_first(p);
    }
    read_word(&word, p->text, p->before.begin, p->before.end);
    slash = strrchr(word.exact, '/');
    hyphen = strrchr(word.exact, '-');
    number = slash ? slash + 1 : hyphen ? hyphen + 1 : word.exact; /* "5" of "5", "4./5" and "4-5" */
    if (*number && strspn(number, "0123456789") == strlen(number)) return number_ends(p, number);
    if (p->abbreviated) { /* the full stop may be inside an abbreviation: "EE. UU." */
        char exact[2 * SENTENCE_WORD_BYTES], folded[2 * SENTENCE_WORD_BYTES];
        snprintf(exact, sizeof exact, "%s.%s", word.exact, p->word.exact);
        snprintf(folded, sizeof folded, "%s.%s", word.folded, p->word.folded);
        if (abbreviations_find(p->words, exact, folded) & ABOUT_STOPS) return false;
    }
    flags = stop_flags(p);
    if (flags && !(flags == WORD_NUMBER && word_letters(word.exact) == 1)) return abbreviation_ends(p, &word, flags);
    if (is_initial(word.exact)) return initial_ends(p, &word);
    if (is_roman(word.exact) && (word_is_first(p) || has_dotted_ordinals(p)))
        return next_is_first(p) && !word_is_first(p);
    if (is_acronym(word.exact) || lacks_vowel(p->words, word.exact)) return next_is_first(p);
    return true;
}

/* Whether a particle is after a Japanese quotation, so that the sentence goes on. "demo" and "mou" begin a sentence. */
static bool is_particle(const SentencePosition *p)
{
    static const uint32_t particles[] = { 0x3068, 0x3063, 0x3092, 0x306e, 0x304c, 0x306b, 0x3067, 0x3082, 0 };
    size_t at = p->right;
    const uint32_t first = char_next(p->text, p->len, &at), second = char_next(p->text, p->len, &at);

    return is_one_of(first, particles) && !(first == 0x3067 && second == 0x3082) &&
           !(first == 0x3082 && second == 0x3046);
}

/* Whether a mark of Chinese or a related script, which needs no white space after it, ends a sentence. After a Japanese
 * quotation, some particles continue the sentence: 「はい。」と言った, 『けいおん！』を見た. */
static bool full_mark_ends(SentencePosition *p)
{
    size_t at = p->left, next;
    uint32_t before = char_before(p->text, p->begin, &at);

    if (open_at(p, at, before)) return false;
    if ((before == 0x300d || before == 0x300f) && is_particle(p)) return false;
    if (!p->mark) return u_hasBinaryProperty((UChar32)mark_before(p), UCHAR_S_TERM);
    next = skip_openers(p);
    if (!sentence_is_dense(char_next(p->text, p->len, &next))) return false;
    read_after(p);
    return p->mark != '.' || p->dots || p->strong || stop_ends(p);
}

/* Decides whether a sentence ends at the position. Looks at a bounded number of bytes on both sides. */
static bool ends_at(SentencePosition *p)
{
    size_t end;

    read_before(p);
    if (p->found && !p->mark && mark_before(p) == BURMESE_COMMA) return false;
    if (p->left == p->right) return p->found && full_mark_ends(p);
    if (!p->mark && !p->found) return false;
    read_after(p);
    if (p->next == NEXT_NOTHING || p->next == NEXT_LOWER) return false;
    if (!p->mark) return true;
    end = p->before.end;
    if (end > p->begin && is_ascii_of((unsigned char)p->text[end - 1], "([") && skip_closers(p) < p->left)
        return false; /* marks inside brackets: "(!)", "[...]" */
    if (p->strong) return !(p->next == NEXT_UPPER && word_flags(p, &p->word) & WORD_COMPANY);
    if (!p->dots) return stop_ends(p);
    if (p->next == NEXT_DIGIT) return false;
    if (!utf8_is_space(char_before(p->text, p->begin, &end))) return true;
    return p->next == NEXT_LETTER || next_is_first(p); /* an ellipsis after a space may stand for omitted words */
}

struct Sentences {
    char language[8];     /* code of the language, ISO 639-1 or 639-2; "": any language */
    pthread_mutex_t lock; /* protects the field below */
    Abbreviations words;  /* {0} until a text needs them */
};

Status sentences_new(Sentences **out, const char *language, Err *err)
{
    Sentences *s = *out = calloc(1, sizeof *s);

    if (!s) return err_memory(err, "the sentences of a text");
    if (language) snprintf(s->language, sizeof s->language, "%.*s", (int)strcspn(language, "_-"), language);
    pthread_mutex_init(&s->lock, NULL);
    return OK;
}

void sentences_free(Sentences *s)
{
    if (!s) return;
    str_map_free(s->words.flags);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* --- Positions where a sentence may end. */

/* True if ICU has a boundary in (left, right]. `left` must grow with each call; *boundary is the last one read. */
static bool icu_found(UBreakIterator *iterator, size_t *boundary, size_t left, size_t right)
{
    while (*boundary <= left) {
        int32_t next = ubrk_next(iterator);
        *boundary = next == UBRK_DONE ? SIZE_MAX : (size_t)next;
    }
    return *boundary <= right;
}

/* Whether the character ends a line or a paragraph, and so a sentence. */
static bool is_separator(uint32_t c)
{
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Whether letters or digits follow a mark after which ICU may find the end of a sentence. Most lines have a mark only
 * at their end and need no ICU iterator. */
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

/* Skips white space at *at. Sets *separator if a line ends in the white space; otherwise leaves it unchanged. */
static void skip_space(const SentencePosition *p, size_t *at, bool *separator)
{
    for (size_t next = *at; *at < p->len; *at = next) {
        uint32_t c = char_next(p->text, p->len, &next);
        if (!utf8_is_space(c)) break;
        *separator = *separator || is_separator(c);
    }
}

static void read_sentences(SentencePosition *p, UBreakIterator *iterator, RangeList *out)
{
    size_t boundary = 0;

    for (size_t at = p->begin; at < p->len && !out->failed; at = p->right) {
        bool separator = false;
        char_next(p->text, p->len, &at);
        p->left = p->right = at;
        skip_space(p, &p->right, &separator);
        if (p->right >= p->len) break;
        if (p->left < p->right) {
            p->found = icu_found(iterator, &boundary, p->left, p->right);
        } else { /* ICU assigns opening brackets and quotes to the sentence before: its boundary is after them */
            p->found = icu_found(iterator, &boundary, p->left - 1, skip_openers(p));
        }
        if (!separator && !((p->left < p->right || p->found) && ends_at(p))) continue;
        LIST_PUT(out, ((Range){ p->begin, p->left }));
        p->begin = p->right;
    }
    LIST_PUT(out, ((Range){ p->begin, p->len }));
}

/* Opening the iterator takes two microseconds. Cloning one for all texts would be faster, but ubrk_clone() may return
 * one that crashes if memory has run out. ICU's rules are the same for all languages except Greek, which has its own
 * question mark. ICU's lists of abbreviations (ss=standard) are not used: they are short, differ between versions, and
 * take a millisecond to open. */
static Status read_with_icu(Sentences *sentences, SentencePosition *p, RangeList *out, Err *err)
{
    const char *language = sentences->language;
    const bool is_greek = *language && chars_are_among(language, strlen(language), "el ell gre");
    UErrorCode fault = U_ZERO_ERROR;
    UBreakIterator *iterator = NULL;
    UText *utext = NULL;
    Status st = OK;

    pthread_mutex_lock(&sentences->lock);
    if (!sentences->words.flags) st = abbreviations_read(&sentences->words, language, err);
    pthread_mutex_unlock(&sentences->lock);
    if (st == OK) st = quotes_read(&p->quotes, p->text, p->len, err);
    if (st == OK) iterator = ubrk_open(UBRK_SENTENCE, is_greek ? "el" : "en", NULL, 0, &fault);
    if (st == OK && U_SUCCESS(fault)) utext = utext_openUTF8(NULL, p->text, (int64_t)p->len, &fault);
    if (st == OK && U_SUCCESS(fault)) ubrk_setUText(iterator, utext, &fault);
    if (st == OK && fault == U_MEMORY_ALLOCATION_ERROR) st = err_memory(err, "the sentences of a text");
    if (st == OK && U_FAILURE(fault))
        st = err_set(err, ERR_IO, "ICU cannot find sentences: %s; are its data files complete?", u_errorName(fault));
    if (st == OK) read_sentences(p, iterator, out);
    if (iterator) ubrk_close(iterator);
    utext_close(utext);
    free(p->quotes);
    return st;
}

Status sentences_find(Sentences *sentences, const char *text, size_t len, RangeList *out, Err *err)
{
    SentencePosition p = { .words = &sentences->words, .text = text, .len = len };
    bool separator = false;
    Status st = OK;

    for (size_t at = len; at && utf8_is_space(char_before(text, 0, &at));) p.len = at;
    skip_space(&p, &p.begin, &separator);
    if (p.begin < p.len && p.len <= INT32_MAX && has_candidate(text + p.begin, p.len - p.begin))
        st = read_with_icu(sentences, &p, out, err);
    else if (p.begin < p.len)
        LIST_PUT(out, ((Range){ p.begin, p.len }));
    return st == OK ? LIST_CHECK(out, "the sentences of a text", err) : st;
}

/* --- Joining. */

bool sentences_need_space(const char *before, size_t before_len, const char *after, size_t after_len)
{
    size_t at = 0;
    uint32_t last = char_before(before, 0, &before_len), first = char_next(after, after_len, &at);

    if (!last || !first || utf8_is_space(last) || utf8_is_space(first)) return false;
    return !sentence_is_dense(last) && !sentence_is_dense(first);
}

bool sentences_end_in_full_width(const char *text, size_t len)
{
    uint32_t c = char_before(text, 0, &len);

    if (c == 0x2019 || c == 0x201d) c = char_before(text, 0, &len);
    return ((c >= 0x3001 && c <= 0x303f) || (c >= 0xff00 && c <= 0xffef)) && u_ispunct((UChar32)c);
}
