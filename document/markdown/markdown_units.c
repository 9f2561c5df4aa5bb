/* markdown_units.c - see markdown_units.h. */
#include "markdown_units.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "html_elements.h"
#include "html_extent.h"
#include "html_units.h"
#include "line_breaks.h"
#include "markdown_emphasis.h"
#include "markdown_spelling.h"
#include "markdown_syntax.h"
#include "utf8.h"

/* Keys of spans of HTML have this bit. */
#define TAG_KEY ((uint64_t)1 << 63)

typedef struct {
    const MarkdownTexts *texts;
    DocumentBuilder *builder;
    const char *text; /* of the content */
    BuilderInput input;
    bool is_inner; /* a text in the markup of another one: no texts in its own markup */
    uint64_t kept; /* key of an inline element whose contents are kept; 0: none */
    size_t depth;  /* of elements with this key */
} Reporter;

static size_t source_of(const Reporter *r, size_t at)
{
    return markdown_content_source(r->texts->content, at);
}

/* What the writer will know at byte `at` of the document, if the text begins at byte `begin`. */
static SpellingPlace place_of(const Reporter *r, unsigned context, size_t begin, size_t at, size_t after)
{
    const size_t left = r->input.end - after;

    return (SpellingPlace){ .context = context,
                            .before = r->input.bytes + begin,
                            .before_length = at - begin,
                            .after = r->input.bytes + after,
                            .after_length = left < SPELLING_AHEAD ? left : SPELLING_AHEAD };
}

/* Where a unit begins in the document: after `begin` there may be markup that the builder takes away, up to `text`. */
typedef struct {
    size_t begin, text;
    bool has_text;
} UnitStart;

/* Returns how much of the text the builder takes away if nothing precedes it: white space and what is no text. */
static size_t leading_nothing(const char *text, size_t length)
{
    size_t at = 0;

    for (size_t step = 1; step && at < length; at += step)
        step = !text[at] || text[at] == '\r' ? 1 : utf8_leading_space(text + at, length - at);
    return at;
}

static unsigned flags_of_text(const Reporter *r, const MarkdownNode *node, unsigned context, UnitStart *start)
{
    const size_t begin = source_of(r, node->bytes.begin), length = node->bytes.end - node->bytes.begin;
    size_t i = start->has_text ? 0 : leading_nothing(r->input.bytes + begin, length);
    unsigned flags = 0;

    if (i < length && !start->has_text) *start = (UnitStart){ start->begin, begin + i, true };
    for (; i < length; i++) {
        const size_t at = begin + i;
        const SpellingPlace all = place_of(r, context, start->begin, at, at + 1);
        const SpellingPlace trimmed = place_of(r, context, start->text, at, at + 1);
        flags |= markdown_spelling_flag(r->input.bytes[at], &all);
        flags |= markdown_spelling_flag(r->input.bytes[at], &trimmed);
    }
    return flags;
}

/* The flag of a closing mark with an opening one like it directly after it. */
static unsigned mark_flag(const Reporter *r, const MarkdownNode *nodes, size_t count, size_t index)
{
    const Range close = nodes[index].bytes;
    size_t next = index + 1;

    while (next < count && nodes[next].bytes.begin == nodes[next].bytes.end) next++;
    if (next == count || nodes[index].kind != MARKDOWN_CLOSE || nodes[next].kind != MARKDOWN_OPEN) return 0;
    return r->text[close.begin] == r->text[nodes[next].bytes.begin] ? MARKDOWN_MARKS : 0;
}

static bool has_bracket(const Reporter *r, Range range)
{
    for (size_t i = range.begin; i < range.end; i++)
        if (r->text[i] == '[' || r->text[i] == ']') return true;
    return false;
}

/* The flag of brackets in the text of a link; *depth: the links around the node. */
static unsigned bracket_flag(const Reporter *r, const MarkdownNode *node, size_t *depth)
{
    if (node->bytes.begin == node->bytes.end) return 0;
    if (node->kind == MARKDOWN_OPEN && r->text[node->bytes.begin] == '[') ++*depth;
    if (node->kind == MARKDOWN_CLOSE && r->text[node->bytes.begin] == ']' && *depth) --*depth;
    return *depth && node->kind == MARKDOWN_TEXT && has_bracket(r, node->bytes) ? MARKDOWN_BRACKETS : 0;
}

