/* odf_paragraph.c - see odf_paragraph.h.
 * Source   OpenDocument 1.3, part 3, chapters 5 and 6 (text:p, text:h and what they contain). */
#include "odf_paragraph.h"

#include <string.h>

#include "chars.h"
#include "hash64.h"
#include "part_parser.h"
#include "xml_text.h"

/* What an element in a paragraph is. */
typedef enum {
    ODF_SPAN,   /* formatting, a link */
    ODF_SPACE,  /* spaces, a tab, the end of a line */
    ODF_BEGIN,  /* of a range: a bookmark, a tracked change, an entry of an index */
    ODF_END,    /* of a range */
    ODF_OPAQUE, /* a note, a comment, a frame: paragraphs in it are units of their own */
    ODF_FIELD   /* everything else: its text is kept */
} OdfKind;

static OdfKind kind_of(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *names[12];
        OdfKind kind;
    } rows[] = {
        { { "span", "a", "meta", "content-control" }, ODF_SPAN },
        { { "s", "tab", "line-break" }, ODF_SPACE },
        { { "bookmark-start", "reference-mark-start", "annotation", "change-start", "toc-mark-start",
            "user-index-mark-start", "alphabetical-index-mark-start" },
          ODF_BEGIN },
        { { "bookmark-end", "reference-mark-end", "annotation-end", "change-end", "toc-mark-end", "user-index-mark-end",
            "alphabetical-index-mark-end" },
          ODF_END },
        { { "note", "frame", "custom-shape", "g", "rect", "line", "text-box", "control", "ruby", "soft-page-break" },
          ODF_OPAQUE },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (part_parser_is_listed(tree, node, rows[i].names)) return rows[i].kind;
    return ODF_FIELD;
}

bool odf_is_paragraph(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "p", "h", NULL };

    return part_parser_is_listed(tree, node, names);
}

bool odf_is_description(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "svg:title", "svg:desc", NULL };

    return part_parser_is_listed(tree, node, names);
}

bool odf_is_data(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;

    return xml_tree_is(tree, node, "chart:series") ||
           (xml_tree_is(tree, node, "table:table") && parent != XML_NO_NODE &&
            xml_tree_is(tree, parent, "chart:chart"));
}

/* Reports the units in an element. */
static void report_inner(const XmlTree *tree, size_t node)
{
    if (!document_builder_can_begin(tree->builder)) return;
    for (size_t i = node + 1; i < tree->nodes[node].next;) {
        const bool is_paragraph = odf_is_paragraph(tree, i);
        if (is_paragraph)
            odf_paragraph_report(tree, i);
        else if (odf_is_description(tree, i))
            part_parser_report_element(tree, i);
        i = is_paragraph || odf_is_data(tree, i) ? tree->nodes[i].next : i + 1;
    }
}

/* What the range is that an element begins or ends: its name without -start and -end. */
static Range range_kind(const XmlTree *tree, size_t node)
{
    static const char *const ends[] = { "-start", "-end" };
    Range name = xml_tree_name(tree, node);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i]);
        if (name.end - name.begin > length && memcmp(tree->bytes + name.end - length, ends[i], length) == 0)
            name.end -= length;
    }
    return name;
}

static uint64_t range_key(const XmlTree *tree, Range kind, Range name)
{
    Hash64 hash = hash64_begin();

    hash64_add(&hash, tree->bytes + kind.begin, kind.end - kind.begin);
    hash64_add(&hash, " ", 1);
    hash64_add(&hash, tree->bytes + name.begin, name.end - name.begin);
    return (uint64_t)1 << 63 | hash64_end(&hash) >> 1;
}

/* Finds the key of a range. Its ends have the same name. An annotation without a name has no end. */
static bool find_name(const XmlTree *tree, size_t node, uint64_t *key)
{
    static const char *const names[] = { "text:name", "office:name", "text:change-id", "text:id" };
    Range name;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!xml_tree_attribute(tree, node, names[i], &name)) continue;
        *key = range_key(tree, range_kind(tree, node), name);
        return true;
    }
    return false;
}

