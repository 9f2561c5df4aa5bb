/* quotes.c - see quotes.h.
 * White space and punctuation decide first: a mark after a space and before a letter opens; one after a letter and
 * before a space closes. Where they do not decide, as in Chinese and in « French », a mark closes if the same line
 * has an open mark that it can close: „ before “, » before «. */
#include "quotes.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>

#include "sentence_text.h"
#include "utf8.h"

typedef struct {
    uint32_t mark;
    uint32_t closes[4]; /* the marks that it can close */
    bool opens;         /* if nothing else decides */
} Kind;

static const Kind kinds[] = {
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

static size_t kind_of(uint32_t c)
{
    size_t i = 0;

    if (c != '"' && c != '\'' && c != 0xab && c != 0xbb && (c < 0x2018 || c > 0x203a)) return KINDS;
    while (i < KINDS && kinds[i].mark != c) i++;
    return i;
}

bool quotes_is_mark(uint32_t c)
{
    return kind_of(c) < KINDS;
}

bool quotes_close(const unsigned char *quotes, size_t at)
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
} Position;

static Position position_of(uint32_t before, bool before_opens, uint32_t after)
{
    bool free_before =
        before_opens || utf8_is_space(before) || sentence_is_dash(before) || is_ascii_of(before, "([{*_/");
    bool free_after = utf8_is_space(after) || is_ascii_of(after, ")]}.,;:!?*_\"'") || after == 0x201d ||
                      after == 0x2019 || after == 0xbb || after == 0x203a;

    return (Position){ free_before && !free_after, free_after && !free_before && !sentence_is_dense(before) };
}

/* Returns the open mark that this kind closes, or KINDS if there is none. */
static size_t opened_for(const Kind *kind, const size_t *open)
{
    for (size_t i = 0; i < sizeof kind->closes / sizeof *kind->closes && kind->closes[i]; i++) {
        size_t other = kind_of(kind->closes[i]);
        if (other < KINDS && open[other]) return other;
    }
    return KINDS;
}

/* „ and ‚ always open; an apostrophe between letters is not a quotation mark. */
static bool closes_here(size_t k, Position position, size_t *open)
{
    size_t opened = opened_for(&kinds[k], open);
    bool closes;

    if (!kinds[k].closes[0])
        closes = false;
    else if (position.opens || position.closes)
        closes = position.closes;
    else
        closes = opened < KINDS || !kinds[k].opens;
    if (!closes)
        open[k]++;
    else if (opened < KINDS)
        open[opened]--;
    return closes;
}

static void read_marks(unsigned char *quotes, const char *text, size_t len)
{
    size_t open[KINDS] = { 0 };
    uint32_t before = 0;
    bool before_opens = true;

    for (size_t at = 0, next = 0; at < len; at = next) {
        uint32_t c = sentence_next(text, len, &next), after;
        size_t k = kind_of(c), following = next;
        bool closes = false;
        if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029) memset(open, 0, sizeof open);
        if (k < KINDS) {
            after = sentence_next(text, len, &following);
            bool apostrophe = (c == '\'' || c == 0x2019) && u_isalpha((UChar32)before) && u_isalpha((UChar32)after) &&
                              !sentence_is_dense(before);
            closes = !apostrophe && closes_here(k, position_of(before, before_opens, after), open);
            if (closes) quotes[at / 8] |= (unsigned char)(1u << at % 8);
        }
        before = c;
        before_opens = k < KINDS && !closes;
    }
}

Status quotes_read(unsigned char **out, const char *text, size_t len, Err *err)
{
    *out = calloc(len / 8 + 1, 1);
    if (!*out) return err_memory(err, "the quotation marks of a text");
    read_marks(*out, text, len);
    return OK;
}
