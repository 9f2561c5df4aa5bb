/* markdown_units.c - see markdown_units.h. */
#include "markdown_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "html_elements.h"
#include "html_entities.h"
#include "line_breaks.h"
#include "markdown_syntax.h"
#include "utf8.h"

/* --- The lines of a paragraph. */

void markdown_content_clear(MarkdownContent *c)
{
    buf_reuse(&c->text);
    c->lines.len = 0;
}

void markdown_content_free(MarkdownContent *c)
{
    buf_free(&c->text);
    free(c->lines.data);
    *c = (MarkdownContent){ 0 };
}

Status markdown_content_add(MarkdownContent *c, const char *bytes, Range line, Err *err)
{
    const char *newline;
    Status st;

    do {
        const MarkdownLine begin = { c->text.len + (c->lines.len > 0), line.begin };
        size_t end = line.end;
        newline = memchr(bytes + line.begin, '\n', line.end - line.begin);
        if (newline) end = (size_t)(newline - bytes) - (newline > bytes + line.begin && newline[-1] == '\r');
        if (c->lines.len) buf_put_byte(&c->text, '\n');
        LIST_PUT(&c->lines, begin);
        buf_put(&c->text, bytes + line.begin, end - line.begin);
        if (newline) line.begin = (size_t)(newline - bytes) + 1;
        while (newline && line.begin < line.end && char_is_blank(bytes[line.begin])) line.begin++;
    } while (newline);
    st = buf_check(&c->text, err);
    return st == OK ? LIST_CHECK(&c->lines, "a paragraph", err) : st;
}

size_t markdown_content_source(const MarkdownContent *c, size_t at)
{
    size_t low = 0, high = c->lines.len;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (c->lines.data[middle].content <= at)
            low = middle;
        else
            high = middle;
    }
    return c->lines.data[low].source + (at - c->lines.data[low].content);
}

/* --- How characters are spelled in Markdown: with a backslash where they would be markup. */

/* A flag: the text of a link contains brackets, which are balanced. */
#define MARKDOWN_BRACKETS (1u << 30)

static const char specials[] = "\\`*_[]<>&!#~|+-.)(:\"'";

#define FIRST_FLAG 64u

/* Before a line of a paragraph. */
#define LONGEST_INDENT ((size_t)200)

static unsigned kind_of(unsigned context)
{
    return context % MARKDOWN_KINDS;
}

static unsigned flag_of(char c)
{
    const char *found = c ? strchr(specials, c) : NULL;

    return found ? FIRST_FLAG << (found - specials) : 0;
}

static char previous(const SpellingPlace *place)
{
    return place->before_length ? place->before[place->before_length - 1] : '\n';
}

static char next(const SpellingPlace *place)
{
    return place->after_length ? *place->after : '\n';
}

static bool is_between_letters(const SpellingPlace *place)
{
    uint32_t before, after;

    if (!place->before_length || !place->after_length) return false;
    (void)utf8_previous(place->before, place->before_length, &before);
    utf8_next(place->after, place->after_length, &after);
    return before != UTF8_INVALID && after != UTF8_INVALID && u_isalnum((UChar32)before) && u_isalnum((UChar32)after);
}

/* Whether the & begins a character reference. */
static bool is_reference(const SpellingPlace *place)
{
    char joined[SPELLING_AHEAD + 1] = "&", out[HTML_ENTITY_BYTES];
    size_t size, length;

    if (place->after_length) memcpy(joined + 1, place->after, place->after_length);
    length = html_entity_read(joined, place->after_length + 1, false, out, &size);
    return length && joined[length - 1] == ';';
}

/* Whether byte `at` of what was written begins the text or a line in it, after blanks and the marks of quotes. */
static bool is_line_start(const SpellingPlace *place, size_t at)
{
    const size_t limit = at < LONGEST_INDENT ? 0 : at - LONGEST_INDENT;

    if (!at) return true;
    while (at > limit && (char_is_blank(place->before[at - 1]) || place->before[at - 1] == '>')) at--;
    return at > limit && char_is_newline(place->before[at - 1]);
}

