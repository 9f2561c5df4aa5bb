/* markdown_emphasis.c - see markdown_emphasis.h. */
#include "markdown_emphasis.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "markdown_syntax.h"
#include "utf8.h"

#define CLOSER_KINDS 18

typedef struct {
    MarkdownDelimiters *runs;
    MarkdownNodes *nodes;
    uint64_t *key;
    Status status;
    Err *err;
} Matcher;

void markdown_delimiters_free(MarkdownDelimiters *delimiters)
{
    free(delimiters->items);
    free(delimiters->openers);
    *delimiters = (MarkdownDelimiters){ 0 };
}

typedef enum { SIDE_SPACE, SIDE_PUNCTUATION, SIDE_OTHER } Side;

static Side side_of(uint32_t code)
{
    if (utf8_is_space(code)) return SIDE_SPACE;
    if (code == UTF8_INVALID) return SIDE_OTHER;
    if (code < 128) return markdown_is_punctuation((char)code) ? SIDE_PUNCTUATION : SIDE_OTHER;
    return u_ispunct((UChar32)code) || (U_GET_GC_MASK((UChar32)code) & U_GC_S_MASK) ? SIDE_PUNCTUATION : SIDE_OTHER;
}

static Side side_before(const char *text, Range range, size_t at)
{
    uint32_t code;

    if (at == range.begin) return SIDE_SPACE;
    (void)utf8_previous(text + range.begin, at - range.begin, &code);
    return side_of(code);
}

static Side side_after(const char *text, Range range, size_t at)
{
    uint32_t code;

    if (at == range.end) return SIDE_SPACE;
    utf8_next(text + at, range.end - at, &code);
    return side_of(code);
}

typedef struct {
    bool can_open, can_close;
} Flanks;

/* CommonMark, 6.2: "left-flanking", "right-flanking" and rules 1 to 8. */
static Flanks flanks_of(char mark, Side before, Side after)
{
    const bool is_left = after != SIDE_SPACE && (after == SIDE_OTHER || before != SIDE_OTHER);
    const bool is_right = before != SIDE_SPACE && (before == SIDE_OTHER || after != SIDE_OTHER);

    if (mark != '_') return (Flanks){ is_left, is_right };
    return (Flanks){ is_left && (!is_right || before == SIDE_PUNCTUATION),
                     is_right && (!is_left || after == SIDE_PUNCTUATION) };
}

Status markdown_delimiters_add(MarkdownDelimiters *delimiters, const char *text, Range range, size_t at, size_t length,
                               size_t node, Err *err)
{
    const Flanks flanks = flanks_of(text[at], side_before(text, range, at), side_after(text, range, at + length));
    Status st;

    if (text[at] == '~' && length > 2) return OK;
    st = buf_grow_list(&delimiters->items, &delimiters->capacity, delimiters->count, 1, sizeof *delimiters->items,
                       "a text", err);
    if (st == OK)
        delimiters->items[delimiters->count++] =
            (MarkdownDelimiter){ node, length, text[at], flanks.can_open, flanks.can_close };
    return st;
}

/* A span that goes on in another text has a mark at one end only. */
static bool is_mark(const char *open, size_t open_length, const char *close, size_t close_length)
{
    const char *mark = open_length ? open : close;
    const size_t length = open_length ? open_length : close_length;

    if (!length || length > 2 || !strchr("*_~", mark[0]) || mark[0] != mark[length - 1]) return false;
    return !open_length || !close_length || (open_length == close_length && memcmp(open, close, length) == 0);
}

/* Whether a backslash at the end of the text escapes what follows. */
static bool is_escaped(const char *text, size_t length)
{
    size_t start = length;

    while (start && text[start - 1] == '\\') start--;
    return (length - start) % 2 != 0;
}

/* Whether the character before or after a run of marks is not wholly in the bytes that are known. */
static bool is_cut(const MarkPlace *place, size_t before, size_t after)
{
    const size_t left = place->after_length - after;
    uint32_t code = 0;

    if (place->before_length == SPELLING_AHEAD) {
        while (before && ((unsigned char)place->before[before - 1] & 0xc0) == 0x80) before--;
        if (!before) return true;
    }
    if (left) utf8_next(place->after + after, left, &code);
    return place->after_length == SPELLING_AHEAD && (!left || (left < 4 && code == UTF8_INVALID));
}

static bool fits(const MarkPlace *place)
{
    const char mark = place->length ? place->mark[0] : ' ';
    size_t before = place->before_length, after = 0;
    Flanks flanks;

    if (!strchr("*_~", mark)) return true;
    while (before && place->before[before - 1] == mark) before--;
    before += is_escaped(place->before, before) && before < place->before_length;
    while (after < place->after_length && place->after[after] == mark) after++;
    if (place->is_empty) return false;
    if (is_cut(place, before, after)) return true;
    if (place->follows_same && !(place->context & MARKDOWN_MARKS) &&
        (place->before_length - before + place->length + after) % 3 != 0)
        return false;
    if (mark == '~' && place->before_length - before + after) return false;
    flanks = flanks_of(mark, side_before(place->before, (Range){ 0, before }, before),
                       side_after(place->after, (Range){ after, place->after_length }, after));
    return place->closes ? flanks.can_close : flanks.can_open;
}

