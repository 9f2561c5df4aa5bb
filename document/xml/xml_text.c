/* xml_text.c - see xml_text.h. */
#include "xml_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "android_escapes.h"
#include "chars.h"
#include "escaped_tags.h"
#include "escaped_text.h"
#include "utf8.h"
#include "xml_references.h"

static bool is_cdata(unsigned context)
{
    return (context & XML_IN_CDATA) != 0;
}

static bool is_android(unsigned context)
{
    return (context & XML_IN_ANDROID) != 0;
}

unsigned xml_text_context(const XmlTree *tree, size_t element, bool is_android)
{
    const XmlNode *nodes = tree->nodes;
    const unsigned context = XML_IN_TEXT | (is_android ? XML_IN_ANDROID : 0);
    bool has_cdata = false;

    for (size_t i = element + 1; i < nodes[element].next; i++) {
        const bool is_one = nodes[i].kind == NODE_CDATA && !has_cdata;
        if (!is_one && (nodes[i].kind != NODE_TEXT || !xml_tree_is_space(tree, nodes[i].begin, nodes[i].end)))
            return context;
        has_cdata |= is_one;
    }
    return has_cdata ? context | XML_IN_CDATA : context;
}

typedef struct {
    const XmlTree *tree;
    unsigned context;
    bool is_preserved;
    bool is_quoted; /* inside the quotes of Android */
    EscapedTagList tags;
    size_t next_tag; /* for escaped_tags_at() */
} TextReader;

static EscapedPart read_android(const char *bytes, size_t length, EscapedReader *read)
{
    EscapedPart part = { 0, 0, "" };

    if (*bytes != '\\') return read(bytes, length);
    part.length = android_escape_read(bytes, length, part.text, &part.size);
    return part;
}

static EscapedPart read_android_xml(const char *bytes, size_t length)
{
    return read_android(bytes, length, xml_reference_part);
}

static EscapedPart read_android_cdata(const char *bytes, size_t length)
{
    return read_android(bytes, length, escaped_text_plain);
}

/* Starts to read a text, with the markup that is written as text in the range; escaped_tags_free(&reader.tags). */
static TextReader start_text(const XmlTree *tree, Range text, unsigned context, bool is_preserved)
{
    static EscapedReader *const readers[] = { xml_reference_part, escaped_text_plain, read_android_xml,
                                              read_android_cdata };
    EscapedReader *read = readers[is_android(context) * 2 + is_cdata(context)];

    return (TextReader){ .tree = tree,
                         .context = context,
                         .is_preserved = is_preserved,
                         .tags = escaped_tags_find(tree->builder, text, read) };
}

/* Whether white space has an empty line, which divides the paragraphs of a message. */
static bool has_blank_line(const char *bytes, size_t at, size_t end)
{
    size_t lines = 0;

    for (; at < end; at++) lines += bytes[at] == '\n';
    return lines > 1;
}

/* Whether only blanks are before byte `at` in its line. */
static bool begins_line(const char *bytes, size_t at)
{
    while (at && char_is_blank(bytes[at - 1])) at--;
    return at && char_is_newline(bytes[at - 1]);
}

/* Reports the text that begins at byte `at`, and returns its end. */
static size_t report_characters(TextReader *t, size_t at, size_t end)
{
    DocumentBuilder *builder = t->tree->builder;
    const char *bytes = t->tree->bytes;
    const bool keeps_space = t->is_preserved || t->is_quoted;
    const char *stops = is_android(t->context) ? "&\\\"\t" : "&\t";
    char text[HTML_ENTITY_BYTES];
    size_t next, length;

    next = xml_reference_read_escaped(bytes, at, end, is_cdata(t->context), text, &length);
    if (next > at) {
        document_builder_spelled(builder, text, length, at, next);
        return next;
    }
    next = at + 1;
    if (char_is_space(bytes[at]) && !keeps_space) {
        while (next < end && char_is_space(bytes[next])) next++;
        if (has_blank_line(bytes, at, next) && !is_android(t->context))
            document_builder_line_end(builder, at, next);
        else
            document_builder_space(builder, at, next);
    } else if (bytes[at] == '\t') {
        while (next < end && char_is_blank(bytes[next])) next++;
        if (begins_line(bytes, at))
            document_builder_plain(builder, at, next);
        else
            document_builder_divide(builder, at, next); /* between columns */
    } else if (bytes[at] == '&' && !is_cdata(t->context)) {
        next = xml_reference_read(bytes, at, text, &length);
        document_builder_spelled(builder, text, length, at, next);
    } else if (bytes[at] == '\\' && is_android(t->context)) {
        next = at + android_escape_read(bytes + at, end - at, text, &length);
        if (length == 1 && *text == '\t')
            document_builder_divide(builder, at, next);
        else
            document_builder_spelled(builder, text, length, at, next);
    } else if (bytes[at] == '"' && is_android(t->context)) {
        t->is_quoted = !t->is_quoted;
        document_builder_empty(builder, at, next);
    } else {
        while (next < end && bytes[next] && !strchr(stops, bytes[next]) && (keeps_space || !char_is_space(bytes[next])))
            next++;
        document_builder_plain(builder, at, next);
    }
    return next;
}

