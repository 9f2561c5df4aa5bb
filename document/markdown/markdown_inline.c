/* markdown_inline.c - see markdown_inline.h. As in the appendix of CommonMark, runs of * _ ~ and opening brackets are
 * text at first and become spans when their other end is found. */
#include "markdown_inline.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "chars.h"
#include "markdown_emphasis.h"
#include "markdown_formula.h"
#include "markdown_syntax.h"

#define LONGEST_CODE_MARK 80

typedef struct {
    size_t node, delimiter; /* delimiters before it */
    bool is_image;
} Bracket;

typedef struct {
    const MarkdownInput *input;
    const char *text;
    size_t end;
    MarkdownNodes *nodes;
    MarkdownDelimiters delimiters;
    Bracket *brackets; /* [bracket_count] */
    size_t bracket_count, bracket_capacity;
    size_t inactive;                        /* brackets before this one open no links: links do not nest */
    bool lacks_code[LONGEST_CODE_MARK + 1]; /* no such run of backticks follows */
    uint64_t key;
    Status status;
    Err *err;
} InlineParser;

static bool is_defined(const InlineParser *p, Range label)
{
    return markdown_labels_have(p->input->labels, markdown_label_key(p->text, label));
}

/* Returns the new node, or NULL. */
static MarkdownNode *add(InlineParser *p, MarkdownKind kind, size_t begin, size_t end)
{
    if (p->status == OK) p->status = markdown_nodes_add(p->nodes, kind, begin, end, p->err);
    return p->status == OK ? &p->nodes->items[p->nodes->count - 1] : NULL;
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

/* Adds a part whose characters mean nothing in Markdown. */
static size_t add_kept(InlineParser *p, size_t begin, size_t end)
{
    for (size_t at = begin, next; at < end && p->status == OK; at = next) {
        const char *newline = memchr(p->text + at, '\n', end - at);
        MarkdownNode *node;
        next = p->text[at] == '\n' ? at + 1 : newline ? (size_t)(newline - p->text) : end;
        node = add(p, p->text[at] == '\n' ? MARKDOWN_BREAK : MARKDOWN_TEXT, at, next);
        if (node) node->is_kept = true;
    }
    return end;
}

/* Reads a command of TeX with arguments; without, it must be all of the text. */
static size_t read_tex(InlineParser *p, size_t at)
{
    size_t name_end;
    const size_t end = markdown_read_tex(p->text, at, p->end, &name_end);

    if (end > at) return add_kept(p, at, end);
    return at == p->input->range.begin && name_end == p->end ? add_kept(p, at, name_end) : add_text(p, at, at + 1);
}

/* Returns the end of a formula or of a reference of bookdown, or `at`. */
static size_t escaped_markup_end(const InlineParser *p, size_t at)
{
    const size_t reference = markdown_read_reference(p->text, at, p->end);

    return reference > at ? reference : markdown_formula_end(p->text, at, p->end);
}

static size_t read_escape(InlineParser *p, size_t at)
{
    const size_t end = p->input->is_title ? at : escaped_markup_end(p, at);

    if (end > at) return add_kept(p, at, end);
    if (at + 1 < p->end && char_is_letter(p->text[at + 1]) && !p->input->is_title) return read_tex(p, at);
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
        while (begin > last->bytes.begin && char_is_blank(p->text[begin - 1])) begin--;
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
static void add_raw_span(InlineParser *p, size_t begin, Range inner, size_t end)
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
        next = markdown_read_attributes(p->text, next, p->end);
        add_raw_span(p, at, (Range){ begin, i }, next);
        return next;
    }
    p->lacks_code[length] = true;
    return add_text(p, at, begin);
}