/* Whether only digits precede in the line, as in a list item. */
static bool is_after_number(const SpellingPlace *place)
{
    size_t at = place->before_length;

    while (at && place->before_length - at < 9 && char_is_digit(place->before[at - 1])) at--;
    return at < place->before_length && is_line_start(place, at);
}

/* Whether a character means itself in a text that is no title. */
static bool is_safe_in_text(unsigned kind, char c, const SpellingPlace *place)
{
    const char before = previous(place), after = next(place);
    const bool is_alone = place->before_length && char_is_space(before) && char_is_space(after);
    const bool can_begin = kind == MARKDOWN_PARAGRAPH; /* a block, at the beginning of the text or of a line in it */
    const bool begins = can_begin && is_line_start(place, place->before_length);

    switch (c) {
    case '`':
        return false;
    case '*':
        return is_alone;
    case '_':
        return is_alone || is_between_letters(place);
    case '[':
        return place->before_length && after != '^';
    case ']':
        return !strchr("([:", after);
    case '<':
        return !char_is_letter(after) && !strchr("/!?", after);
    case '!':
        return after != '[';
    case '~':
        return before != '~' && after != '~';
    case ':':
        return before != ']' && !(begins && char_is_space(after));
    case '(':
        return before != ']';
    case '>':
        return !begins;
    case '#':
        if (begins) return after != '#' && !char_is_space(after);
        return can_begin || !char_is_space(before) || !(after == '#' || char_is_space(after));
    case '+':
    case '-':
        return !begins || !(char_is_space(after) || after == '-');
    case '.':
    case ')':
        return !can_begin || !char_is_space(after) || !is_after_number(place);
    default:
        return true;
    }
}

static bool is_safe(char c, const SpellingPlace *place)
{
    const unsigned kind = kind_of(place->context);

    if (c == '\\') return place->after_length && !markdown_is_punctuation(next(place)) && !char_is_space(next(place));
    if (c == '&') return !is_reference(place);
    if (c == '|') return !(place->context & MARKDOWN_CELL);
    if (kind == MARKDOWN_DOUBLE) return c != '"';
    if (kind == MARKDOWN_SINGLE) return c != '\'';
    if (kind == MARKDOWN_PARENTHESES) return c != '(' && c != ')';
    return is_safe_in_text(kind, c, place);
}

/* Returns the flag of a plain character that is not safe in its place, otherwise 0. */
static unsigned spelling_flag(char c, const SpellingPlace *place)
{
    const unsigned flag = flag_of(c);

    return flag && !is_safe(c, place) ? flag : 0;
}

static bool is_list_marker(const char *text, size_t length)
{
    size_t at = 0;

    if (strchr("-+*", text[0])) return length == 1 || char_is_space(text[1]);
    while (at < length && char_is_digit(text[at])) at++;
    return at && at < length && strchr(".)", text[at]) && (at + 1 == length || char_is_space(text[at + 1]));
}

/* Whether the bytes begin with three marks with or without blanks between them, and no word follows them. */
static bool is_rule(const char *text, size_t length)
{
    size_t at = 0, count = 0;

    for (; at < length && (text[at] == text[0] || char_is_blank(text[at])); at++) count += text[at] == text[0];
    return count >= 3 && (at == length || char_is_space(text[at]) || char_is_space(text[at - 1]));
}

static bool is_in_braces(const char *text, size_t length)
{
    Range name;

    if (markdown_read_attributes(text, 0, length)) return true;
    for (size_t end = 3; end <= length; end++)
        if (text[end - 1] == '}') return markdown_line_begins_code(text, 0, end, &name);
    return length > 1 && text[1] != '{' && text[1] != '%';
}

/* Whether a line of a paragraph that begins with these bytes could be the beginning of another block, or the line below
 * a heading or the header of a table; where the line ends is not known. In a list, marks that cannot interrupt a
 * paragraph begin an item. */
