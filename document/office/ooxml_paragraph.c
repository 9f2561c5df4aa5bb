/* ooxml_paragraph.c - see ooxml_paragraph.h. */
#include "ooxml_paragraph.h"

#include <string.h>

#include "hash64.h"
#include "ooxml.h"
#include "part_parser.h"
#include "xml_text.h"

/* Keys of spans; those of levels are below. */
#define FIELD_KEY ((uint64_t)1 << 62)
#define RANGE_KEY ((uint64_t)1 << 63)

/* An element around runs that the text is in, or the paragraph itself. */
typedef struct {
    size_t contents; /* its node */
    Range base;      /* the formatting of its first run */
} Level;

typedef struct {
    const XmlTree *tree;
    DocumentBuilder *builder;
    size_t paragraph, depth; /* the depth counts paragraphs in each other, with or without text */
    Level levels[OOXML_LEVELS];
    size_t level_count;
    bool is_base;   /* the text before has the formatting of its level */
    size_t last;    /* the text before; XML_NO_NODE: none */
    size_t scanned; /* the nodes before this one have been searched for units inside */
} Paragraph;

static void report(const XmlTree *tree, size_t paragraph, size_t depth);

static bool is_element(const XmlTree *tree, size_t node)
{
    return tree->nodes[node].kind == NODE_ELEMENT;
}

void ooxml_paragraph_report_object(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "descr", "title" };
    Range values[2] = { { 0, 0 }, { 0, 0 } };

    if (!xml_tree_is(tree, node, "docPr") && !xml_tree_is(tree, node, "cNvPr")) return;
    for (size_t i = 0; i < 2; i++)
        if (!xml_tree_attribute(tree, node, names[i], &values[i])) values[i] = (Range){ 0, 0 };
    for (size_t i = 0; i < 2; i++) {
        const Range value = values[values[1].begin < values[0].begin ? 1 - i : i];
        if (value.begin < value.end) xml_text_attribute(tree, value);
    }
}

/* The element that contains the run of a text, if only elements around runs are between it and the paragraph, and not
 * too many; otherwise XML_NO_NODE. */
static size_t level_of(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    const size_t run = tree->nodes[text].parent;
    size_t at, levels = 1;

    if (run == XML_NO_NODE || ooxml_kind(tree, run) != OOXML_RUN) return XML_NO_NODE;
    at = tree->nodes[run].parent;
    while (at != XML_NO_NODE && at != p->paragraph && levels++ < OOXML_LEVELS) {
        const size_t parent = tree->nodes[at].parent;
        const bool is_inner =
            xml_tree_is(tree, at, "sdtContent") && parent != XML_NO_NODE && xml_tree_is(tree, parent, "sdt");
        if (!is_inner && ooxml_kind(tree, at) != OOXML_AROUND) return XML_NO_NODE;
        at = is_inner ? tree->nodes[parent].parent : parent;
    }
    return at == p->paragraph ? tree->nodes[run].parent : XML_NO_NODE;
}

/* Reports the units inside what is before `node`. */
static void report_inner(Paragraph *p, size_t node)
{
    const XmlTree *tree = p->tree;

    while (p->scanned < node) {
        const size_t at = p->scanned;
        const bool is_paragraph = is_element(tree, at) && xml_tree_is(tree, at, "p");
        p->scanned = is_paragraph ? tree->nodes[at].next : at + 1;
        if (!document_builder_can_begin(p->builder) || !is_element(tree, at)) continue;
        if (!is_paragraph)
            ooxml_paragraph_report_object(tree, at);
        else if (p->depth < OOXML_DEPTH)
            report(tree, at, p->depth + 1);
    }
}

static void begin_level(Paragraph *p, size_t contents, size_t text)
{
    p->levels[p->level_count++] = (Level){ contents, ooxml_formatting(p->tree, p->tree->nodes[text].parent) };
    p->is_base = true;
}

static uint64_t key_of(const Level *level, bool of_format)
{
    return (uint64_t)level->contents << 1 | of_format;
}

/* The beginning or the end of a span that is not formatting: a field or a range. */
typedef struct {
    uint64_t key; /* 0: none */
    bool opens;
} RunSpan;

