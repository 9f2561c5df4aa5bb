/* xml_text.c - see xml_text.h. */
#include "xml_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "android_escapes.h"
#include "chars.h"
#include "escaped_code.h"
#include "escaped_tags.h"
#include "escaped_text.h"
#include "hash64.h"
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

/* Keys of spans: those of elements are their nodes, those of tags in text are larger. */
static uint64_t code_key(const XmlTree *tree, ByteRange name)
{
    return hash64_of(tree->bytes + name.begin, name.end - name.begin) >> 2 | (uint64_t)1 << 62;
}

typedef struct {
    const XmlTree *tree;
    unsigned context;
    bool is_preserved;
    bool *is_quoted; /* inside the quotes of Android */
    ByteRange code;  /* the last text in <code> that is written as text */
    EscapedLink link;
} TextReader;

/* Reports an element that ends a line, unless white space after it does so. */
static void report_line_end(const XmlTree *tree, size_t begin, size_t end)
{
    if (char_is_space(tree->bytes[end]))
        document_builder_empty(tree->builder, begin, end);
    else
        document_builder_line_end(tree->builder, begin, end);
}

static EscapedReader *reader_of(const TextReader *t)
{
    return is_cdata(t->context) ? escaped_text_plain : xml_reference_part;
}

/* Reads the tag that is written as text at byte `at`. Returns where it ends, or `at` if there is none. */
static size_t read_tag(const TextReader *t, size_t at, size_t end, EscapedTag *tag)
{
    return escaped_tag_read(t->tree->bytes, at, end, reader_of(t), tag);
}

/* Returns the end of the tags from byte `at` on that end lines, with white space between them. */
static size_t line_end_tags(const TextReader *t, size_t at, size_t end)
{
    const char *bytes = t->tree->bytes;
    EscapedTag tag;
    size_t last = at;

    for (;;) {
        const size_t next = read_tag(t, at, end, &tag);
        if (next == at || !escaped_tag_ends_line(bytes, &tag)) return last;
        last = next;
        for (at = next; at < end && char_is_space(bytes[at]);) at++;
    }
}

/* Reports an end of a link of Markdown. Returns where it ends, or `at` if there is none. */
static size_t report_link(TextReader *t, size_t at, size_t end)
{
    const char *bytes = t->tree->bytes;
    EscapedTag tag = { ESCAPED_CLOSE, t->link.opening };
    ByteRange found = t->link.closing;

    if (at != found.begin || !found.end) {
        EscapedLink link;
        if (char_is_alphanumeric(bytes[at - 1]) || !escaped_code_link(bytes, at, end, reader_of(t), &link)) return at;
        t->link = link;
        found = link.opening;
        tag = (EscapedTag){ ESCAPED_OPEN, found };
    }
    escaped_tag_report(t->tree->builder, &tag, found.begin, found.end);
    return found.end;
}

/* Reports the tag that is written as text at byte `at`. Returns where it ends, or `at` if there is none. */
static size_t report_tag(TextReader *t, size_t at, size_t end)
{
    EscapedTag tag;
    const size_t lines = line_end_tags(t, at, end);
    const size_t next = lines > at ? lines : read_tag(t, at, end, &tag);

    if (next == at) return at;
    if (lines > at)
        report_line_end(t->tree, at, next);
    else
        escaped_tag_report(t->tree->builder, &tag, at, next);
    if (lines == at) (void)escaped_tag_code(t->tree->bytes, (ByteRange){ at, next }, &tag, end, reader_of(t), &t->code);
    return next;
}

/* Whether white space has an empty line, which divides the paragraphs of a message. */
static bool has_blank_line(const char *bytes, size_t at, size_t end)
{
    size_t lines = 0;

    for (; at < end; at++) lines += bytes[at] == '\n';
    return lines > 1;
}