static bool may_begin_block(const char *text, size_t length)
{
    Range range;

    if (!length) return false;
    switch (text[0]) {
    case '#':
    case '>':
    case '=':
    case '|':
    case ':':
        return true;
    case '-':
    case '+':
        return is_list_marker(text, length) || strchr("-=|:", text[1]);
    case '*':
    case '_':
        return is_rule(text, length) || (text[0] == '*' && is_list_marker(text, length)) ||
               markdown_line_abbreviation(text, 0, length, &range);
    case '`':
    case '~':
    case '!':
    case '?':
        return length > 2 && text[1] == text[0] && text[2] == text[0];
    case '<':
        return markdown_line_html(text, 0, length, true) != 0;
    case '[':
        return length > 1 && text[1] == '^' && (!memchr(text, ']', length) || markdown_line_footnote(text, 0, length));
    case '{':
        return is_in_braces(text, length);
    default:
        return is_list_marker(text, length);
    }
}

/* Before a newline, a blank or a backslash at the end of the text would be a hard break. */
static bool may_break_markdown(const SpellingPlace *place)
{
    const size_t length = place->before_length;

    if (place->context < HTML_CONTEXTS) return true;
    if (may_begin_block(place->after, place->after_length)) return false;
    return !(length && char_is_blank(place->before[length - 1])) && !markdown_is_escaped(place->before, length);
}

static bool is_special_markdown(unsigned context, uint32_t code)
{
    static const char *const lists[] = { "\\`*_[]<>&!#~|+-.)(:", "\\`*_[]<&!#~|(", "\\&|\"", "\\&|'", "\\&|()" };

    if (context < HTML_CONTEXTS) return html_spelling.is_special(context, code);
    return code && code < 128 && strchr(lists[kind_of(context) - MARKDOWN_PARAGRAPH], (int)code);
}

/* Whether the place is in code or in an address in <>, where there are no escapes. */
static bool is_raw(const SpellingPlace *place)
{
    return place->span_length && (*place->span == '`' || (*place->span == '<' && place->span_length == 1));
}

static size_t spell_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    size_t length = 0;
    bool is_plain;

    if (place->context < HTML_CONTEXTS) return html_spelling.spell(code, place, out);
    if (code == '`' && (place->context & flag_of('`')) && !is_raw(place)) { /* an escaped one would end code */
        memcpy(out, "&#96;", 5);
        return 5;
    }
    /* Brackets that the source does not have here are escaped: in the text of a link, they would have to be
     * balanced. */
    is_plain = is_raw(place) ? code != '|' || !(place->context & MARKDOWN_CELL)
                             : code != '[' && code != ']' && is_safe((char)code, place);
    if (!is_plain) out[length++] = '\\';
    out[length++] = (char)code;
    return length;
}

/* Code has no references. */
static size_t refer_markdown(uint32_t code, const SpellingPlace *place, char *out)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.refer(code, place, out);
    return is_raw(place) ? 0 : (size_t)snprintf(out, SPELLING_BYTES, "&#%u;", (unsigned)code);
}

static bool keeps_markdown(const char *spelling, size_t length, const SpellingPlace *place)
{
    if (place->context < HTML_CONTEXTS) return html_spelling.keeps(spelling, length, place);
    if (is_raw(place)) return length == 1 || (unsigned char)*spelling >= 128 || (length == 2 && spelling[1] == '|');
    if (length > 1) return true;
    if (strchr("[]", *spelling) && place->span_length && *place->span == '[') /* in the text of a link */
        return place->context & MARKDOWN_BRACKETS;
    return (place->context & flag_of(*spelling)) || is_safe(*spelling, place);
}

/* [text][] and [text] become [text][label]. */
static Status close_label_markdown(const char *label, size_t length, Buf *out, Err *err)
{
    buf_put_text(out, "][");
    buf_put(out, label, length);
    buf_put_byte(out, ']');
    return buf_check(out, err);
}

/* Whether it is a comment, a declaration or an instruction, which begin HTML. */
static bool begins_block_markdown(const char *bytes, size_t length)
{
    return length > 1 && bytes[0] == '<' && (bytes[1] == '!' || bytes[1] == '?');
}

const SpellingRules markdown_spelling = { .is_special = is_special_markdown,
                                          .spell = spell_markdown,
                                          .keeps = keeps_markdown,
                                          .may_break = may_break_markdown,
                                          .refer = refer_markdown,
                                          .close_label = close_label_markdown,
                                          .marks = &markdown_emphasis_marks,
                                          .begins_block = begins_block_markdown };