static bool may_pass(uint32_t code)
{
    return side_of(code) != SIDE_OTHER;
}

static const char *replace(const char *mark, size_t length, bool closes, unsigned attempt)
{
    if (mark[0] == '_' && attempt == 1) return length == 2 ? "**" : "*";
    if (mark[0] == '~') return closes ? "</del>" : "<del>";
    if (length == 2) return closes ? "</strong>" : "<strong>";
    return closes ? "</em>" : "<em>";
}

const MarkRules markdown_emphasis_marks = { is_mark, fits, may_pass, replace };

/* Adds one end of a span. */
static void add(Matcher *m, MarkdownKind kind, size_t begin, size_t end)
{
    if (m->status == OK) m->status = markdown_nodes_add(m->nodes, kind, begin, end, m->err);
    if (m->status == OK) m->nodes->items[m->nodes->count - 1].key = *m->key;
}

static Range *rest_of(const Matcher *m, const MarkdownDelimiter *delimiter)
{
    return &m->nodes->items[delimiter->node].bytes;
}

static size_t left_of(const Matcher *m, const MarkdownDelimiter *delimiter)
{
    return rest_of(m, delimiter)->end - rest_of(m, delimiter)->begin;
}

/* CommonMark's rules 9 and 10: "multiple of 3". */
static bool are_partners(const MarkdownDelimiter *opener, const MarkdownDelimiter *closer)
{
    if (opener->mark != closer->mark) return false;
    if (opener->mark == '~') return opener->length == closer->length;
    if (!closer->can_open && !opener->can_close) return true;
    return closer->length % 3 == 0 || (opener->length + closer->length) % 3 != 0;
}

/* Makes a span of the last marks of the opener and the first ones of the closer. */
static void add_emphasis(Matcher *m, const MarkdownDelimiter *opener, const MarkdownDelimiter *closer)
{
    const bool is_double = left_of(m, opener) >= 2 && left_of(m, closer) >= 2;
    const size_t length = opener->mark == '~' ? opener->length : is_double ? 2 : 1;
    const size_t end = rest_of(m, opener)->end -= length;
    const size_t begin = (rest_of(m, closer)->begin += length) - length;

    ++*m->key;
    add(m, MARKDOWN_OPEN, end, end + length);
    add(m, MARKDOWN_CLOSE, begin, begin + length);
}

static void push_opener(Matcher *m, size_t index)
{
    if (m->status == OK)
        m->status = buf_grow_list(&m->runs->openers, &m->runs->opener_capacity, m->runs->opener_count, 1,
                                  sizeof *m->runs->openers, "a text", m->err);
    if (m->status == OK) m->runs->openers[m->runs->opener_count++] = index;
}

static size_t bottom_slot(const MarkdownDelimiter *d)
{
    return (d->mark == '*' ? 0u : d->mark == '_' ? 6u : 12u) + (d->can_open ? 3u : 0u) + d->length % 3;
}

/* Matches the closer with openers until nothing is left of it, or no opener fits. bottoms[CLOSER_KINDS]: for each kind
 * of closer, the delimiter before which there is no opener for it. */
static void match_closer(Matcher *m, size_t index, size_t *bottoms)
{
    const MarkdownDelimiter *closer = &m->runs->items[index];
    size_t *bottom = &bottoms[bottom_slot(closer)];

    while (m->status == OK && left_of(m, closer)) {
        size_t found = m->runs->opener_count;
        while (found && m->runs->openers[found - 1] >= *bottom &&
               !are_partners(&m->runs->items[m->runs->openers[found - 1]], closer))
            found--;
        if (!found || m->runs->openers[found - 1] < *bottom) {
            *bottom = index;
            return;
        }
        add_emphasis(m, &m->runs->items[m->runs->openers[found - 1]], closer);
        m->runs->opener_count = left_of(m, &m->runs->items[m->runs->openers[found - 1]]) ? found : found - 1;
    }
}

Status markdown_delimiters_match(MarkdownDelimiters *delimiters, size_t first, MarkdownNodes *nodes, uint64_t *key,
                                 Err *err)
{
    Matcher m = { delimiters, nodes, key, OK, err };
    size_t bottoms[CLOSER_KINDS];

    for (size_t i = 0; i < CLOSER_KINDS; i++) bottoms[i] = first;
    delimiters->opener_count = 0;
    for (size_t i = first; m.status == OK && i < delimiters->count; i++) {
        const MarkdownDelimiter *run = &delimiters->items[i];
        if (run->can_close) match_closer(&m, i, bottoms);
        if (run->can_open && left_of(&m, run)) push_opener(&m, i);
    }
    delimiters->count = first;
    return m.status;
}