static size_t read_angle(InlineParser *p, size_t at)
{
    size_t end = markdown_read_autolink(p->text, at, p->end);
    const bool is_tag = at + 1 < p->end && (char_is_letter(p->text[at + 1]) || p->text[at + 1] == '/');

    if (end > at) {
        add_raw_span(p, at, (Range){ at + 1, end - 1 }, end);
        return end;
    }
    end = markdown_read_html(p->text, at, p->end);
    if (end == at) return add_text(p, at, at + 1);
    add(p, is_tag ? MARKDOWN_TAG : MARKDOWN_EMPTY, at, end);
    return end;
}

static size_t read_delimiters(InlineParser *p, size_t at)
{
    const size_t end = run_end(p, at);

    p->status =
        markdown_delimiters_add(&p->delimiters, p->text, p->input->range, at, end - at, p->nodes->count, p->err);
    return add_text(p, at, end);
}

static void match_emphasis(InlineParser *p, size_t first)
{
    if (p->status == OK) p->status = markdown_delimiters_match(&p->delimiters, first, p->nodes, &p->key, p->err);
}

/* Returns the end of a link of a wiki or of a citation, which are not links or labels of Markdown; otherwise `at`. A
 * colon after a link of a wiki is text: labels contain no brackets. */
static size_t read_other_brackets(const InlineParser *p, size_t at)
{
    const size_t wiki = markdown_read_wiki_link(p->text, at, p->end), is_wiki = wiki > at;
    const size_t end = is_wiki ? wiki : markdown_read_citation(p->text, at, p->end);

    if (end == at || (end < p->end && strchr(is_wiki ? "([" : "([:", p->text[end]))) return at;
    return is_defined(p, (Range){ at + 1 + is_wiki, end - 1 - is_wiki }) ? at : end;
}

static size_t read_open_bracket(InlineParser *p, size_t at)
{
    const bool is_image = p->text[at] == '!';
    const size_t bracket = at + is_image, label = markdown_read_label(p->text, bracket, p->end);
    const size_t other = read_other_brackets(p, bracket);

    if (other > bracket) return add_kept(p, at, other);

    if (!is_image && at + 1 < p->end && p->text[at + 1] == '^' && label > at + 3) {
        add(p, MARKDOWN_EMPTY, at, label);
        return label;
    }
    if (p->status == OK)
        p->status = buf_grow_list(&p->brackets, &p->bracket_capacity, p->bracket_count, 1, sizeof *p->brackets,
                                  "a text", p->err);
    if (p->status != OK) return p->end;
    p->brackets[p->bracket_count++] = (Bracket){ p->nodes->count, p->delimiters.count, is_image };
    return add_text(p, at, bracket + 1);
}

/* What follows the text of a link. */
typedef struct {
    size_t end;
    Range title;
    bool is_label; /* the text is the label */
} LinkEnd;

/* `at` is after the closing bracket of the text. Returns whether it is a link. */
static bool read_link_end(const InlineParser *p, Range text, size_t at, LinkEnd *out)
{
    const Range bracketed = { text.begin - 1, text.end + 1 };
    size_t end = markdown_read_target(p->text, at, p->end, &out->title);

    out->end = end;
    if (end > at) return true;
    out->title = (Range){ at, at };
    if (at < p->end && p->text[at] == '[') end = markdown_read_label(p->text, at, p->end);
    out->end = end;
    if (end > at && is_defined(p, (Range){ at + 1, end - 1 })) return true;
    if (end > at || markdown_read_label(p->text, bracketed.begin, bracketed.end) != bracketed.end) return false;
    out->is_label = true;
    out->end = p->end - at >= 2 && p->text[at] == '[' && p->text[at + 1] == ']' ? at + 2 : at;
    return is_defined(p, text);
}

static void add_image(InlineParser *p, const Bracket *bracket, Range alt, const LinkEnd *link)
{
    const size_t begin = p->nodes->items[bracket->node].bytes.begin;
    MarkdownNode *node;

    p->nodes->count = bracket->node;
    p->delimiters.count = bracket->delimiter;
    node = add(p, MARKDOWN_EMPTY, begin, link->end);
    if (!node) return;
    node->alt = link->is_label ? (Range){ alt.begin, alt.begin } : alt;
    node->title = link->title;
}