/* --- Adds the texts of paragraphs, headings and cells as units. */

/* Keys of spans of HTML have this bit. */
#define TAG_KEY ((uint64_t)1 << 63)

typedef struct {
    const MarkdownTexts *texts;
    DocumentBuilder *builder;
    unsigned context; /* of the text around texts in its markup */
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

/* Returns the flags of the characters of a node, both with the markup at the beginning of the unit and without it. */
static unsigned flags_of_text(const Reporter *r, const MarkdownNode *node, unsigned context, UnitStart *start)
{
    const char *bytes = r->input.bytes;
    const size_t begin = source_of(r, node->bytes.begin), end = begin + node->bytes.end - node->bytes.begin;
    size_t at = begin + (start->has_text ? 0 : leading_nothing(bytes + begin, end - begin));
    unsigned flags = 0;

    if (at < end && !start->has_text) *start = (UnitStart){ start->begin, at, true };
    for (; at < end; at++) {
        const size_t left = r->input.end - at - 1;
        SpellingPlace place = { .context = context,
                                .before = bytes + start->begin,
                                .before_length = at - start->begin,
                                .after = bytes + at + 1,
                                .after_length = left < SPELLING_AHEAD ? left : SPELLING_AHEAD };
        flags |= spelling_flag(bytes[at], &place);
        place.before = bytes + start->text;
        place.before_length = at - start->text;
        flags |= spelling_flag(bytes[at], &place);
    }
    return flags;
}

/* Returns the flags of the characters that the nodes spell as themselves where that is not safe. */
static unsigned find_flags(const Reporter *r, const MarkdownNode *nodes, size_t count, unsigned context)
{
    const size_t first = count ? source_of(r, nodes[0].bytes.begin) : 0;
    UnitStart start = { .begin = first };
    unsigned flags = 0;
    size_t links = 0; /* around the node */

    for (size_t i = 0, next; i < count; i++) {
        const MarkdownNode *node = &nodes[i];
        const char *bytes = r->text + node->bytes.begin;
        const size_t length = node->bytes.end - node->bytes.begin;
        if (node->kind == MARKDOWN_TEXT && !node->is_raw) flags |= flags_of_text(r, node, context, &start);
        if (length && node->kind == MARKDOWN_OPEN && *bytes == '[') links++;
        if (length && node->kind == MARKDOWN_CLOSE && *bytes == ']' && links) links--;
        if (length && node->kind == MARKDOWN_TEXT && links &&
            (memchr(bytes, '[', length) || memchr(bytes, ']', length)))
            flags |= MARKDOWN_BRACKETS;
        if (node->kind == MARKDOWN_CLOSE) { /* an opening mark like it may be directly after it */
            for (next = i + 1; next < count && nodes[next].bytes.begin == nodes[next].bytes.end;) next++;
            if (next < count && nodes[next].kind == MARKDOWN_OPEN && *bytes == r->text[nodes[next].bytes.begin])
                flags |= MARKDOWN_MARKS;
        }
        if (!start.has_text && node->kind == MARKDOWN_SPELLED && leading_nothing(node->text, node->size) < node->size)
            start = (UnitStart){ start.begin, source_of(r, node->bytes.begin), true };
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
    MarkdownNodes nodes = { 0 };

    if (range.begin == range.end || r->is_inner) return;
    inner.is_inner = true;
    inner.kept = 0;
    parse(r, &input, &nodes);
    if (!document_builder_failed(r->builder)) {
        context |= find_flags(&inner, nodes.data, nodes.len, context);
        document_builder_begin(r->builder, context, source_of(r, range.begin));
        report_nodes(&inner, nodes.data, nodes.len);
        document_builder_end_unit(r->builder, source_of(r, range.end));
    }
    free(nodes.data);
}

static void report_title(const Reporter *r, Range title)
{
    const char quote = title.begin < title.end ? r->text[title.begin - 1] : '\0';
    const unsigned kind = quote == '"' ? MARKDOWN_DOUBLE : quote == '(' ? MARKDOWN_PARENTHESES : MARKDOWN_SINGLE;

    report_inner(r, title, kind | (r->context & MARKDOWN_CELL), true);
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
    if (tag.kind == HTML_START && tag.bytes.end == end && !(r->context & MARKDOWN_CELL))
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
        report_inner(r, node->alt, MARKDOWN_INLINE | (r->context & MARKDOWN_CELL), false);
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

    for (size_t i = index + 1; !code && i < nodes->len && !is_line_end(r, &nodes->data[i]); i++) {
        const Range bytes = nodes->data[i].bytes;
        const size_t length = bytes.end - bytes.begin, front = utf8_leading_space(r->text + bytes.begin, length);
        if (nodes->data[i].kind == MARKDOWN_TEXT && front < length)
            (void)utf8_next(r->text + bytes.begin + front, length - front, &code);
    }
    return code;
}

/* Whether the node ends a unit. Adds its text to what is before the next one. */
static bool ends_unit(const Reporter *r, const MarkdownNodes *nodes, size_t index, LineBefore *before)
{
    const MarkdownNode *node = &nodes->data[index];
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

/* Reports nodes as a unit. A span that goes on before or after it begins or ends in it without bytes, so that its mark
 * moves with words: *one<br>two*. White space beside these ends would move with them. */
static void report_unit(Reporter *r, MarkdownNode *nodes, size_t count, OpenSpans *spans)
{
    const unsigned context = r->context;
    const OpenSpans before = *spans;
    size_t first = 0, last = count, begin, end;

    if (!count) return;
    begin = source_of(r, nodes[0].bytes.begin);
    end = source_of(r, nodes[count - 1].bytes.end);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].kind == MARKDOWN_OPEN && spans->depth++ < MARKUP_DEPTH)
            spans->keys[spans->depth - 1] = nodes[i].key;
        if (nodes[i].kind == MARKDOWN_CLOSE && spans->depth) spans->depth--;
    }
    if (before.depth) take_space_before(r, nodes, count);
    if (spans->depth) take_space_after(r, nodes, count);
    r->kept = 0;
    document_builder_begin(r->builder, context | find_flags(r, nodes, count, context), begin);
    document_builder_whole(r->builder);
    while (first < last && nodes[first].bytes.begin == nodes[first].bytes.end) first++;
    while (last > first && nodes[last - 1].bytes.begin == nodes[last - 1].bytes.end) last--;
    if (first < last) {
        const size_t from = source_of(r, nodes[first].bytes.begin), to = source_of(r, nodes[last - 1].bytes.end);
        for (size_t i = 0; i < known_depth(&before); i++) document_builder_open(r->builder, before.keys[i], from, from);
        report_nodes(r, nodes, last);
        for (size_t i = known_depth(spans); i--;) document_builder_close(r->builder, spans->keys[i], to, to);
    }
    document_builder_end_unit(r->builder, end);
}

