/* markdown_inline.c - see markdown_inline.h. The method is that of the appendix of CommonMark: delimiter runs (* _ ~)
 * and opening brackets are text at first and become spans when their other end is found. */
#include "markdown_inline.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "document.h"
#include "markdown_syntax.h"
#include "utf8.h"

#define LONGEST_CODE_MARK 80

typedef struct {
    size_t node, length; /* as it was found */
    char mark;
    bool can_open, can_close;
} Delimiter;

typedef struct {
    size_t node, delimiter; /* delimiters before it */
    bool is_image;
} Bracket;

typedef struct {
    const MarkdownInput *input;
    const char *text;
    size_t end;
    MarkdownNodes *nodes;
    Delimiter *delimiters; /* [delimiter_count] */
    size_t delimiter_count, delimiter_capacity;
    size_t *openers; /* [opener_count], delimiters that can still open a span */
    size_t opener_count, opener_capacity;
    Bracket *brackets; /* [bracket_count] */
    size_t bracket_count, bracket_capacity;
    size_t inactive;                        /* brackets before this one open no links: links do not nest */
    bool lacks_code[LONGEST_CODE_MARK + 1]; /* no such run of backticks follows */
    uint64_t key;
    Status status;
    Err *err;
} InlineParser;

Status markdown_labels_add(MarkdownLabels *labels, uint64_t key, Err *err)
{
    Status st = buf_grow_list(&labels->keys, &labels->capacity, labels->count, 1, sizeof *labels->keys, "labels", err);

    if (st == OK) labels->keys[labels->count++] = key;
    return st;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

void markdown_labels_sort(MarkdownLabels *labels)
{
    if (labels->count) qsort(labels->keys, labels->count, sizeof *labels->keys, compare_keys);
}

static bool is_defined(const InlineParser *p, ByteRange label)
{
    const MarkdownLabels *labels = p->input->labels;
    const uint64_t key = markdown_label_key(p->text, label);

    return labels->count && bsearch(&key, labels->keys, labels->count, sizeof key, compare_keys);
}

/* Returns the new node, or NULL. */
static MarkdownNode *add(InlineParser *p, MarkdownKind kind, size_t begin, size_t end)
{
    MarkdownNodes *nodes = p->nodes;

    if (p->status == OK && nodes->count == UNIT_PARTS)
        p->status = err_set(p->err, ERR_FORMAT, "a text of more than %zu parts", UNIT_PARTS);
    if (p->status == OK)
        p->status =
            buf_grow_list(&nodes->items, &nodes->capacity, nodes->count, 1, sizeof *nodes->items, "a text", p->err);
    if (p->status != OK) return NULL;
    nodes->items[nodes->count] = (MarkdownNode){ .kind = kind, .bytes = { begin, end } };
    return &nodes->items[nodes->count++];
}

static size_t add_text(InlineParser *p, size_t begin, size_t end)
{
    add(p, MARKDOWN_TEXT, begin, end);
    return end;
}

static size_t add_spelled(InlineParser *p, const char *text, size_t size, size_t begin, size_t end)
{
    MarkdownNode *node = add(p, MARKDOWN_SPELLED, begin, end);

    if (!node) return end;
    memcpy(node->text, text, size);
    node->size = size;
    return end;
}

static size_t read_escape(InlineParser *p, size_t at)
{
    if (at + 1 == p->end) return add_text(p, at, at + 1);
    if (p->text[at + 1] == '\n' && !p->input->is_title) {
        add(p, MARKDOWN_HARD, at, at + 2);
        return at + 2;
    }
    if (!markdown_is_punctuation(p->text[at + 1])) return add_text(p, at, at + 1);
    return add_spelled(p, p->text + at + 1, 1, at, at + 2);
}

static size_t read_reference(InlineParser *p, size_t at)
{
    char text[HTML_ENTITY_BYTES];
    size_t size;
    const size_t length = html_entity_read(p->text + at, p->end - at, false, text, &size);

    if (!length || p->text[at + length - 1] != ';') return add_text(p, at, at + 1);
    return add_spelled(p, text, size, at, at + length);
}

/* Blanks before the newline belong to the break; two or more spaces make it a hard one. */
static size_t read_newline(InlineParser *p, size_t at)
{
    MarkdownNode *last = p->nodes->count ? &p->nodes->items[p->nodes->count - 1] : NULL;
    size_t begin = at;
    bool is_hard;

    if (last && last->kind == MARKDOWN_TEXT)
        while (begin > last->bytes.begin && markdown_is_blank(p->text[begin - 1])) begin--;
    if (last && begin < at) last->bytes.end = begin;
    is_hard = !p->input->is_title && at - begin >= 2 && p->text[at - 1] == ' ' && p->text[at - 2] == ' ';
    add(p, is_hard ? MARKDOWN_HARD : MARKDOWN_BREAK, begin, at + 1);
    return at + 1;
}

static size_t run_end(const InlineParser *p, size_t at)
{
    const char mark = p->text[at];

    while (at < p->end && p->text[at] == mark) at++;
    return at;
}

/* Adds the contents of code, or of an address in <>. */
static void add_raw(InlineParser *p, size_t begin, size_t end)
{
    for (size_t at = begin, next; at < end; at = next) {
        const char *found =
            p->text[at] == '\\' && p->input->is_cell && at + 1 < end && p->text[at + 1] == '|' ? p->text + at : NULL;
        MarkdownNode *node;
        if (found) {
            next = add_spelled(p, "|", 1, at, at + 2);
        } else if (p->text[at] == '\n') {
            add(p, MARKDOWN_BREAK, at, next = at + 1);
        } else {
            for (next = at + 1; next < end && p->text[next] != '\n' && p->text[next] != '\\';) next++;
            add_text(p, at, next);
        }
        if (p->status != OK) return;
        node = &p->nodes->items[p->nodes->count - 1];
        node->is_kept = node->is_raw = true;
    }
}

/* Adds a span of raw text between [begin, inner.begin) and [inner.end, end). */
static void add_raw_span(InlineParser *p, size_t begin, ByteRange inner, size_t end)
{
    MarkdownNode *node = add(p, MARKDOWN_OPEN, begin, inner.begin);

    if (node) node->key = ++p->key;
    add_raw(p, inner.begin, inner.end);
    node = add(p, MARKDOWN_CLOSE, inner.end, end);
    if (node) node->key = p->key;
}

static size_t read_code(InlineParser *p, size_t at)
{
    const size_t begin = run_end(p, at), length = begin - at;

    if (length > LONGEST_CODE_MARK || p->lacks_code[length]) return add_text(p, at, begin);
    for (size_t i = begin, next; i < p->end; i = next) {
        const char *found = memchr(p->text + i, '`', p->end - i);
        if (!found) break;
        i = (size_t)(found - p->text);
        next = run_end(p, i);
        if (next - i != length) continue;
        add_raw_span(p, at, (ByteRange){ begin, i }, next);
        return next;
    }
    p->lacks_code[length] = true;
    return add_text(p, at, begin);
}

static size_t read_angle(InlineParser *p, size_t at)
{
    size_t end = markdown_read_autolink(p->text, at, p->end);
    const bool is_tag = at + 1 < p->end && (markdown_is_letter(p->text[at + 1]) || p->text[at + 1] == '/');

    if (end > at) {
        add_raw_span(p, at, (ByteRange){ at + 1, end - 1 }, end);
        return end;
    }
    end = markdown_read_html(p->text, at, p->end);
    if (end == at) return add_text(p, at, at + 1);
    add(p, is_tag ? MARKDOWN_TAG : MARKDOWN_EMPTY, at, end);
    return end;
}

typedef enum { SIDE_SPACE, SIDE_PUNCTUATION, SIDE_OTHER } Side;

static Side side_of(uint32_t code)
{
    if (utf8_is_space(code)) return SIDE_SPACE;
    if (code == UTF8_INVALID) return SIDE_OTHER;
    if (code < 128) return markdown_is_punctuation((char)code) ? SIDE_PUNCTUATION : SIDE_OTHER;
    return u_ispunct((UChar32)code) || (U_GET_GC_MASK((UChar32)code) & U_GC_S_MASK) ? SIDE_PUNCTUATION : SIDE_OTHER;
}

static Side side_before(const InlineParser *p, size_t at)
{
    size_t i = at;
    uint32_t code;

    if (at == p->input->range.begin) return SIDE_SPACE;
    do i--;
    while (i > p->input->range.begin && ((unsigned char)p->text[i] & 0xc0) == 0x80);
    utf8_next(p->text + i, at - i, &code);
    return side_of(code);
}

static Side side_after(const InlineParser *p, size_t at)
{
    uint32_t code;

    if (at == p->end) return SIDE_SPACE;
    utf8_next(p->text + at, p->end - at, &code);
    return side_of(code);
}

static size_t read_delimiters(InlineParser *p, size_t at)
{
    const size_t end = run_end(p, at);
    const Side before = side_before(p, at), after = side_after(p, end);
    const bool is_left = after != SIDE_SPACE && (after == SIDE_OTHER || before != SIDE_OTHER);
    const bool is_right = before != SIDE_SPACE && (before == SIDE_OTHER || after != SIDE_OTHER);
    Delimiter delimiter = { p->nodes->count, end - at, p->text[at], is_left, is_right };

    if (delimiter.mark == '_') {
        delimiter.can_open = is_left && (!is_right || before == SIDE_PUNCTUATION);
        delimiter.can_close = is_right && (!is_left || after == SIDE_PUNCTUATION);
    }
    add_text(p, at, end);
    if (p->status != OK || (delimiter.mark == '~' && delimiter.length > 2)) return end;
    p->status = buf_grow_list(&p->delimiters, &p->delimiter_capacity, p->delimiter_count, 1, sizeof *p->delimiters,
                              "a text", p->err);
    if (p->status == OK) p->delimiters[p->delimiter_count++] = delimiter;
    return end;
}

static ByteRange *rest_of(const InlineParser *p, const Delimiter *delimiter)
{
    return &p->nodes->items[delimiter->node].bytes;
}

static size_t left_of(const InlineParser *p, const Delimiter *delimiter)
{
    return rest_of(p, delimiter)->end - rest_of(p, delimiter)->begin;
}

/* CommonMark's rules 9 and 10: "multiple of 3". */
static bool are_partners(const Delimiter *opener, const Delimiter *closer)
{
    if (opener->mark != closer->mark) return false;
    if (opener->mark == '~') return opener->length == closer->length;
    if (!closer->can_open && !opener->can_close) return true;
    return closer->length % 3 == 0 || (opener->length + closer->length) % 3 != 0;
}

/* Makes a span of the last marks of the opener and the first ones of the closer. */
static void add_emphasis(InlineParser *p, const Delimiter *opener, const Delimiter *closer)
{
    const bool is_double = left_of(p, opener) >= 2 && left_of(p, closer) >= 2;
    const size_t length = opener->mark == '~' ? opener->length : is_double ? 2 : 1;
    const size_t end = rest_of(p, opener)->end -= length;
    const size_t begin = (rest_of(p, closer)->begin += length) - length;
    MarkdownNode *node = add(p, MARKDOWN_OPEN, end, end + length);

    if (node) node->key = ++p->key;
    node = add(p, MARKDOWN_CLOSE, begin, begin + length);
    if (node) node->key = p->key;
}

static size_t push_opener(InlineParser *p, size_t index)
{
    if (p->status == OK)
        p->status =
            buf_grow_list(&p->openers, &p->opener_capacity, p->opener_count, 1, sizeof *p->openers, "a text", p->err);
    if (p->status == OK) p->openers[p->opener_count++] = index;
    return index + 1;
}

static size_t bottom_slot(const Delimiter *d)
{
    return (d->mark == '*' ? 0u : d->mark == '_' ? 6u : 12u) + (d->can_open ? 3u : 0u) + d->length % 3;
}

/* Matches the closer with openers until nothing is left of it, or no opener fits. bottoms[18]: for each kind of closer,
 * the delimiter before which there is no opener for it. */
static void match_closer(InlineParser *p, size_t index, size_t *bottoms)
{
    const Delimiter *closer = &p->delimiters[index];
    size_t *bottom = &bottoms[bottom_slot(closer)];

    while (p->status == OK && left_of(p, closer)) {
        size_t found = p->opener_count;
        while (found && p->openers[found - 1] >= *bottom &&
               !are_partners(&p->delimiters[p->openers[found - 1]], closer))
            found--;
        if (!found || p->openers[found - 1] < *bottom) {
            *bottom = index;
            return;
        }
        add_emphasis(p, &p->delimiters[p->openers[found - 1]], closer);
        p->opener_count = left_of(p, &p->delimiters[p->openers[found - 1]]) ? found : found - 1;
    }
}

/* Finds the spans among the delimiters from `first` on, and removes these. */
static void match_emphasis(InlineParser *p, size_t first)
{
    size_t bottoms[18];

    for (size_t i = 0; i < 18; i++) bottoms[i] = first;
    p->opener_count = 0;
    for (size_t i = first; p->status == OK && i < p->delimiter_count; i++) {
        if (p->delimiters[i].can_close) match_closer(p, i, bottoms);
        if (p->status == OK && p->delimiters[i].can_open && left_of(p, &p->delimiters[i])) push_opener(p, i);
    }
    p->delimiter_count = first;
}

static size_t read_open_bracket(InlineParser *p, size_t at)
{
    const bool is_image = p->text[at] == '!';
    const size_t bracket = at + is_image, label = markdown_read_label(p->text, bracket, p->end);

    if (!is_image && at + 1 < p->end && p->text[at + 1] == '^' && label > at + 3) {
        add(p, MARKDOWN_EMPTY, at, label);
        return label;
    }
    if (p->status == OK)
        p->status = buf_grow_list(&p->brackets, &p->bracket_capacity, p->bracket_count, 1, sizeof *p->brackets,
                                  "a text", p->err);
    if (p->status != OK) return p->end;
    p->brackets[p->bracket_count++] = (Bracket){ p->nodes->count, p->delimiter_count, is_image };
    return add_text(p, at, bracket + 1);
}

/* What follows the text of a link. */
typedef struct {
    size_t end;
    ByteRange title;
    bool is_label; /* the text is the label, so it must stay */
} LinkEnd;

/* `at` is after the closing bracket of the text. Returns whether it is a link. */
static bool read_link_end(const InlineParser *p, ByteRange text, size_t at, LinkEnd *out)
{
    const ByteRange bracketed = { text.begin - 1, text.end + 1 };
    size_t end = markdown_read_target(p->text, at, p->end, &out->title);

    out->end = end;
    if (end > at) return true;
    out->title = (ByteRange){ at, at };
    if (at < p->end && p->text[at] == '[') end = markdown_read_label(p->text, at, p->end);
    out->end = end;
    if (end > at && is_defined(p, (ByteRange){ at + 1, end - 1 })) return true;
    if (end > at || markdown_read_label(p->text, bracketed.begin, bracketed.end) != bracketed.end) return false;
    out->is_label = true;
    out->end = p->end - at >= 2 && p->text[at] == '[' && p->text[at + 1] == ']' ? at + 2 : at;
    return is_defined(p, text);
}

static void add_image(InlineParser *p, const Bracket *bracket, ByteRange alt, const LinkEnd *link)
{
    const size_t begin = p->nodes->items[bracket->node].bytes.begin;
    MarkdownNode *node;

    p->nodes->count = bracket->node;
    p->delimiter_count = bracket->delimiter;
    node = add(p, MARKDOWN_EMPTY, begin, link->end);
    if (!node) return;
    node->alt = link->is_label ? (ByteRange){ alt.begin, alt.begin } : alt;
    node->title = link->title;
}

static void add_link(InlineParser *p, const Bracket *bracket, size_t at, const LinkEnd *link)
{
    MarkdownNode *node;

    match_emphasis(p, bracket->delimiter);
    p->nodes->items[bracket->node].kind = MARKDOWN_OPEN;
    p->nodes->items[bracket->node].key = ++p->key;
    for (size_t i = bracket->node; link->is_label && i < p->nodes->count; i++) p->nodes->items[i].is_kept = true;
    node = add(p, MARKDOWN_CLOSE, at, link->end);
    if (!node) return;
    node->key = p->key;
    node->title = link->title;
}

static size_t read_close_bracket(InlineParser *p, size_t at)
{
    const Bracket *bracket;
    LinkEnd link = { .is_label = false };
    ByteRange text;

    if (!p->bracket_count) return add_text(p, at, at + 1);
    bracket = &p->brackets[--p->bracket_count];
    text = (ByteRange){ p->nodes->items[bracket->node].bytes.end, at };
    if (p->inactive > p->bracket_count) {
        p->inactive = p->bracket_count;
        if (!bracket->is_image) return add_text(p, at, at + 1);
    }
    if (!read_link_end(p, text, at + 1, &link)) return add_text(p, at, at + 1);
    if (bracket->is_image) {
        add_image(p, bracket, text, &link);
    } else {
        add_link(p, bracket, at, &link);
        p->inactive = p->bracket_count;
    }
    return link.end;
}

static size_t read_plain(InlineParser *p, size_t at)
{
    const char *specials = p->input->is_title ? "\\&\n" : "\\`*_~[]!<&\n{";
    size_t end = at + 1;

    while (end < p->end && (!p->text[end] || !strchr(specials, p->text[end]))) end++;
    return add_text(p, at, end);
}

static size_t read_template(InlineParser *p, size_t at)
{
    const size_t end = markdown_read_template(p->text, at, p->end);

    if (end == at) return read_plain(p, at);
    add(p, MARKDOWN_EMPTY, at, end);
    return end;
}

/* Reads what only texts have, not titles. */
static size_t read_markup(InlineParser *p, size_t at)
{
    switch (p->text[at]) {
    case '`':
        return read_code(p, at);
    case '*':
    case '_':
    case '~':
        return read_delimiters(p, at);
    case '[':
        return read_open_bracket(p, at);
    case '!':
        return at + 1 < p->end && p->text[at + 1] == '[' ? read_open_bracket(p, at) : read_plain(p, at);
    case ']':
        return read_close_bracket(p, at);
    case '<':
        return read_angle(p, at);
    case '{':
        return read_template(p, at);
    default:
        return read_plain(p, at);
    }
}

static size_t read_part(InlineParser *p, size_t at)
{
    switch (p->text[at]) {
    case '\\':
        return read_escape(p, at);
    case '&':
        return read_reference(p, at);
    case '\n':
        return read_newline(p, at);
    default:
        return p->input->is_title ? read_plain(p, at) : read_markup(p, at);
    }
}

static int compare_nodes(const void *a, const void *b)
{
    const ByteRange x = ((const MarkdownNode *)a)->bytes, y = ((const MarkdownNode *)b)->bytes;

    if (x.begin != y.begin) return x.begin < y.begin ? -1 : 1;
    return x.end < y.end ? -1 : x.end > y.end;
}

Status markdown_inline_parse(MarkdownNodes *out, const MarkdownInput *input, Err *err)
{
    InlineParser p = { .input = input, .text = input->text, .end = input->range.end, .nodes = out, .err = err };

    for (size_t at = input->range.begin; p.status == OK && at < p.end;) at = read_part(&p, at);
    if (p.status == OK) match_emphasis(&p, 0);
    if (p.status == OK && out->count) qsort(out->items, out->count, sizeof *out->items, compare_nodes);
    free(p.delimiters);
    free(p.openers);
    free(p.brackets);
    return p.status;
}