/* Reports spaces or the end of a line. */
static void report_space(const XmlTree *tree, size_t node, size_t begin, size_t end)
{
    const char *bytes = tree->bytes;

    if (xml_tree_is(tree, node, "line-break"))
        document_builder_line_end(tree->builder, begin, end);
    else if (char_is_space(bytes[end]) || char_is_space(bytes[begin - 1]))
        document_builder_empty(tree->builder, begin, end);
    else
        document_builder_gap(tree->builder, begin, end);
}

/* Whether an opaque element is a picture or a formula that stands in its line as a word does. */
static bool is_in_line(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "frame", "custom-shape", "g", "rect", "line", "control", NULL };

    return part_parser_is_listed(tree, node, names) && xml_tree_attribute_is(tree, node, "text:anchor-type", "as-char");
}

/* Whether a field shows nothing: it marks a place. */
static bool is_mark(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "bookmark",        "reference-mark",          "toc-mark",
                                         "user-index-mark", "alphabetical-index-mark", NULL };

    return part_parser_is_listed(tree, node, names);
}

/* A field that shows text keeps it. */
static void report_field(const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node];

    if (!n->has_text || n->next != node + 2) {
        if (is_mark(tree, node))
            document_builder_empty(tree->builder, n->begin, part_parser_end(tree, node));
        else
            document_builder_object(tree->builder, xml_tree_name(tree, node), n->begin, part_parser_end(tree, node));
        return;
    }
    xml_text_open(tree, node);
    document_builder_keep(tree->builder, true);
    xml_text_report(tree, node + 1, XML_IN_TEXT, false);
    document_builder_keep(tree->builder, false);
    xml_text_close(tree, node);
}

/* Reports an element. Returns the next node to report. */
static size_t report_element(const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node];
    const size_t end = part_parser_end(tree, node);
    const OdfKind kind = kind_of(tree, node);
    uint64_t key = 0;

    if (kind == ODF_SPAN) {
        xml_text_open(tree, node);
        return node + 1;
    }
    if (kind != ODF_SPACE) report_inner(tree, node);
    if (xml_tree_is(tree, node, "tab")) /* it separates texts and not only words */
        document_builder_next_unit(tree->builder, XML_IN_TEXT, n->begin, end);
    else if (kind == ODF_SPACE)
        report_space(tree, node, n->begin, end);
    else if (kind == ODF_BEGIN && find_name(tree, node, &key))
        document_builder_open(tree->builder, key, n->begin, end);
    else if (kind == ODF_END && find_name(tree, node, &key))
        document_builder_close(tree->builder, key, n->begin, end);
    else if (kind == ODF_FIELD)
        report_field(tree, node);
    else if (is_in_line(tree, node))
        document_builder_object(tree->builder, xml_tree_name(tree, node), n->begin, end);
    else
        document_builder_empty(tree->builder, n->begin, end);
    return n->next;
}

/* Closes the spans that end before `node`. */
static size_t close_spans(const XmlTree *tree, size_t open, size_t paragraph, size_t node)
{
    while (open != paragraph && tree->nodes[open].next <= node) {
        xml_text_close(tree, open);
        open = tree->nodes[open].parent;
    }
    return open;
}

void odf_paragraph_report(const XmlTree *tree, size_t paragraph)
{
    const XmlNode *nodes = tree->nodes;
    size_t open = paragraph;

    if (nodes[paragraph].close_begin <= nodes[paragraph].end) return;
    document_builder_begin(tree->builder, XML_IN_TEXT, nodes[paragraph].end);
    for (size_t i = paragraph + 1; i < nodes[paragraph].next && !document_builder_failed(tree->builder);) {
        open = close_spans(tree, open, paragraph, i);
        if (nodes[i].kind != NODE_ELEMENT) {
            xml_text_report(tree, i, XML_IN_TEXT, false);
            i++;
            continue;
        }
        if (kind_of(tree, i) == ODF_SPAN && nodes[i].close_begin > nodes[i].end) open = i;
        i = report_element(tree, i);
    }
    close_spans(tree, open, paragraph, nodes[paragraph].next);
    document_builder_end_unit(tree->builder, nodes[paragraph].close_begin);
}