static Reporter reporter_of(const MarkdownTexts *texts, unsigned context)
{
    return (Reporter){ .texts = texts,
                       .context = context,
                       .builder = texts->builder,
                       .text = texts->content->text.data,
                       .input = document_builder_input(texts->builder) };
}

void markdown_units_add(const MarkdownTexts *texts, Range range, unsigned context)
{
    const MarkdownInput input = { texts->content->text.data, range, texts->labels, false, context & MARKDOWN_CELL };
    Reporter r = reporter_of(texts, context);
    MarkdownNodes nodes = { 0 };
    OpenSpans spans = { .depth = 0 };
    LineBefore before = { 0 };
    size_t first = 0;

    if (range.begin == range.end) return;
    parse(&r, &input, &nodes);
    for (size_t i = 0; i <= nodes.len && !document_builder_failed(texts->builder); i++) {
        if (i < nodes.len && !ends_unit(&r, &nodes, i, &before)) continue;
        report_unit(&r, nodes.data ? nodes.data + first : NULL, i - first, &spans);
        first = i + 1;
        before = (LineBefore){ 0 };
        if (i < nodes.len && nodes.data[i].kind == MARKDOWN_TAG) report_attributes(&r, &nodes.data[i]);
    }
    free(nodes.data);
}

void markdown_units_add_title(const MarkdownTexts *texts, Range title)
{
    const Reporter r = reporter_of(texts, 0);

    report_title(&r, title);
}
