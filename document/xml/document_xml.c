/* document_xml.c - XML of any kind, and the choice of the format by the root element of a .xml file.
 *
 * XML does not say which elements are blocks. Here an element with text of its own is one unit, and the elements in it
 * are inline, except those that look like a list: without text of their own, and with two elements of the same name.
 * Footnotes and index entries are texts of their own inside the text around them.
 * Attributes are left alone. */
#include <string.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "xml_pairs.h"
#include "xml_text.h"
#include "xml_tree.h"

typedef struct {
    XmlTree tree;
    const DocumentOptions *options;
    size_t open;      /* the innermost open element, or XML_NO_NODE */
    bool in_text;     /* a text of this parser has begun */
    unsigned context; /* of it */
} XmlParser;

static bool lists_name(const XmlTree *tree, size_t node, const char *const *names, size_t count)
{
    const Range name = xml_tree_name(tree, node);

    for (size_t i = 0; i < count; i++)
        if (xml_tree_is(tree, node, names[i]) || chars_are(tree->bytes + name.begin, name.end - name.begin, names[i]))
            return true;
    return false;
}

/* Returns the next element at or after the node `at` that is directly in `parent`, or XML_NO_NODE. */
static size_t next_element(const XmlTree *tree, size_t parent, size_t at)
{
    for (; at < tree->nodes[parent].next; at = tree->nodes[at].next)
        if (tree->nodes[at].kind == NODE_ELEMENT) return at;
    return XML_NO_NODE;
}

static bool looks_like_list(const XmlTree *tree, size_t node)
{
    size_t first, second;

    if (tree->nodes[node].has_text) return false;
    first = next_element(tree, node, node + 1);
    if (first == XML_NO_NODE) return false;
    second = next_element(tree, node, tree->nodes[first].next);
    if (second == XML_NO_NODE) return false;
    return ranges_are_same(tree->bytes, xml_tree_name(tree, first), xml_tree_name(tree, second));
}

static bool is_in_text(const XmlNode *node)
{
    return node && (node->is_inline || node->is_text_owner);
}

static void end_text(XmlParser *p, size_t at)
{
    if (p->in_text) document_builder_end_unit(p->tree.builder, at);
    p->in_text = false;
}

static void begin_text(XmlParser *p, size_t at)
{
    if (p->in_text) return;
    p->in_text = true;
    p->context = p->tree.nodes[p->open].is_text_owner ? xml_text_context(&p->tree, p->open, false) : XML_IN_TEXT;
    document_builder_begin(p->tree.builder, p->context, at);
}

/* Decides what an element is, from what its parent is. */
static void enter_element(XmlParser *p, size_t index)
{
    const DocumentOptions *options = p->options;
    XmlNode *node = &p->tree.nodes[index];
    const XmlNode *parent = p->open == XML_NO_NODE ? NULL : &p->tree.nodes[p->open];

    node->is_selected = (parent ? parent->is_selected : !options->select_count) ||
                        lists_name(&p->tree, index, options->selects, options->select_count);
    node->is_skipped =
        (parent && parent->is_skipped) || lists_name(&p->tree, index, options->skips, options->skip_count);
    node->is_inline = is_in_text(parent) && !looks_like_list(&p->tree, index);
    node->is_text_owner =
        !node->is_inline && node->has_text && node->is_selected && !node->is_skipped && !node->is_protected;
    if (node->is_inline) {
        begin_text(p, node->begin);
        xml_text_open(&p->tree, index);
    } else {
        end_text(p, node->begin);
    }
    p->open = index;
}

static void leave_element(XmlParser *p)
{
    const size_t index = p->open;
    const XmlNode *node = &p->tree.nodes[index];

    if (!node->is_inline)
        end_text(p, node->close_begin);
    else if (p->in_text)
        xml_text_close(&p->tree, index);
    p->open = node->parent;
}

static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around);

/* Whether the element is a note in a text, as in DocBook, DITA, JATS and TEI: its contents are texts of their own. */
static bool is_note(const XmlParser *p, size_t index)
{
    static const char *const names[] = { "footnote", "endnote", "fn", "note", "indexterm" };
    const XmlNode *node = &p->tree.nodes[index], *parent = p->open == XML_NO_NODE ? NULL : &p->tree.nodes[p->open];

    if (!is_in_text(parent) || parent->is_skipped || node->is_protected ||
        lists_name(&p->tree, index, p->options->skips, p->options->skip_count))
        return false;
    return lists_name(&p->tree, index, names, sizeof names / sizeof *names);
}

/* Reports the texts of a note, unless it is too deep in other notes, and the note as an empty element of the text
 * around it. */