/* Returns the flags of the characters that the nodes spell as themselves where that is not safe. */
static unsigned find_flags(const Reporter *r, const MarkdownNode *nodes, size_t count, unsigned context)
{
    const size_t first = count ? source_of(r, nodes[0].bytes.begin) : 0;
    UnitStart start = { .begin = first };
    unsigned flags = 0;
    size_t links = 0;

    for (size_t i = 0; i < count; i++) {
        if (nodes[i].kind == MARKDOWN_TEXT && !nodes[i].is_raw) flags |= flags_of_text(r, &nodes[i], context, &start);
        flags |= mark_flag(r, nodes, count, i) | bracket_flag(r, &nodes[i], &links);
        if (!start.has_text && nodes[i].kind == MARKDOWN_SPELLED &&
            leading_nothing(nodes[i].text, nodes[i].size) < nodes[i].size)
            start = (UnitStart){ start.begin, source_of(r, nodes[i].bytes.begin), true };
    }
    return flags;
}

/* Reports plain text. Two or more blanks stand for one space. */
static void report_plain(const Reporter *r, const MarkdownNode *node)
{
    const size_t begin = source_of(r, node->bytes.begin), end = begin + (node->bytes.end - node->bytes.begin);
    const char *bytes = r->input.bytes;

    for (size_t at = begin, next; at < end; at = next) {
        for (next = at; next < end && char_is_blank(bytes[next]);) next++;
        if (!node->is_raw && (next - at > 1 || (next > at && bytes[at] == '\t'))) {
            document_builder_space(r->builder, at, next);
            continue;
        }
        for (next = at + 1; next < end && !char_is_blank(bytes[next]);) next++;
        document_builder_plain(r->builder, at, next);
    }
}

/* Parses a text of the content. */
static void parse(const Reporter *r, const MarkdownInput *input, MarkdownNodes *out)
{
    Err err;
    const Status st = markdown_inline_parse(out, input, &err);

    if (st == ERR_FORMAT) document_builder_fail(r->builder, source_of(r, input->range.begin), "%s", err.text);
    if (st == ERR_MEMORY) document_builder_fail_memory(r->builder);
}

static void report_nodes(Reporter *r, const MarkdownNode *nodes, size_t count);

/* Parses and reports a text in the markup of another one. */
static void report_inner(const Reporter *r, Range range, unsigned context, bool is_title)
{
    const MarkdownInput input = { r->text, range, r->texts->labels, is_title, context & MARKDOWN_CELL };
    Reporter inner = *r;
    MarkdownNodes nodes = { .count = 0 };

    if (range.begin == range.end || r->is_inner) return;
    inner.is_inner = true;
    inner.kept = 0;
    parse(r, &input, &nodes);
    if (!document_builder_failed(r->builder)) {
        context |= find_flags(&inner, nodes.items, nodes.count, context);
        document_builder_begin(r->builder, context, source_of(r, range.begin));
        report_nodes(&inner, nodes.items, nodes.count);
        document_builder_end_unit(r->builder, source_of(r, range.end));
    }
    free(nodes.items);
}

static void report_title(const Reporter *r, Range title)
{
    const char quote = title.begin < title.end ? r->text[title.begin - 1] : '\0';
    const unsigned kind = quote == '"' ? MARKDOWN_DOUBLE : quote == '(' ? MARKDOWN_PARENTHESES : MARKDOWN_SINGLE;

    report_inner(r, title, kind | (r->texts->context & MARKDOWN_CELL), true);
}

/* Reads the tag of a node: in the content, because its lines may begin with quote marks in the document. */
static HtmlToken tag_of(const Reporter *r, const MarkdownNode *node)
{
    return html_token_read(r->text, node->bytes.begin, node->bytes.end);
}

static bool is_block_tag(const Reporter *r, const MarkdownNode *node)
{
    const HtmlElement kind = html_element_kind(r->text, tag_of(r, node).name);

    return kind == HTML_BLOCK || kind == HTML_PREFORMATTED || kind == HTML_RAW || kind == HTML_RCDATA;
}

/* Reports the attributes of a tag whose lines follow each other in the document. */
static void report_attributes(const Reporter *r, const MarkdownNode *node)
{
    const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);
    HtmlToken tag;

    if (r->is_inner || r->kept || end - begin != node->bytes.end - node->bytes.begin) return;
    tag = html_token_read(r->input.bytes, begin, end);
    if (tag.kind == HTML_START && tag.bytes.end == end && !(r->texts->context & MARKDOWN_CELL))
        html_units_add_attributes(r->builder, &tag);
}

/* Counts the elements with the key of the kept one. */
static void count_kept(Reporter *r, uint64_t key, bool is_start)
{
    if (r->kept != key) return;
    if (is_start) {
        r->depth++;
    } else if (!--r->depth) {
        r->kept = 0;
        document_builder_keep(r->builder, false);
    }
}

static bool is_line_end(const Reporter *r, const MarkdownNode *node)
{
    return node->kind == MARKDOWN_HARD ||
           (node->kind == MARKDOWN_TAG && html_name_is(r->text, tag_of(r, node).name, "br"));
}