/* Reports what begins at byte `at`, and returns its end. */
static size_t report_part(TextReader *t, size_t at, size_t end)
{
    DocumentBuilder *builder = t->tree->builder;
    const FoundTag *tag = escaped_tags_at(&t->tags, &t->next_tag, at);
    const size_t next = escaped_tags_next(&t->tags, t->next_tag, at);
    const bool is_kept = document_builder_keeps(builder);

    if (tag && tag->is_block)
        document_builder_divide(builder, at, tag->bytes.end);
    else if (tag)
        escaped_tags_report(builder, tag);
    if (tag) return tag->bytes.end;
    document_builder_keep(builder, is_kept || escaped_tags_is_code(&t->tags, at));
    at = report_characters(t, at, next < end ? next : end);
    document_builder_keep(builder, is_kept);
    return at;
}

/* Reports the text [at, end). */
static void report_range(TextReader *t, size_t at, size_t end)
{
    while (at < end && !document_builder_failed(t->tree->builder)) at = report_part(t, at, end);
}

/* A CDATA section among other text: its text without white space around it, spelled as this section. */
static void report_section(const XmlTree *tree, const XmlNode *node)
{
    static const size_t open = sizeof "<![CDATA[" - 1, close = sizeof "]]>" - 1;
    const size_t length = node->end - node->begin;
    char *text = malloc(length + 1);
    size_t front, size;

    if (!text) {
        document_builder_fail_memory(tree->builder);
        return;
    }
    memcpy(text, tree->bytes + node->begin, length);
    for (size_t i = 0; i < length; i++)
        if (char_is_space(text[i])) text[i] = ' ';
    front = utf8_leading_space(text, length);
    size = length - front;
    size -= utf8_trailing_space(text + front, size);
    document_builder_spelled(tree->builder, text + front, size, node->begin - open, node->end + close);
    free(text);
}

/* Reports a node with the tags that find_tags() found in it or around it. */
static void report_text(TextReader *t, size_t index)
{
    const XmlNode *node = &t->tree->nodes[index];
    const bool is_preserved = t->is_preserved;

    if (node->kind == NODE_CDATA && !is_cdata(t->context)) {
        report_section(t->tree, node);
        return;
    }
    if (node->kind == NODE_TEXT && is_cdata(t->context)) return; /* white space around the section */
    t->is_preserved |= node->is_preserved;
    report_range(t, node->begin, node->end);
    t->is_preserved = is_preserved;
}

void xml_text_report(const XmlTree *tree, size_t index, unsigned context, bool is_preserved)
{
    const XmlNode *node = &tree->nodes[index];
    TextReader reader = start_text(tree, (Range){ node->begin, node->end }, context, is_preserved);

    report_text(&reader, index);
    escaped_tags_free(&reader.tags);
}

void xml_text_report_columns(const XmlTree *tree, size_t index, unsigned context)
{
    const XmlNode *node = &tree->nodes[index];
    TextReader reader;

    if (node->kind == NODE_CDATA) {
        xml_text_report(tree, index, context, true);
        return;
    }
    reader = start_text(tree, (Range){ node->begin, node->end }, context, true);
    for (size_t at = node->begin; at < node->end && !document_builder_failed(tree->builder);) {
        const char *tab = memchr(tree->bytes + at, '\t', node->end - at);
        const size_t stop = tab ? (size_t)(tab - tree->bytes) : node->end;
        while (at < stop && !document_builder_failed(tree->builder)) at = report_part(&reader, at, stop);
        if (!tab) break;
        if (at > stop) continue; /* the tab is in a tag */
        document_builder_next_unit(tree->builder, context, at, at + 1);
        at++;
    }
    escaped_tags_free(&reader.tags);
}

/* Whether an element without contents marks a place and shows nothing, in DocBook, TEI and the like. */
static bool is_invisible(const XmlTree *tree, size_t index)
{
    static const char *const names[] = { "a",   "anchor", "lb",        "pb",       "cb",       "gb",       "milestone",
                                         "wbr", "index",  "indexmark", "bookmark", "comment",  "b",        "i",
                                         "em",  "strong", "hi",        "phrase",   "emphasis", "indexterm" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xml_tree_is(tree, index, names[i])) return true;
    return false;
}