static void report_note(XmlParser *p, size_t index)
{
    XmlNode *node = &p->tree.nodes[index];
    XmlParser inner = { .tree = p->tree, .options = p->options, .open = index };

    begin_text(p, node->begin);
    node->is_selected = true;
    node->is_skipped = node->is_inline = false;
    node->is_text_owner = node->has_text;
    if (document_builder_can_begin(p->tree.builder)) {
        report_nodes(&inner, index + 1, node->next, index);
        end_text(&inner, node->close_begin);
    }
    document_builder_empty(p->tree.builder, node->begin, node->close_end);
}

/* Reports the nodes [first, end), which are in the element `around`. */
static void report_nodes(XmlParser *p, size_t first, size_t end, size_t around)
{
    const XmlNode *nodes = p->tree.nodes;

    for (size_t i = first; i < end && !document_builder_failed(p->tree.builder);) {
        while (p->open != around && i == nodes[p->open].next) leave_element(p);
        if (nodes[i].kind != NODE_ELEMENT) {
            const XmlNode *parent = &nodes[p->open];
            if (is_in_text(parent)) {
                begin_text(p, nodes[i].begin - (nodes[i].kind == NODE_CDATA ? sizeof "<![CDATA[" - 1 : 0));
                document_builder_keep(p->tree.builder, parent->is_protected || parent->is_skipped);
                xml_text_report(&p->tree, i, p->context, false);
            }
            i++;
        } else if (is_note(p, i)) {
            report_note(p, i);
            i = nodes[i].next;
        } else {
            enter_element(p, i++);
        }
    }
    while (p->open != around && !document_builder_failed(p->tree.builder)) leave_element(p);
}

static void report_generic(const XmlTree *tree)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;
    XmlParser parser = { .tree = *tree, .options = options, .open = XML_NO_NODE };
    Range label;

    report_nodes(&parser, 0, tree->count, XML_NO_NODE);
    if (options->language && xml_tree_attribute(tree, 0, "xml:lang", &label))
        document_builder_language(tree->builder, label.begin, label.end, options->language);
}

/* --- The string resources of Android: string, plurals and string-array ----------------- */

static XmlInline android_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)id;
    return xml_tree_is(tree, node, "g") ? INLINE_KEPT : INLINE_SPAN; /* xliff:g: a placeholder */
}

/* Reports a string, unless it is a reference to another resource: @string/name. */
static void report_string(const XmlTree *tree, size_t element)
{
    static const XmlTextRules rules = { .inline_kind = android_kind, .is_android = true };
    const XmlNode *node = &tree->nodes[element];
    size_t at = node->end;

    while (xml_tree_is_space(tree, at, at + 1)) at++;
    if (at < node->close_begin && (tree->bytes[at] == '@' || tree->bytes[at] == '?')) return;
    if (!xml_tree_attribute_is(tree, element, "translatable", "false")) xml_text_unit(tree, element, &rules);
}

static void report_android(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count; i = tree->nodes[i].next) {
        if (document_builder_failed(tree->builder)) return;
        if (xml_tree_is(tree, i, "string") ||
            (xml_tree_is(tree, i, "item") && xml_tree_attribute_is(tree, i, "type", "string"))) {
            report_string(tree, i);
            continue;
        }
        if (!xml_tree_is(tree, i, "plurals") && !xml_tree_is(tree, i, "string-array")) continue;
        if (xml_tree_attribute_is(tree, i, "translatable", "false")) continue;
        for (size_t item = i + 1; item < tree->nodes[i].next; item = tree->nodes[item].next)
            if (xml_tree_is(tree, item, "item")) report_string(tree, item);
    }
}

/* --- The resources of .NET (.resx): strings are <data> without a type ------------------ */

/* Designers of forms store the names and types of controls under names that begin with >>: these are no strings. */
static bool is_string(const XmlTree *tree, size_t node)
{
    Range value;

    return xml_tree_is(tree, node, "data") && !xml_tree_attribute(tree, node, "type", &value) &&
           !xml_tree_attribute(tree, node, "mimetype", &value) &&
           !(xml_tree_attribute(tree, node, "name", &value) && value.end > value.begin &&
             (tree->bytes[value.begin] == '>' || tree->bytes[value.begin] == '&'));
}

static void report_resx(const XmlTree *tree)
{
    static const XmlTextRules rules = { .is_preserved = true };

    document_builder_accelerators(tree->builder, "&");
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i = tree->nodes[i].next) {
        const size_t value = is_string(tree, i) ? xml_tree_child(tree, i, "value") : XML_NO_NODE;
        if (value != XML_NO_NODE) xml_text_unit(tree, value, &rules);
    }
}

/* --- The formats ------------------------------------------------------------------------ */

typedef void (*ReportXml)(const XmlTree *tree);