static RunSpan run_span_at(const Paragraph *p, size_t node)
{
    const XmlTree *tree = p->tree;
    const OoxmlField field = ooxml_field(tree, node);
    OoxmlRange range;

    if (field == FIELD_SEPARATE || field == FIELD_END) return (RunSpan){ FIELD_KEY, field == FIELD_SEPARATE };
    if (!ooxml_range(tree, node, &range)) return (RunSpan){ 0, false };
    return (RunSpan){ RANGE_KEY | hash64_of(tree->bytes + range.id.begin, range.id.end - range.id.begin) >> 10 << 8 |
                          range.kind,
                      range.begins };
}

/* The node after this one, not counting those of a paragraph inside. */
static size_t next_outside(const XmlTree *tree, size_t node)
{
    return is_element(tree, node) && xml_tree_is(tree, node, "p") ? tree->nodes[node].next : node + 1;
}

/* The last one before a text. A field that begins and ends there, also in the code of another one, is none. */
static RunSpan last_span(const Paragraph *p, size_t text)
{
    RunSpan span = { 0, false }, before = span;
    size_t fields = 0;

    for (size_t i = p->last + 1; i < text; i = next_outside(p->tree, i)) {
        const OoxmlField field = ooxml_field(p->tree, i);
        const RunSpan found = run_span_at(p, i);
        if (field == FIELD_BEGIN && !fields++) before = span;
        if (field == FIELD_END && fields) {
            fields--;
            span = before;
        } else if (found.key) {
            span = found;
        }
    }
    return span;
}

/* The line breaks between the text before and this one. */
static size_t count_breaks(const Paragraph *p, size_t text)
{
    size_t count = 0;

    for (size_t at = p->last + 1; at < text; at = next_outside(p->tree, at))
        count += is_element(p->tree, at) && ooxml_kind(p->tree, at) == OOXML_BREAK;
    return count;
}

/* The picture or the formula that stands in the line between the text before and this one; XML_NO_NODE: none. */
static size_t find_object(const Paragraph *p, size_t text)
{
    static const char *const names[] = { "inline", "object", "oMath", "sym", NULL };
    size_t at = p->last + 1;

    while (at < text && !part_parser_is_listed(p->tree, at, names)) at = next_outside(p->tree, at);
    return at < text ? at : XML_NO_NODE;
}

/* Whether a hyphen at which no line ends is all that is before a text, apart from runs, their formatting, and elements
 * around them. A text box or deleted text with a hyphen is none: it would be lost in a translation without the
 * hyphen. */
static bool is_hyphen(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    size_t hyphens = 0;

    for (size_t i = p->last + 1; i < text;) {
        const OoxmlKind kind = is_element(tree, i) ? ooxml_kind(tree, i) : OOXML_TEXT;
        const bool is_one = is_element(tree, i) && xml_tree_is(tree, i, "noBreakHyphen");
        const bool is_around = kind == OOXML_RUN || kind == OOXML_AROUND;
        if (!is_one && !is_around && kind != OOXML_PROPERTIES && kind != OOXML_TEXT) return false;
        hyphens += is_one;
        i = kind == OOXML_PROPERTIES ? tree->nodes[i].next : i + 1;
    }
    return hyphens == 1;
}

/* Something that is neither formatting nor around text. Such a hyphen is a character. */
static void report_other(const Paragraph *p, size_t text, Range bytes)
{
    DocumentBuilder *b = p->builder;
    const RunSpan span = last_span(p, text);
    const size_t breaks = count_breaks(p, text), object = find_object(p, text);

    if (span.key && span.opens)
        document_builder_open(b, span.key, bytes.begin, bytes.end);
    else if (span.key)
        document_builder_close(b, span.key, bytes.begin, bytes.end);
    else if (breaks > 1)
        document_builder_divide(b, bytes.begin, bytes.end);
    else if (breaks)
        document_builder_line_end(b, bytes.begin, bytes.end);
    else if (object != XML_NO_NODE)
        document_builder_object(b, xml_tree_name(p->tree, object), bytes.begin, bytes.end);
    else if (is_hyphen(p, text))
        document_builder_spelled(b, "\xe2\x80\x91", 3, bytes.begin, bytes.end);
    else
        document_builder_empty(b, bytes.begin, bytes.end);
}

/* Notes the level and the formatting of a text. Returns the span of one of them that begins or ends before the text.
 * *crosses: elements around runs begin or end that are no span. */