void xml_text_open(const XmlTree *tree, size_t index)
{
    const XmlNode *node = &tree->nodes[index];

    if (xml_tree_is(tree, index, "br"))
        document_builder_line_end(tree->builder, node->begin, node->end);
    else if (node->close_begin == node->close_end && is_invisible(tree, index))
        document_builder_empty(tree->builder, node->begin, node->end);
    else if (node->close_begin == node->close_end)
        document_builder_object(tree->builder, xml_tree_name(tree, index), node->begin, node->end);
    else
        document_builder_open(tree->builder, index, node->begin, node->end);
}

void xml_text_close(const XmlTree *tree, size_t index)
{
    const XmlNode *node = &tree->nodes[index];

    if (node->close_begin < node->close_end && !xml_tree_is(tree, index, "br"))
        document_builder_close(tree->builder, index, node->close_begin, node->close_end);
}

typedef struct {
    TextReader text;
    const XmlTextRules *rules;
    size_t kept; /* the span whose contents are kept; XML_NO_NODE: none */
} ContentsReader;

/* Whether a span is a block of HTML, as the strings of Android have them. */
static bool is_block(const ContentsReader *c, size_t index)
{
    return c->rules->is_android && escaped_tag_is_block(c->text.tree->bytes, xml_tree_name(c->text.tree, index));
}

/* Reports a tag of a span. */
static void report_tag(const ContentsReader *c, size_t index, bool closes)
{
    const XmlTree *tree = c->text.tree;
    const XmlNode *node = &tree->nodes[index];

    if (!is_block(c, index))
        (closes ? xml_text_close : xml_text_open)(tree, index);
    else if (!closes)
        document_builder_divide(tree->builder, node->begin, node->end);
    else
        document_builder_divide(tree->builder, node->close_begin, node->close_end);
}

/* Returns the next node to report. */
static size_t enter(ContentsReader *c, size_t index)
{
    const XmlTree *tree = c->text.tree;
    const XmlNode *node = &tree->nodes[index];
    Range id = { 0, 0 };
    XmlInline kind = INLINE_SPAN;

    if (node->kind != NODE_ELEMENT) {
        document_builder_keep(tree->builder, c->kept != XML_NO_NODE || node->is_protected);
        report_text(&c->text, index);
        return index + 1;
    }
    if (c->rules->inline_kind) kind = c->rules->inline_kind(tree, index, &id);
    if (kind == INLINE_SPAN || kind == INLINE_KEPT) {
        report_tag(c, index, false);
        if (kind == INLINE_KEPT && c->kept == XML_NO_NODE) c->kept = index;
        return index + 1;
    }
    xml_codes_report(tree, index, kind, id);
    return node->next;
}

static void leave(ContentsReader *c, size_t index)
{
    Range id;
    const XmlInline kind = c->rules->inline_kind ? c->rules->inline_kind(c->text.tree, index, &id) : INLINE_SPAN;

    if (kind == INLINE_SPAN || kind == INLINE_KEPT) report_tag(c, index, true);
    if (c->kept == index) c->kept = XML_NO_NODE;
}

/* XML_AFTER_TAG if the element begins with a tag, a quote, or white space that Android does not remove. */
static unsigned begin_context(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const char *bytes = tree->bytes;
    char text[HTML_ENTITY_BYTES];
    size_t at = node->end, length = 0;

    while (char_is_space(bytes[at])) at++;
    if (at >= node->close_begin || bytes[at] == '<' || bytes[at] == '"') return XML_AFTER_TAG;
    if (bytes[at] == '&')
        (void)xml_reference_read(bytes, at, text, &length);
    else if (bytes[at] == '\\')
        (void)android_escape_read(bytes + at, node->close_begin - at, text, &length);
    else
        return utf8_leading_space(bytes + at, node->close_begin - at) ? XML_AFTER_TAG : 0;
    return utf8_leading_space(text, length) == length ? XML_AFTER_TAG : 0;
}

/* Where the text of an element is: in its only CDATA section, or between its tags. */
static Range text_range(const XmlTree *tree, size_t element, unsigned context)
{
    const XmlNode *node = &tree->nodes[element];

    if (!is_cdata(context)) return (Range){ node->end, node->close_begin };
    while (node->kind != NODE_CDATA) node++;
    return (Range){ node->begin, node->end };
}