static void report_tag(Reporter *r, const MarkdownNode *node)
{
    const HtmlToken tag = tag_of(r, node);
    const HtmlElement kind = html_element_tag_kind(r->text, &tag);
    const uint64_t key = html_name_key(r->text, tag.name) | TAG_KEY;
    const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);
    const bool is_protected = tag.kind == HTML_START && html_element_translate(r->text, &tag) == HTML_PROTECT;

    if (tag.kind == HTML_CLOSE) {
        document_builder_close(r->builder, key, begin, end);
        count_kept(r, key, false);
        return;
    }
    if (!is_protected) report_attributes(r, node);
    if (is_line_end(r, node)) {
        document_builder_line_end(r->builder, begin, end);
        return;
    }
    if (html_extent_is_tag(r->text, &tag) && html_element_is_object(r->text, &tag)) {
        document_builder_object(r->builder, (Range){ begin, begin }, begin, end);
        return;
    }
    if (html_extent_is_tag(r->text, &tag) || is_block_tag(r, node)) {
        document_builder_empty(r->builder, begin, end);
        return;
    }
    document_builder_open(r->builder, key, begin, end);
    if (!r->kept && (kind == HTML_CODE || kind == HTML_PICTURE || is_protected)) {
        r->kept = key;
        r->depth = 0;
        document_builder_keep(r->builder, true);
    }
    count_kept(r, key, true);
}

static void report_node(Reporter *r, const MarkdownNode *node)
{
    const size_t begin = source_of(r, node->bytes.begin), end = source_of(r, node->bytes.end);

    switch (node->kind) {
    case MARKDOWN_TEXT:
        report_plain(r, node);
        break;
    case MARKDOWN_SPELLED:
        document_builder_spelled(r->builder, node->text, node->size, begin, end);
        break;
    case MARKDOWN_BREAK:
        document_builder_space(r->builder, begin, end);
        break;
    case MARKDOWN_OPEN:
        document_builder_open(r->builder, node->key, begin, end);
        break;
    case MARKDOWN_CLOSE:
        report_title(r, node->title);
        if (node->is_label)
            document_builder_close_label(r->builder, node->key, begin, end);
        else
            document_builder_close(r->builder, node->key, begin, end);
        break;
    case MARKDOWN_TAG:
        report_tag(r, node);
        break;
    case MARKDOWN_HARD:
        document_builder_line_end(r->builder, begin, end);
        break;
    default:
        report_inner(r, node->alt, MARKDOWN_INLINE | (r->texts->context & MARKDOWN_CELL), false);
        report_title(r, node->title);
        if (r->text[node->bytes.begin] == '!')
            document_builder_object(r->builder, (Range){ begin, begin }, begin, end);
        else
            document_builder_empty(r->builder, begin, end);
    }
}

static void report_nodes(Reporter *r, const MarkdownNode *nodes, size_t count)
{
    for (size_t i = 0; i < count && !document_builder_failed(r->builder); i++) {
        if (nodes[i].bytes.begin == nodes[i].bytes.end) continue;
        if (!r->kept) document_builder_keep(r->builder, nodes[i].is_kept);
        report_node(r, &nodes[i]);
    }
}

/* The first character other than white space in the text after a node, unless a line ends before it; otherwise 0. */
static uint32_t next_code(const Reporter *r, const MarkdownNodes *nodes, size_t index)
{
    uint32_t code = 0;

    for (size_t i = index + 1; !code && i < nodes->count && !is_line_end(r, &nodes->items[i]); i++) {
        const Range bytes = nodes->items[i].bytes;
        const size_t length = bytes.end - bytes.begin, front = utf8_leading_space(r->text + bytes.begin, length);
        if (nodes->items[i].kind == MARKDOWN_TEXT && front < length)
            (void)utf8_next(r->text + bytes.begin + front, length - front, &code);
    }
    return code;
}

/* Whether the node ends a unit. Adds its text to what is before the next one. */
static bool ends_unit(const Reporter *r, const MarkdownNodes *nodes, size_t index, LineBefore *before)
{
    const MarkdownNode *node = &nodes->items[index];
    const bool is_text = node->kind == MARKDOWN_TEXT || node->kind == MARKDOWN_SPELLED;

    for (size_t at = node->bytes.begin; is_text && at < node->bytes.end;) {
        uint32_t code;
        at += utf8_next(r->text + at, node->bytes.end - at, &code);
        line_breaks_add(before, code);
    }
    if (node->kind == MARKDOWN_BREAK || is_line_end(r, node)) line_breaks_add(before, ' ');
    if (is_line_end(r, node)) return !line_breaks_goes_on(before, next_code(r, nodes, index), BREAK_HARD);
    return node->kind == MARKDOWN_TAG && is_block_tag(r, node);
}