static void add_link(InlineParser *p, const Bracket *bracket, size_t at, const LinkEnd *link)
{
    MarkdownNode *node;

    match_emphasis(p, bracket->delimiter);
    p->nodes->items[bracket->node].kind = MARKDOWN_OPEN;
    p->nodes->items[bracket->node].key = ++p->key;
    node = add(p, MARKDOWN_CLOSE, at, link->end);
    if (!node) return;
    node->key = p->key;
    node->is_label = link->is_label;
    node->title = link->title;
}

static size_t read_close_bracket(InlineParser *p, size_t at)
{
    const Bracket *bracket;
    LinkEnd link = { .is_label = false };
    Range text;

    if (!p->bracket_count) return add_text(p, at, at + 1);
    bracket = &p->brackets[--p->bracket_count];
    text = (Range){ p->nodes->items[bracket->node].bytes.end, at };
    if (p->inactive > p->bracket_count) {
        p->inactive = p->bracket_count;
        if (!bracket->is_image) return add_text(p, at, at + 1);
    }
    if (!read_link_end(p, text, at + 1, &link)) return add_text(p, at, at + 1);
    if (bracket->is_image || !link.is_label) link.end = markdown_read_attributes(p->text, link.end, p->end);
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

/* Whether the shortcode [begin, end) is the end of another one, or is alone in the first line. */
static bool is_around_text(const InlineParser *p, size_t begin, size_t end)
{
    const size_t name = markdown_skip_space(p->text, begin + 3, end);

    if (!strchr("<%", p->text[begin + 2])) return false;
    return p->text[name] == '/' || (begin == p->input->range.begin && (end == p->end || p->text[end] == '\n'));
}

/* Returns where the name of an icon, :name:, begins that ends at byte `at`, in the last node, or `at`. */
static size_t icon_begin(const InlineParser *p, size_t at)
{
    const MarkdownNode *last = p->nodes->count ? &p->nodes->items[p->nodes->count - 1] : NULL;
    size_t i = at - 1;

    if (!last || last->kind != MARKDOWN_TEXT || last->bytes.end != at || p->text[i] != ':') return at;
    while (i > last->bytes.begin && (char_is_alphanumeric(p->text[i - 1]) || strchr("+-", p->text[i - 1]))) i--;
    return at - i > 2 && i > last->bytes.begin && p->text[i - 1] == ':' ? i - 1 : at;
}

/* Adds an icon that has attributes up to `end`, and takes its name from the text before it. */
static size_t add_icon(InlineParser *p, size_t begin, size_t end)
{
    p->nodes->items[p->nodes->count - 1].bytes.end = begin;
    return add_kept(p, begin, end);
}

/* Attributes of links, images and code belong to them, except those of a link whose end may be written anew. */
static size_t read_template(InlineParser *p, size_t at)
{
    const bool follows_mark = at > p->input->range.begin && strchr(")]`", p->text[at - 1]);
    const size_t icon = at > p->input->range.begin ? icon_begin(p, at) : at;
    size_t end = icon < at ? markdown_read_attributes(p->text, at, p->end) : at;

    if (end > at) return add_icon(p, icon, end);
    end = markdown_read_variable(p->text, at, p->end);
    if (end > at && !is_around_text(p, at, end)) return add_kept(p, at, end);
    if (end == at) end = markdown_read_template(p->text, at, p->end);
    if (end == at && follows_mark) end = markdown_read_attributes(p->text, at, p->end);
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

Status markdown_inline_parse(MarkdownNodes *out, const MarkdownInput *input, Err *err)
{
    InlineParser p = { .input = input, .text = input->text, .end = input->range.end, .nodes = out, .err = err };

    for (size_t at = input->range.begin; p.status == OK && at < p.end;) at = read_part(&p, at);
    match_emphasis(&p, 0);
    if (p.status == OK) markdown_nodes_sort(out);
    markdown_delimiters_free(&p.delimiters);
    free(p.brackets);
    return p.status;
}
