/* sentence_context.c - see sentence_context.h. */
#include "sentence_context.h"

#include <string.h>
#include <unicode/uchar.h>

#include "quotes.h"
#include "utf8.h"

unsigned context_word_flags(const SentenceContext *s, const SentenceWord *word)
{
    return abbreviations_find(s->position->words, word->exact, word->folded);
}

bool context_open_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return u_charType((UChar32)c) == U_START_PUNCTUATION || (quotes_is_mark(c) && !quotes_close(p->quotes, at));
}

bool context_close_at(const SentencePosition *p, size_t at, uint32_t c)
{
    return quotes_is_mark(c) ? quotes_close(p->quotes, at) : sentence_is_closer(c);
}

uint32_t context_after_openers(const SentencePosition *p)
{
    size_t at = p->right;
    uint32_t c = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t start = at;
        c = sentence_next(p->text, p->len, &at);
        if (!context_open_at(p, start, c)) break;
    }
    return c;
}

/* --- Text after the position ---------------------------------------------------- */

static bool is_lower(uint32_t c)
{
    return u_islower((UChar32)c) && (uint32_t)u_totitle((UChar32)c) != c; /* Georgian has no capitals */
}

static Next kind_of(uint32_t c)
{
    if (!c) return NEXT_NOTHING;
    if (is_lower(c)) return NEXT_LOWER;
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
        uint32_t c = sentence_next(p->text, p->len, &at);
        if (!i && (c == '*' || c == '_')) return false;
        if (!c || (i && utf8_is_space(c))) return true;
        if (!context_close_at(p, start, c) && !sentence_is_full_stop(c)) return false;
    }
    return false;
}

/* Returns the letter or digit after openers; spaces between them are skipped. */
static uint32_t first_character(const SentencePosition *p, size_t *at)
{
    uint32_t c = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t next = *at;
        c = sentence_next(p->text, p->len, &next);
        if (!c || !(sentence_is_opener(c) || sentence_is_full_stop(c) || (i && utf8_is_space(c)))) break;
        *at = next;
    }
    return c;
}

/* True for an item of a list in upper or lower case: "b) Second". */
static bool is_item(const SentencePosition *p, size_t at)
{
    sentence_next(p->text, p->len, &at);
    return at < p->len && p->text[at] == ')';
}

/* True for "iPad": one letter, then a capital and another letter. "pH" is an ordinary word. */
static bool is_name(const SentencePosition *p, size_t at)
{
    uint32_t second;

    sentence_next(p->text, p->len, &at);
    second = sentence_next(p->text, p->len, &at);
    return u_isupper((UChar32)second) && u_isalpha((UChar32)sentence_next(p->text, p->len, &at));
}

/* Returns the end of the letters, and of an apostrophe among them. */
static size_t word_end(const SentencePosition *p, size_t at)
{
    for (size_t i = 0; i < SENTENCE_WORD_BYTES; i++) {
        size_t next = at;
        uint32_t c = sentence_next(p->text, p->len, &next);
        if (!u_isalpha((UChar32)c) && c != '\'' && c != 0x2019) break;
        at = next;
    }
    return at;
}

void context_read_after(SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = p->right, after_first = at, end;
    uint32_t first = sentence_next(p->text, p->len, &after_first);

    s->next = NEXT_NOTHING;
    if (first == ',' || first == ';' || first == ':' || sentence_is_emoji(first) || closes_alone(p)) return;
    s->next = kind_of(first_character(p, &at));
    if (s->next == NEXT_LOWER && is_item(p, at)) s->next = NEXT_UPPER;
    if (s->next == NEXT_LOWER && is_name(p, at)) s->next = NEXT_NAME;
    end = word_end(p, at);
    sentence_read_word(&s->word, p->text, at, end);
    s->abbreviated = end < p->len && p->text[end] == '.';
}