/* The spans around a place; only the outer ones count. */
typedef struct {
    uint64_t keys[MARKUP_DEPTH]; /* [depth] */
    size_t depth;                /* may be more */
} OpenSpans;

static size_t known_depth(const OpenSpans *spans)
{
    return spans->depth < MARKUP_DEPTH ? spans->depth : MARKUP_DEPTH;
}

/* Notes the ends of spans among the nodes. */
static void pass_spans(OpenSpans *spans, const MarkdownNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].kind == MARKDOWN_OPEN && spans->depth++ < MARKUP_DEPTH)
            spans->keys[spans->depth - 1] = nodes[i].key;
        if (nodes[i].kind == MARKDOWN_CLOSE && spans->depth) spans->depth--;
    }
}

/* Takes the white space at the beginning from the nodes. */
static void take_space_before(const Reporter *r, MarkdownNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Range *bytes = &nodes[i].bytes;
        if (nodes[i].kind == MARKDOWN_BREAK) bytes->begin = bytes->end;
        while (bytes->begin < bytes->end && char_is_blank(r->text[bytes->begin])) bytes->begin++;
        if (bytes->begin < bytes->end) return;
    }
}

static void take_space_after(const Reporter *r, MarkdownNode *nodes, size_t count)
{
    while (count--) {
        Range *bytes = &nodes[count].bytes;
        if (nodes[count].kind == MARKDOWN_BREAK) bytes->end = bytes->begin;
        while (bytes->begin < bytes->end && char_is_blank(r->text[bytes->end - 1])) bytes->end--;
        if (bytes->begin < bytes->end) return;
    }
}

/* Reports nodes with bytes, between the ends of the spans around their beginning and their end. */
static void report_inside(Reporter *r, const MarkdownNode *nodes, size_t count, const OpenSpans *before,
                          const OpenSpans *after)
{
    size_t first = 0, begin, end;

    while (first < count && nodes[first].bytes.begin == nodes[first].bytes.end) first++;
    while (count > first && nodes[count - 1].bytes.begin == nodes[count - 1].bytes.end) count--;
    if (first == count) return;
    begin = source_of(r, nodes[first].bytes.begin);
    end = source_of(r, nodes[count - 1].bytes.end);
    for (size_t i = 0; i < known_depth(before); i++) document_builder_open(r->builder, before->keys[i], begin, begin);
    report_nodes(r, nodes, count);
    for (size_t i = known_depth(after); i--;) document_builder_close(r->builder, after->keys[i], end, end);
}

/* Reports nodes as a unit. A span that goes on before or after it begins or ends in it without bytes, so that its mark
 * moves with words: *one<br>two*. White space beside these ends would move with them. */
static void report_unit(Reporter *r, MarkdownNode *nodes, size_t count, OpenSpans *spans)
{
    const unsigned context = r->texts->context;
    const OpenSpans before = *spans;
    size_t begin, end;

    if (!count) return;
    begin = source_of(r, nodes[0].bytes.begin);
    end = source_of(r, nodes[count - 1].bytes.end);
    pass_spans(spans, nodes, count);
    if (before.depth) take_space_before(r, nodes, count);
    if (spans->depth) take_space_after(r, nodes, count);
    r->kept = 0;
    document_builder_begin(r->builder, context | find_flags(r, nodes, count, context), begin);
    document_builder_whole(r->builder);
    report_inside(r, nodes, count, &before, spans);
    document_builder_end_unit(r->builder, end);
}

static Reporter reporter_of(const MarkdownTexts *texts)
{
    return (Reporter){ .texts = texts,
                       .builder = texts->builder,
                       .text = texts->content->text.data,
                       .input = document_builder_input(texts->builder) };
}

void markdown_units_add(const MarkdownTexts *texts, Range range)
{
    const MarkdownInput input = { texts->content->text.data, range, texts->labels, false,
                                  texts->context & MARKDOWN_CELL };
    Reporter r = reporter_of(texts);
    MarkdownNodes nodes = { .count = 0 };
    OpenSpans spans = { .depth = 0 };
    LineBefore before = { 0 };
    size_t first = 0;

    if (range.begin == range.end) return;
    parse(&r, &input, &nodes);
    for (size_t i = 0; i <= nodes.count && !document_builder_failed(texts->builder); i++) {
        if (i < nodes.count && !ends_unit(&r, &nodes, i, &before)) continue;
        report_unit(&r, nodes.items ? nodes.items + first : NULL, i - first, &spans);
        first = i + 1;
        before = (LineBefore){ 0 };
        if (i < nodes.count && nodes.items[i].kind == MARKDOWN_TAG) report_attributes(&r, &nodes.items[i]);
    }
    free(nodes.items);
}

void markdown_units_add_title(const MarkdownTexts *texts, Range title)
{
    const Reporter r = reporter_of(texts);

    report_title(&r, title);
}
