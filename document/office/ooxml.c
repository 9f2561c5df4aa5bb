/* ooxml.c - see ooxml.h: the elements of paragraphs. Names are compared without their prefixes. */
#include "ooxml.h"

#include <string.h>

#include "part_parser.h"

typedef struct {
    const char *name;
    OoxmlKind kind;
} Row;

static const Row rows[] = {
    { "r", OOXML_RUN },
    { "rPr", OOXML_PROPERTIES },
    { "pPr", OOXML_PROPERTIES },
    { "sdtPr", OOXML_PROPERTIES },
    { "sdtEndPr", OOXML_PROPERTIES },
    { "smartTagPr", OOXML_PROPERTIES },
    { "customXmlPr", OOXML_PROPERTIES },
    { "fldData", OOXML_PROPERTIES },
    { "t", OOXML_TEXT },
    { "tab", OOXML_BREAK },
    { "ptab", OOXML_BREAK },
    { "br", OOXML_BREAK },
    { "cr", OOXML_BREAK },
    { "hyperlink", OOXML_AROUND },
    { "smartTag", OOXML_AROUND },
    { "ins", OOXML_AROUND },
    { "moveTo", OOXML_AROUND },
    { "fldSimple", OOXML_AROUND },
    { "sdt", OOXML_AROUND },
    { "customXml", OOXML_AROUND },
    { "bdo", OOXML_AROUND },
    { "dir", OOXML_AROUND },
    { "proofErr", OOXML_DROPPED },
    { "lastRenderedPageBreak", OOXML_DROPPED },
};

OoxmlKind ooxml_kind(const XmlTree *tree, size_t node)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xml_tree_is(tree, node, rows[i].name))
            return rows[i].kind == OOXML_TEXT && tree->nodes[node].close_begin == tree->nodes[node].close_end
                       ? OOXML_DROPPED
                       : rows[i].kind;
    return OOXML_OTHER;
}

size_t ooxml_contents(const XmlTree *tree, size_t around)
{
    return xml_tree_is(tree, around, "sdt") ? xml_tree_child(tree, around, "sdtContent") : around;
}

static bool run_has_text(const XmlTree *tree, size_t run)
{
    for (size_t i = run + 1; i < tree->nodes[run].next; i = tree->nodes[i].next)
        if (tree->nodes[i].kind == NODE_ELEMENT && ooxml_kind(tree, i) == OOXML_TEXT &&
            tree->nodes[i].close_begin > tree->nodes[i].end)
            return true;
    return false;
}

bool ooxml_has_text(const XmlTree *tree, size_t node, size_t levels)
{
    for (size_t i = node + 1; levels && i < tree->nodes[node].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = tree->nodes[i].kind == NODE_ELEMENT ? ooxml_kind(tree, i) : OOXML_OTHER;
        if (kind == OOXML_RUN && run_has_text(tree, i)) return true;
        if (kind == OOXML_AROUND) {
            const size_t contents = ooxml_contents(tree, i);
            if (contents != XML_NO_NODE && ooxml_has_text(tree, contents, levels - 1)) return true;
        }
    }
    return false;
}

bool ooxml_attribute(const XmlTree *tree, size_t node, const char *name, ByteRange *value)
{
    const ByteRange element = xml_tree_name(tree, node);
    const char *begin = tree->bytes + element.begin, *colon = memchr(begin, ':', element.end - element.begin);
    const size_t prefix = colon ? (size_t)(colon + 1 - begin) : 0;
    char full[64];

    if (prefix + strlen(name) >= sizeof full) return false;
    memcpy(full, begin, prefix);
    memcpy(full + prefix, name, strlen(name) + 1);
    return xml_tree_attribute(tree, node, full, value);
}

OoxmlField ooxml_field(const XmlTree *tree, size_t node)
{
    static const char *const types[] = { NULL, "begin", "separate", "end" };
    ByteRange value;

    if (!xml_tree_is(tree, node, "fldChar") || !ooxml_attribute(tree, node, "fldCharType", &value)) return FIELD_NONE;
    for (size_t i = FIELD_BEGIN; i <= FIELD_END; i++)
        if (strlen(types[i]) == value.end - value.begin &&
            memcmp(tree->bytes + value.begin, types[i], value.end - value.begin) == 0)
            return (OoxmlField)i;
    return FIELD_NONE;
}

bool ooxml_range(const XmlTree *tree, size_t node, OoxmlRange *range)
{
    static const struct {
        const char *name;
        bool begins;
        char kind;
    } marks[] = { { "bookmarkStart", true, 'b' },
                  { "bookmarkEnd", false, 'b' },
                  { "commentRangeStart", true, 'c' },
                  { "commentRangeEnd", false, 'c' } };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!xml_tree_is(tree, node, marks[i].name) || !ooxml_attribute(tree, node, "id", &range->id)) continue;
        range->begins = marks[i].begins;
        range->kind = marks[i].kind;
        return true;
    }
    return false;
}

ByteRange ooxml_formatting(const XmlTree *tree, size_t run)
{
    const size_t end = tree->nodes[run].next;
    size_t first = run + 1;

    while (first < end && tree->nodes[first].kind != NODE_ELEMENT) first++;
    if (first == end || !xml_tree_is(tree, first, "rPr")) return (ByteRange){ 0, 0 };
    return (ByteRange){ tree->nodes[first].begin, part_parser_end(tree, first) };
}
