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

Range ooxml_prefix(const XmlTree *tree, size_t node)
{
    const Range name = xml_tree_name(tree, node);
    const char *begin = tree->bytes + name.begin, *colon = memchr(begin, ':', name.end - name.begin);

    return (Range){ name.begin, colon ? name.begin + (size_t)(colon + 1 - begin) : name.begin };
}

/* Whether a run has the prefix of the element that it is in: w:r in w:ins. The other ones are runs of formulas. */
static bool is_run_of_text(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;

    return parent != XML_NO_NODE && ranges_are_same(tree->bytes, ooxml_prefix(tree, node), ooxml_prefix(tree, parent));
}

OoxmlKind ooxml_kind(const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node];
    const Row *row = rows, *end = rows + sizeof rows / sizeof *rows;

    while (row < end && !xml_tree_is(tree, node, row->name)) row++;
    if (row == end) return OOXML_OTHER;
    if (row->kind == OOXML_RUN) return is_run_of_text(tree, node) ? OOXML_RUN : OOXML_OTHER;
    if (row->kind == OOXML_TEXT && n->close_begin == n->close_end) return OOXML_DROPPED;
    if (n->is_skipped && (row->kind == OOXML_TEXT || row->kind == OOXML_BREAK)) return OOXML_OTHER;
    return row->kind;
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

bool ooxml_attribute(const XmlTree *tree, size_t node, const char *name, Range *value)
{
    const Range prefix = ooxml_prefix(tree, node);
    const size_t length = prefix.end - prefix.begin;
    char full[64];

    if (length + strlen(name) >= sizeof full) return false;
    memcpy(full, tree->bytes + prefix.begin, length);
    memcpy(full + length, name, strlen(name) + 1);
    return xml_tree_attribute(tree, node, full, value);
}

OoxmlField ooxml_field(const XmlTree *tree, size_t node)
{
    static const char *const types[] = { NULL, "begin", "separate", "end" };
    Range value;

    if (!xml_tree_is(tree, node, "fldChar") || !ooxml_attribute(tree, node, "fldCharType", &value)) return FIELD_NONE;
    for (size_t i = FIELD_BEGIN; i <= FIELD_END; i++)
        if (strlen(types[i]) == value.end - value.begin &&
            memcmp(tree->bytes + value.begin, types[i], value.end - value.begin) == 0)
            return (OoxmlField)i;
    return FIELD_NONE;
}

/* The fields in each other that have begun in a paragraph. Fields more than 16 levels deep are only counted: their
 * codes are in the code or in the result of another one. */
typedef struct {
    size_t count, open[16]; /* where their codes begin; 0: the code has ended */
} Fields;

static void end_code(XmlTree *tree, Fields *fields, size_t end)
{
    size_t *begin = &fields->open[fields->count - 1];

    for (size_t i = *begin; i && i < end; i++) tree->nodes[i].is_skipped = true;
    *begin = 0;
}

static void mark_codes(XmlTree *tree, size_t paragraph, size_t depth)
{
    Fields fields = { .count = 0 };
    const size_t most = sizeof fields.open / sizeof *fields.open;

    for (size_t i = paragraph + 1; i < tree->nodes[paragraph].next;) {
        const bool is_paragraph = xml_tree_is(tree, i, "p");
        const OoxmlField field = ooxml_field(tree, i);
        if (is_paragraph && depth < OOXML_DEPTH) mark_codes(tree, i, depth + 1);
        if (field == FIELD_BEGIN && fields.count++ < most) fields.open[fields.count - 1] = i;
        if ((field == FIELD_SEPARATE || field == FIELD_END) && fields.count && fields.count <= most)
            end_code(tree, &fields, i);
        if (field == FIELD_END && fields.count) fields.count--;
        i = is_paragraph ? tree->nodes[i].next : i + 1;
    }
}

void ooxml_mark_codes(XmlTree *tree)
{
    for (size_t i = 0; i < tree->count;) {
        const bool is_paragraph = xml_tree_is(tree, i, "p");
        if (is_paragraph) mark_codes(tree, i, 1);
        i = is_paragraph ? tree->nodes[i].next : i + 1;
    }
}

/* Whether a name is `range` with Start or End. */
static bool is_range_end(const char *name, size_t length, const char *range, bool *begins)
{
    const size_t base = strlen(range);

    if (length < base || memcmp(name, range, base) != 0) return false;
    *begins = length == base + 5 && memcmp(name + base, "Start", 5) == 0;
    return *begins || (length == base + 3 && memcmp(name + base, "End", 3) == 0);
}

bool ooxml_range(const XmlTree *tree, size_t node, OoxmlRange *range)
{
    static const char *const ranges[] = { "bookmark",
                                          "commentRange",
                                          "perm",
                                          "moveFromRange",
                                          "moveToRange",
                                          "customXmlInsRange",
                                          "customXmlDelRange",
                                          "customXmlMoveFromRange",
                                          "customXmlMoveToRange" };
    Range name;

    if (tree->nodes[node].kind != NODE_ELEMENT) return false;
    name = xml_tree_name(tree, node);
    name.begin = ooxml_prefix(tree, node).end;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!is_range_end(tree->bytes + name.begin, name.end - name.begin, ranges[i], &range->begins)) continue;
        range->kind = (unsigned char)i;
        return ooxml_attribute(tree, node, "id", &range->id);
    }
    return false;
}

Range ooxml_formatting(const XmlTree *tree, size_t run)
{
    const size_t end = tree->nodes[run].next;
    size_t first = run + 1;

    while (first < end && tree->nodes[first].kind != NODE_ELEMENT) first++;
    if (first == end || !xml_tree_is(tree, first, "rPr")) return (Range){ 0, 0 };
    return (Range){ tree->nodes[first].begin, part_parser_end(tree, first) };
}