/* Reports all but the end of the text. */
static void report_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules)
{
    const XmlNode *nodes = tree->nodes;
    const unsigned context = xml_text_context(tree, element, rules->is_android);
    const Range text = text_range(tree, element, context);
    ContentsReader c = { start_text(tree, text, context, rules->is_preserved), rules, XML_NO_NODE };
    size_t open = element;

    document_builder_next_context(tree->builder, context | XML_AFTER_TAG);
    for (size_t i = element + 1; i < nodes[element].next || open != element;) {
        if (i == nodes[open].next) {
            leave(&c, open);
            open = nodes[open].parent;
            continue;
        }
        if (nodes[i].kind == NODE_ELEMENT) open = i;
        i = enter(&c, i);
    }
    escaped_tags_free(&c.text.tags);
}

static void begin_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules)
{
    document_builder_begin(tree->builder,
                           xml_text_context(tree, element, rules->is_android) | begin_context(tree, element),
                           tree->nodes[element].end);
}

void xml_text_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules, bool is_whole, size_t *text)
{
    begin_contents(tree, element, rules);
    if (is_whole) document_builder_whole(tree->builder);
    report_contents(tree, element, rules);
    document_builder_end_text(tree->builder, tree->nodes[element].close_begin, text);
}

void xml_text_unit(const XmlTree *tree, size_t element, const XmlTextRules *rules)
{
    begin_contents(tree, element, rules);
    report_contents(tree, element, rules);
    document_builder_end_unit(tree->builder, tree->nodes[element].close_begin);
}

void xml_text_attribute(const XmlTree *tree, Range value)
{
    TextReader reader = start_text(tree, value, XML_IN_TEXT | XML_IN_ATTRIBUTE, false);

    document_builder_begin(tree->builder, reader.context, value.begin);
    report_range(&reader, value.begin, value.end);
    document_builder_end_unit(tree->builder, value.end);
    escaped_tags_free(&reader.tags);
}

void xml_text_nothing(const XmlTree *tree, size_t begin, size_t end, size_t *text)
{
    document_builder_begin(tree->builder, XML_IN_TEXT, begin);
    document_builder_end_text(tree->builder, end, text);
}

bool xml_text_is_filled(const XmlTree *tree, size_t element, const char *mark)
{
    for (size_t i = element; i < tree->nodes[element].next; i++) {
        const bool counts = i > element && tree->nodes[i].kind == NODE_ELEMENT && !(mark && xml_tree_is(tree, i, mark));
        if (tree->nodes[i].has_text || counts) return true;
    }
    return false;
}

static bool is_special_xml(unsigned context, uint32_t code)
{
    if (code == '>' || (code < 0x20 && code != '\t') || code == 0xfffe || code == 0xffff) return true;
    if (context & XML_IN_ATTRIBUTE) return code == '&' || code == '<' || code == '"' || code == '\'';
    if (is_android(context) && code < 0x80 && strchr("'\"\\@?", (int)code)) return true;
    return !is_cdata(context) && (code == '&' || code == '<');
}

/* Whether a > would end a CDATA section; "]]>" is not allowed in other text either, but in attributes. */
static bool ends_section(const SpellingPlace *place)
{
    return !(place->context & XML_IN_ATTRIBUTE) && place->before_length >= 2 &&
           memcmp(place->before + place->before_length - 2, "]]", 2) == 0;
}

static size_t spell_xml(uint32_t code, const SpellingPlace *place, char *out)
{
    switch (code) {
    case '&':
        return spelling_copy("&amp;", out);
    case '<':
        return spelling_copy("&lt;", out);
    case '>':
        if (is_cdata(place->context)) return spelling_copy(ends_section(place) ? "]]><![CDATA[>" : ">", out);
        return spelling_copy("&gt;", out);
    case '@':
    case '?':
        if (place->before_length) return utf8_put(code, out);
        /* fall through */
    case '\'':
    case '"':
    case '\\':
        if (place->context & XML_IN_ATTRIBUTE) return spelling_copy(code == '"' ? "&quot;" : "&apos;", out);
        out[0] = '\\', out[1] = (char)code;
        return 2;
    default: /* XML 1.0 does not have this character */
        return utf8_put(0xfffd, out);
    }
}

/* References are not read in a CDATA section, so it ends before one and begins again after it. */
static size_t refer_xml(uint32_t code, const SpellingPlace *place, char *out)
{
    const char *format = is_cdata(place->context) ? "]]>&#%u;<![CDATA[" : "&#%u;";

    return (size_t)snprintf(out, SPELLING_BYTES, format, (unsigned)code);
}

static bool keeps_xml(const char *spelling, size_t length, const SpellingPlace *place)
{
    const bool is_reference = is_android(place->context) && length == 1 && (*spelling == '@' || *spelling == '?');

    if (is_reference && !place->before_length) return (place->context & XML_AFTER_TAG) != 0;
    return *spelling != '>' || !ends_section(place);
}

const SpellingRules xml_spelling = {
    .is_special = is_special_xml, .spell = spell_xml, .keeps = keeps_xml, .refer = refer_xml
};