static RunSpan enter_text(Paragraph *p, size_t text, size_t contents, bool *crosses)
{
    const Level top = p->levels[p->level_count - 1];
    const bool was_base = p->is_base;

    *crosses = false;
    if (contents > top.contents && p->is_base && p->level_count < OOXML_LEVELS) {
        begin_level(p, contents, text);
        return (RunSpan){ key_of(&p->levels[p->level_count - 1], false), true };
    }
    if (contents != top.contents && p->level_count > 1 && p->levels[p->level_count - 2].contents == contents) {
        p->level_count--;
        p->is_base = true;
        return (RunSpan){ key_of(&top, false), false };
    }
    *crosses = contents != top.contents;
    if (*crosses) return (RunSpan){ 0, false };
    p->is_base = ranges_are_same(p->tree->bytes, top.base, ooxml_formatting(p->tree, p->tree->nodes[text].parent));
    return (RunSpan){ p->is_base == was_base ? 0 : key_of(&top, true), was_base };
}

/* Reports what is between the text before and this one. */
static void report_between(Paragraph *p, size_t text, size_t contents)
{
    const XmlTree *tree = p->tree;
    const Range bytes = { tree->nodes[p->last].close_begin, tree->nodes[text].end };
    bool crosses;
    const RunSpan span = enter_text(p, text, contents, &crosses);

    if (span.key && span.opens)
        document_builder_open(p->builder, span.key, bytes.begin, bytes.end);
    else if (span.key)
        document_builder_close(p->builder, span.key, bytes.begin, bytes.end);
    else if (crosses)
        document_builder_empty(p->builder, bytes.begin, bytes.end);
    else
        report_other(p, text, bytes);
}

/* Whether the element separates texts and not only words: a tab, the end of a page or of a column. */
static bool separates_texts(const XmlTree *tree, size_t node)
{
    Range type;

    if (!is_element(tree, node) || ooxml_kind(tree, node) != OOXML_BREAK || xml_tree_is(tree, node, "cr")) return false;
    if (!xml_tree_is(tree, node, "br")) return true;
    return ooxml_attribute(tree, node, "type", &type) &&
           (tree->bytes[type.begin] == 'p' || tree->bytes[type.begin] == 'c'); /* not textWrapping */
}

/* Whether something between the text before and this one separates them. */
static bool is_column(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    size_t at = p->last == XML_NO_NODE ? text : tree->nodes[p->last].next;

    while (at < text && !separates_texts(tree, at)) at = next_outside(tree, at);
    return at < text;
}

/* What is before a column is no tag of its text, because it must not move. */
static void begin_column(Paragraph *p, size_t text, size_t contents)
{
    bool crosses;

    document_builder_begin(p->builder, XML_IN_TEXT, p->tree->nodes[text].end);
    (void)enter_text(p, text, contents, &crosses);
}

static void report_text(Paragraph *p, size_t text, size_t contents)
{
    const XmlTree *tree = p->tree;
    const bool begins_column = is_column(p, text);

    if (begins_column) document_builder_end_unit(p->builder, tree->nodes[p->last].close_begin);
    report_inner(p, text);
    if (p->last == XML_NO_NODE) {
        document_builder_begin(p->builder, XML_IN_TEXT, tree->nodes[text].end);
        begin_level(p, contents, text);
    } else if (begins_column) {
        begin_column(p, text, contents);
    } else {
        report_between(p, text, contents);
    }
    for (size_t i = text + 1; i < tree->nodes[text].next; i++)
        if (!is_element(tree, i)) xml_text_report_columns(tree, i, XML_IN_TEXT);
    p->last = text;
    p->scanned = text + 1;
}

static void report(const XmlTree *tree, size_t paragraph, size_t depth)
{
    Paragraph p = { .tree = tree,
                    .builder = tree->builder,
                    .paragraph = paragraph,
                    .depth = depth,
                    .last = XML_NO_NODE,
                    .scanned = paragraph + 1 };
    const size_t end = tree->nodes[paragraph].next;

    for (size_t i = paragraph + 1; i < end && !document_builder_failed(p.builder);) {
        const bool is_text = is_element(tree, i) && ooxml_kind(tree, i) == OOXML_TEXT;
        const size_t contents = is_text ? level_of(&p, i) : XML_NO_NODE;
        if (contents != XML_NO_NODE) report_text(&p, i, contents);
        i = next_outside(tree, i);
    }
    if (p.last != XML_NO_NODE) document_builder_end_unit(p.builder, tree->nodes[p.last].close_begin);
    report_inner(&p, end);
}

void ooxml_paragraph_report(const XmlTree *tree, size_t paragraph)
{
    report(tree, paragraph, 1);
}
