/* sentences.c - see sentences.h. */
#include "sentences.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include "buf.h"
#include "quotes.h"
#include "sentence_context.h"
#include "sentence_text.h"
#include "utf8.h"

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

/* --- ICU --------------------------------------------------------------------- */

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

static Status read_words(Sentences *s, Err *err)
{
    Status st = OK;

    pthread_mutex_lock(&s->lock);
    if (!s->words) st = abbreviations_new(&s->words, s->language, err);
    pthread_mutex_unlock(&s->lock);
    return st;
}

/* Opening takes two microseconds. Cloning one iterator for all texts would be faster, but ubrk_clone() may return one
 * that crashes if memory has run out. */
static Status open_iterator(UBreakIterator **out, const char *language, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;

    *out = ubrk_open(UBRK_SENTENCE, locale_of(language), NULL, 0, &fault);
    return U_FAILURE(fault) ? icu_fault(fault, err) : OK;
}

/* --- Candidates -------------------------------------------------------------- */

/* A text and the sentences found so far. */
typedef struct {
    Sentences *owner;
    const char *text;
    size_t len; /* without trailing white space */
    unsigned char *quotes;
    UBreakIterator *iterator;
    size_t boundary; /* ICU's next boundary that has not been passed */
    Range *ranges;
    size_t count, room;
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
        uint32_t c = sentence_next(r->text, r->len, &next);
        if (!context_open_at(position, right, c)) break;
        right = next;
    }
    return icu_found(r, position->left - 1, right);
}

static Status add_range(Reader *r, size_t begin, size_t end, Err *err)
{
    Status st = buf_grow_list(&r->ranges, &r->room, r->count, 1, sizeof *r->ranges, "the sentences of a text", err);

    if (st != OK) return st;
    r->ranges[r->count++] = (Range){ begin, end };
    return OK;
}

/* True for the end of a line or paragraph, even within a line. */
static bool is_separator(uint32_t c)
{
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* True for marks after which ICU may find the end of a sentence. */
static bool is_mark(uint32_t c)
{
    if (c < 0x80) return c == '.' || c == '!' || c == '?' || c == ';' || is_separator(c);
    return is_separator(c) || sentence_is_full_stop(c) || c == 0x37e || u_hasBinaryProperty((UChar32)c, UCHAR_S_TERM);
}

/* Most lines have a mark only at their end and need no iterator. */
static bool has_candidate(const char *text, size_t len)
{
    bool mark = false;

    for (size_t at = 0; at < len;) {
        uint32_t c = sentence_next(text, len, &at);
        if (is_mark(c))
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
        uint32_t c = sentence_next(r->text, r->len, &next);
        if (!utf8_is_space(c)) break;
        *separator = *separator || is_separator(c);
    }
}

static Status read_ranges(Reader *r, size_t begin, Err *err)
{
    Status st = OK;
    size_t at = begin;

    while (st == OK && at < r->len) {
        SentencePosition position = {
            .words = r->owner->words, .text = r->text, .len = r->len, .quotes = r->quotes, .begin = begin
        };
        bool separator = false;
        sentence_next(r->text, r->len, &at);
        position.left = position.right = at;
        skip_space(r, &position.right, &separator);
        if (position.right >= r->len) break;
        position.found =
            position.left < position.right ? icu_found(r, position.left, position.right) : icu_found_here(r, &position);
        at = position.right;
        if (!separator && !(position.left < position.right || position.found)) continue;
        if (!separator && !sentence_ends_at(&position)) continue;
        st = add_range(r, begin, position.left, err);
        begin = at;
    }
    return st == OK ? add_range(r, begin, r->len, err) : st;
}

static Status read_with_icu(Reader *r, size_t begin, Err *err)
{
    UErrorCode fault = U_ZERO_ERROR;
    UText *utext = NULL;
    Status st = read_words(r->owner, err);

    if (st == OK) st = open_iterator(&r->iterator, r->owner->language, err);
    if (st == OK) st = quotes_read(&r->quotes, r->text, r->len, err);
    if (st == OK) utext = utext_openUTF8(NULL, r->text, (int64_t)r->len, &fault);
    if (st == OK && U_SUCCESS(fault)) ubrk_setUText(r->iterator, utext, &fault);
    if (U_FAILURE(fault)) st = icu_fault(fault, err);
    if (st == OK) st = read_ranges(r, begin, err);
    if (r->iterator) ubrk_close(r->iterator);
    utext_close(utext);
    free(r->quotes);
    return st;
}

static size_t without_space_at_end(const char *text, size_t len)
{
    size_t end = len;

    while (len) {
        if (!utf8_is_space(sentence_before(text, 0, &len))) break;
        end = len;
    }
    return end;
}

Status sentences_find(Sentences *sentences, const char *text, size_t len, Range **out, size_t *count, Err *err)
{
    Reader r = { .owner = sentences, .text = text, .len = without_space_at_end(text, len) };
    bool separator = false;
    size_t begin = 0;
    Status st = OK;

    skip_space(&r, &begin, &separator);
    if (begin < r.len && r.len <= INT32_MAX && has_candidate(text + begin, r.len - begin))
        st = read_with_icu(&r, begin, err);
    else if (begin < r.len)
        st = add_range(&r, begin, r.len, err);
    if (st != OK) {
        free(r.ranges);
        r = (Reader){ 0 };
    }
    *out = r.ranges;
    *count = r.count;
    return st;
}

/* --- Joining ------------------------------------------------------------------ */

bool sentences_need_space(const char *before, size_t before_len, const char *after, size_t after_len)
{
    size_t at = 0;
    uint32_t last = sentence_before(before, 0, &before_len), first = sentence_next(after, after_len, &at);

    if (!last || !first || utf8_is_space(last) || utf8_is_space(first)) return false;
    return !sentence_is_dense(last) && !sentence_is_dense(first);
}