/* Reports the text that begins at byte `at`, and returns its end. */
static size_t report_characters(const TextReader *t, size_t at, size_t end)
{
    DocumentBuilder *builder = t->tree->builder;
    const char *bytes = t->tree->bytes;
    const bool keeps_space = t->is_preserved || *t->is_quoted;
    const char *stops = is_android(t->context) ? "&<![]\\\"" : "&<![]";
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
    } else if (bytes[at] == '&' && !is_cdata(t->context)) {
        next = xml_reference_read(bytes, at, text, &length);
        document_builder_spelled(builder, text, length, at, next);
    } else if (bytes[at] == '\\' && is_android(t->context)) {
        next = at + android_escape_read(bytes + at, end - at, text, &length);
        document_builder_spelled(builder, text, length, at, next);
    } else if (bytes[at] == '"' && is_android(t->context)) {
        *t->is_quoted = !*t->is_quoted;
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
    const bool is_kept = document_builder_keeps(t->tree->builder);
    size_t next = at;

    if (at < t->code.end) {
        document_builder_keep(t->tree->builder, true);
        next = report_characters(t, at, end);
        document_builder_keep(t->tree->builder, is_kept);
        return next;
    }
    next = report_tag(t, at, end);
    if (next == at) next = report_link(t, at, end);
    return next > at ? next : report_characters(t, at, end);
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

static void report_text(const XmlTree *tree, size_t index, unsigned context, bool is_preserved, bool *is_quoted)
{
    const XmlNode *node = &tree->nodes[index];
    TextReader reader = {
        .tree = tree,
        .context = context,
        .is_preserved = is_preserved || node->is_preserved,
        .is_quoted = is_quoted,
    };

    if (node->kind == NODE_CDATA && !is_cdata(context)) {
        report_section(tree, node);
        return;
    }
    if (node->kind == NODE_TEXT && is_cdata(context)) return; /* white space around the section */
    for (size_t at = node->begin; at < node->end && !document_builder_failed(tree->builder);)
        at = report_part(&reader, at, node->end);
}

void xml_text_report(const XmlTree *tree, size_t index, unsigned context, bool is_preserved)
{
    bool is_quoted = false;

    report_text(tree, index, context, is_preserved, &is_quoted);
}

void xml_text_report_columns(const XmlTree *tree, size_t index, unsigned context)
{
    const XmlNode *node = &tree->nodes[index];
    bool is_quoted = false;
    TextReader reader = { .tree = tree, .context = context, .is_preserved = true, .is_quoted = &is_quoted };

    if (node->kind == NODE_CDATA) {
        xml_text_report(tree, index, context, true);
        return;
    }
    for (size_t at = node->begin; at < node->end && !document_builder_failed(tree->builder);) {
        const char *tab = memchr(tree->bytes + at, '\t', node->end - at);
        const size_t stop = tab ? (size_t)(tab - tree->bytes) : node->end;
        while (at < stop) at = report_part(&reader, at, stop);
        if (!tab) return;
        document_builder_next_unit(tree->builder, context, at, at + 1);
        at++;
    }
}

void xml_text_open(const XmlTree *tree, size_t index)
{
    const XmlNode *node = &tree->nodes[index];

    if (xml_tree_is(tree, index, "br"))
        report_line_end(tree, node->begin, node->end);
    else if (node->close_begin == node->close_end)
        document_builder_empty(tree->builder, node->begin, node->end);
    else
        document_builder_open(tree->builder, index, node->begin, node->end);
}

void xml_text_close(const XmlTree *tree, size_t index)
{
    const XmlNode *node = &tree->nodes[index];

    if (node->close_begin < node->close_end && !xml_tree_is(tree, index, "br"))
        document_builder_close(tree->builder, index, node->close_begin, node->close_end);
}

/* Whether a code stands for the end of a line, as its attributes or its contents say. */
static bool is_line_end(const XmlTree *tree, size_t index)
{
    static const struct {
        const char *name, *value;
    } attributes[] = {
        { "ctype", "lb" }, { "ctype", "x-br" }, { "ctype", "x-html-br" }, { "subType", "xlf:lb" }, { "type", "lb" }
    };
    const XmlNode *node = &tree->nodes[index];
    EscapedTag tag;

    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (xml_tree_attribute_is(tree, index, attributes[i].name, attributes[i].value)) return true;
    return node->end < node->close_begin &&
           escaped_tag_read(tree->bytes, node->end, node->close_begin, xml_reference_part, &tag) > node->end &&
           escaped_tag_ends_line(tree->bytes, &tag);
}

/* Reports a code with all its contents. */
static void report_opaque(const XmlTree *tree, size_t index, XmlInline kind, ByteRange id)
{
    const XmlNode *node = &tree->nodes[index];
    const size_t end = node->close_end;
    const uint64_t key = code_key(tree, id);

    if (is_line_end(tree, index))
        report_line_end(tree, node->begin, end);
    else if (kind == INLINE_OPEN)
        document_builder_open(tree->builder, key, node->begin, end);
    else if (kind == INLINE_CLOSE)
        document_builder_close(tree->builder, key, node->begin, end);
    else
        document_builder_empty(tree->builder, node->begin, end);
}

typedef struct {
    const XmlTree *tree;
    const XmlTextRules *rules;
    unsigned context;
    size_t kept; /* the span whose contents are kept; XML_NO_NODE: none */
    bool is_quoted;
} ContentsReader;

/* Returns the next node to report. */
static size_t enter(ContentsReader *c, size_t index)
{
    const XmlTree *tree = c->tree;
    const XmlNode *node = &tree->nodes[index];
    ByteRange id = { 0, 0 };
    XmlInline kind = INLINE_SPAN;

    if (node->kind != NODE_ELEMENT) {
        document_builder_keep(tree->builder, c->kept != XML_NO_NODE || node->is_protected);
        report_text(tree, index, c->context, c->rules->is_preserved, &c->is_quoted);
        return index + 1;
    }
    if (c->rules->inline_kind) kind = c->rules->inline_kind(tree, index, &id);
    if (kind == INLINE_SPAN || kind == INLINE_KEPT) {
        xml_text_open(tree, index);
        if (kind == INLINE_KEPT && c->kept == XML_NO_NODE) c->kept = index;
        return index + 1;
    }
    report_opaque(tree, index, kind, id);
    return node->next;
}

static void leave(ContentsReader *c, size_t index)
{
    ByteRange id;
    const XmlInline kind = c->rules->inline_kind ? c->rules->inline_kind(c->tree, index, &id) : INLINE_SPAN;

    if (kind == INLINE_SPAN || kind == INLINE_KEPT) xml_text_close(c->tree, index);
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

/* Reports all but the end of the text. */
static void report_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules)
{
    const XmlNode *nodes = tree->nodes;
    ContentsReader c = { tree, rules, xml_text_context(tree, element, rules->is_android), XML_NO_NODE, false };
    size_t open = element;

    document_builder_begin(tree->builder, c.context | begin_context(tree, element), nodes[element].end);
    for (size_t i = element + 1; i < nodes[element].next || open != element;) {
        if (i == nodes[open].next) {
            leave(&c, open);
            open = nodes[open].parent;
            continue;
        }
        if (nodes[i].kind == NODE_ELEMENT) open = i;
        i = enter(&c, i);
    }
}

void xml_text_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules, size_t *text)
{
    report_contents(tree, element, rules);
    document_builder_end_text(tree->builder, tree->nodes[element].close_begin, text);
}

void xml_text_unit(const XmlTree *tree, size_t element, const XmlTextRules *rules)
{
    report_contents(tree, element, rules);
    document_builder_end_unit(tree->builder, tree->nodes[element].close_begin);
}

void xml_text_attribute(const XmlTree *tree, ByteRange value)
{
    bool is_quoted = false;
    TextReader reader = { .tree = tree, .context = XML_IN_TEXT | XML_IN_ATTRIBUTE, .is_quoted = &is_quoted };

    document_builder_begin(tree->builder, reader.context, value.begin);
    for (size_t at = value.begin; at < value.end && !document_builder_failed(tree->builder);)
        at = report_part(&reader, at, value.end);
    document_builder_end_unit(tree->builder, value.end);
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