static ReportXml report_of(const XmlTree *tree)
{
    if (xml_tree_is(tree, 0, "xliff")) return xml_report_xliff;
    if (xml_tree_is(tree, 0, "tmx")) return xml_report_tmx;
    if (xml_tree_is(tree, 0, "TS")) return xml_report_qt;
    if (xml_tree_is(tree, 0, "root") && xml_tree_child(tree, 0, "resheader") != XML_NO_NODE) return report_resx;
    if (!xml_tree_is(tree, 0, "resources")) return report_generic;
    if (xml_tree_child(tree, 0, "string") == XML_NO_NODE && xml_tree_child(tree, 0, "plurals") == XML_NO_NODE &&
        xml_tree_child(tree, 0, "string-array") == XML_NO_NODE)
        return report_generic;
    return report_android;
}

/* Reads the document. Its root element must have the name that the format says, or else says what the document is. */
static void parse_xml(DocumentBuilder *builder)
{
    static const struct {
        const DocumentFormat *format;
        const char *root;
        ReportXml report;
    } rows[] = { { &document_xliff, "xliff", xml_report_xliff },
                 { &document_tmx, "tmx", xml_report_tmx },
                 { &document_android, "resources", report_android },
                 { &document_qt, "TS", xml_report_qt } };
    const BuilderInput input = document_builder_input(builder);
    ReportXml report = NULL;
    const char *root = NULL;
    size_t at = input.begin;
    XmlTree tree;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].format != input.format) continue;
        root = rows[i].root;
        report = rows[i].report;
    }
    while (at < input.end && char_is_space(input.bytes[at])) at++;
    if (root && at < input.end && input.bytes[at] != '<') { /* no XML at all, as TypeScript in a .ts file */
        document_builder_fail(builder, 0, "not XML: a file of this format begins with <%s>", root);
        return;
    }
    if (!xml_tree_read(&tree, builder)) {
        xml_tree_free(&tree);
        return;
    }
    if (!root) {
        report = report_of(&tree);
        document_builder_arguments(builder, report == report_generic   ? ARGUMENTS_UNKNOWN
                                            : report == report_android ? ARGUMENTS_PRINTF
                                                                       : ARGUMENTS_IN_ORDER);
    }
    if (root && !xml_tree_is(&tree, 0, root))
        document_builder_fail(builder, tree.nodes[0].begin, "the first element must be <%s>", root);
    else
        report(&tree);
    xml_tree_free(&tree);
}

/* Files of MPEG video end in .ts as well; they consist of packets of 188 bytes that begin with the letter G. So do
 * programs in TypeScript, which begin with another character of ASCII than XML does. */
static const char *recognize_other_ts(const char *bytes, size_t size)
{
    static const size_t packet = 188;
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    if (size > packet && bytes[0] == 'G' && bytes[packet] == 'G' && (size <= 2 * packet || bytes[2 * packet] == 'G') &&
        !memchr(bytes, '<', 4))
        return "this is an MPEG video, not a translation file of Qt";
    while (at < size && char_is_space(bytes[at])) at++;
    if (at + 1 < size && bytes[at] > ' ' && bytes[at] < 0x7f && bytes[at] != '<' && bytes[at + 1])
        return "not XML: a file of this format begins with <TS>";
    return NULL;
}

const DocumentFormat document_xml = { .name = "xml",
                                      .endings = ".xml .resx",
                                      .parse = parse_xml,
                                      .spelling = &xml_spelling,
                                      .find_encoding = declared_encoding_xml };
const DocumentFormat document_xliff = { .name = "xliff",
                                        .endings = ".xlf .xliff",
                                        .parse = parse_xml,
                                        .spelling = &xml_spelling,
                                        .find_encoding = declared_encoding_xml,
                                        .arguments = ARGUMENTS_IN_ORDER };
const DocumentFormat document_tmx = { .name = "tmx",
                                      .endings = ".tmx",
                                      .parse = parse_xml,
                                      .spelling = &xml_spelling,
                                      .find_encoding = declared_encoding_xml,
                                      .arguments = ARGUMENTS_IN_ORDER };
const DocumentFormat document_android = { .name = "android",
                                          .endings = "",
                                          .parse = parse_xml,
                                          .spelling = &xml_spelling,
                                          .find_encoding = declared_encoding_xml,
                                          .arguments = ARGUMENTS_PRINTF };
const DocumentFormat document_qt = { .name = "qt",
                                     .endings = ".ts",
                                     .parse = parse_xml,
                                     .spelling = &xml_spelling,
                                     .find_encoding = declared_encoding_xml,
                                     .recognize_other = recognize_other_ts,
                                     .arguments = ARGUMENTS_IN_ORDER };