bool context_next_is_first(const SentenceContext *s)
{
    char part[SENTENCE_WORD_BYTES];
    const char *apostrophe = strchr(s->word.folded, '\'');
    size_t len = apostrophe ? (size_t)(apostrophe - s->word.folded) + 1 : 0;

    if (s->next != NEXT_UPPER || sentence_word_is_capitals(s->word.exact)) return false;
    if (s->abbreviated && sentence_word_letters(s->word.exact) == 1) return false;
    if (context_word_flags(s, &s->word) & WORD_FIRST) return true;
    memcpy(part, s->word.folded, len);
    part[len] = '\0';
    return len && abbreviations_find(s->position->words, part, part) & WORD_FIRST;
}

/* --- Text before the position --------------------------------------------------- */

static bool is_one_of(uint32_t c, const char *characters)
{
    return c && c < 0x80 && strchr(characters, (int)c);
}

/* Returns the start of the footnote "[12]" that ends at `at`, or `at`. */
static size_t skip_footnote(const SentencePosition *p, size_t at)
{
    size_t start = at;

    if (at == p->begin || p->text[--start] != ']') return at;
    for (size_t i = 0; i < 3 && start > p->begin && u_isdigit((UChar32)(unsigned char)p->text[start - 1]); i++) start--;
    return start > p->begin && p->text[start - 1] == '[' && p->text[start] != ']' ? start - 1 : at;
}

size_t context_skip_closers(const SentencePosition *p)
{
    size_t at = p->left;
    bool passed = false;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = skip_footnote(p, at);
        uint32_t c = before < at ? ']' : sentence_before(p->text, p->begin, &before);
        bool closes = context_close_at(p, before, c) || sentence_is_emoji(c);
        if (!closes && !(passed && (utf8_is_space(c) || is_one_of(c, ":;-(")))) break;
        passed = true;
        at = before;
    }
    return at;
}

static bool ends_word(uint32_t c)
{
    if (c == '-' || c == '\'' || c == 0x2010 || c == 0x2011 || c == 0x2019) return false;
    return !c || utf8_is_space(c) || sentence_is_opener(c);
}

size_t context_word_begin(const SentencePosition *p, size_t at)
{
    size_t begin = at;

    while (at - begin < SENTENCE_WORD_BYTES) {
        size_t before = begin;
        if (ends_word(sentence_before(p->text, p->begin, &before))) return begin;
        begin = before;
    }
    return at;
}

void context_read_before(SentenceContext *s)
{
    const SentencePosition *p = s->position;
    size_t at = context_skip_closers(p), dots = 0;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = at;
        uint32_t c = sentence_before(p->text, p->begin, &before);
        if (!sentence_is_full_stop(c)) break;
        if (!i) s->mark = c;
        dots += c == '.' ? 1 : c == 0x2026 ? 3 : 0;
        s->strong = s->strong || (c != '.' && c != 0x2026);
        at = before;
    }
    s->dots = dots > 1;
    s->end = at;
    s->begin = context_word_begin(p, at);
}

bool context_are_bracketed(const SentenceContext *s)
{
    return s->end > s->position->begin && is_one_of((unsigned char)s->position->text[s->end - 1], "([") &&
           context_skip_closers(s->position) < s->position->left;
}

bool context_word_is_first(const SentenceContext *s)
{
    size_t at = s->begin;

    for (size_t i = 0; i < CONTEXT_CHARACTERS && at > s->position->begin; i++) {
        uint32_t c = sentence_before(s->position->text, s->position->begin, &at);
        if (!sentence_is_opener(c) && !utf8_is_space(c)) return false;
    }
    return at == s->position->begin;
}

void context_read_previous(const SentenceContext *s, SentenceWord *out)
{
    const SentencePosition *p = s->position;
    size_t end = s->begin;

    for (size_t i = 0; i < CONTEXT_CHARACTERS; i++) {
        size_t before = end;
        uint32_t c = sentence_before(p->text, p->begin, &before);
        if (!utf8_is_space(c) && !sentence_is_opener(c)) break;
        end = before;
    }
    sentence_read_word(out, p->text, context_word_begin(p, end), end);
}
