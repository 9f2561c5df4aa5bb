/* document_ooxml.c - documents (.docx) and presentations (.pptx) of Office Open XML.
 * Source   ECMA-376, part 1, 5th edition: chapters 17 (WordprocessingML), 19 (PresentationML), 21 (DrawingML), and part
 *          2 (packages: content types, core properties). */
#include <stdlib.h>
#include <string.h>

#include "document_formats.h"
#include "ooxml.h"
#include "ooxml_paragraph.h"
#include "part_parser.h"
#include "xml_pairs.h"
#include "xml_source.h"
#include "xml_text.h"

#define CONTENT_TYPES "[Content_Types].xml"

/* --- The parts. */

/* The ends of the content types of parts with text. `is_main`: the part without which there is no document. */
typedef struct {
    const char *end;
    bool is_main;
} ContentType;

static const ContentType word_types[] = {
    { "wordprocessingml.document.main+xml", true },
    { "wordprocessingml.template.main+xml", true },
    { "ms-word.document.macroEnabled.main+xml", true },
    { "ms-word.template.macroEnabledTemplate.main+xml", true },
    { "wordprocessingml.header+xml", false },
    { "wordprocessingml.footer+xml", false },
    { "wordprocessingml.footnotes+xml", false },
    { "wordprocessingml.endnotes+xml", false },
    { "wordprocessingml.comments+xml", false },
    { "wordprocessingml.styles+xml", false },
    { "drawingml.chart+xml", false },
    { "drawingml.diagramData+xml", false },
    { "drawingml.diagramDrawing+xml", false },
    { "core-properties+xml", false },
    { NULL, false },
};

static const ContentType slide_types[] = {
    { "presentationml.presentation.main+xml", true },
    { "presentationml.template.main+xml", true },
    { "presentationml.slideshow.main+xml", true },
    { "ms-powerpoint.presentation.macroEnabled.main+xml", true },
    { "ms-powerpoint.slideshow.macroEnabled.main+xml", true },
    { "presentationml.slide+xml", false },
    { "presentationml.notesSlide+xml", false },
    { "presentationml.slideMaster+xml", false },
    { "presentationml.slideLayout+xml", false },
    { "presentationml.comments+xml", false },
    { "drawingml.chart+xml", false },
    { "drawingml.diagramData+xml", false },
    { "drawingml.diagramDrawing+xml", false },
    { "core-properties+xml", false },
    { NULL, false },
};

static const ContentType *find_type(const ContentType *types, const char *text, size_t length)
{
    for (; types->end; types++) {
        const size_t size = strlen(types->end);
        if (length >= size && memcmp(text + length - size, types->end, size) == 0) return types;
    }
    return NULL;
}

/* Sets *out to the name of the part without the slash at its beginning; free it. NULL: the element names none. */
static Status part_name(char **out, const XmlTree *tree, size_t node, Err *err)
{
    ByteRange name;

    *out = NULL;
    if (!xml_tree_attribute(tree, node, "PartName", &name) || name.end - name.begin < 2) return OK;
    *out = strndup(tree->bytes + name.begin + 1, name.end - name.begin - 1);
    return *out ? OK : err_memory(err, "the name of a part");
}

/* Adds the part that an element Override names, if it has text. */
static Status add_part(PackageReader *reader, const XmlTree *tree, size_t node, const ContentType *types,
                       bool *has_main, Err *err)
{
    const ContentType *type;
    ByteRange value;
    char *name = NULL;
    Status st;

    if (!xml_tree_is(tree, node, "Override") || !xml_tree_attribute(tree, node, "ContentType", &value)) return OK;
    type = find_type(types, tree->bytes + value.begin, value.end - value.begin);
    st = type ? part_name(&name, tree, node, err) : OK;
    if (name && (type->is_main || package_reader_has(reader, name))) {
        st = package_reader_add(reader, name, err);
        *has_main |= type->is_main;
    }
    free(name);
    return st;
}

static Status choose_parts(PackageReader *reader, const ContentType *types, const char *called, Err *err)
{
    Buf bytes = { 0 };
    XmlTree tree;
    bool has_main = false;
    Status st = part_parser_read_entry(reader, CONTENT_TYPES, &tree, &bytes, err);

    if (st == OK) {
        for (size_t i = 0; st == OK && i < tree.count; i++)
            if (tree.nodes[i].kind == NODE_ELEMENT) st = add_part(reader, &tree, i, types, &has_main, err);
        xml_source_free(&tree);
    }
    buf_free(&bytes);
    if (st != OK || has_main) return st;
    return err_set(err, ERR_FORMAT, "%s: not %s: " CONTENT_TYPES " does not name one", package_reader_path(reader),
                   called);
}

static Status choose_docx(PackageReader *reader, Err *err)
{
    return choose_parts(reader, word_types, "a DOCX document", err);
}

static Status choose_pptx(PackageReader *reader, Err *err)
{
    return choose_parts(reader, slide_types, "a PPTX presentation", err);
}

/* --- The texts. */

static void report_core_properties(const XmlTree *tree)
{
    static const char *const names[] = { "title", "subject", "description", "keywords", "category", NULL };

    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i++) {
        if (part_parser_is_listed(tree, i, names)) part_parser_report_element(tree, i);
        if (xml_tree_is(tree, i, "language")) part_parser_label_element(tree, i);
    }
}

/* The languages of styles: w:lang w:val="en-US". */
static void report_styles(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count; i++) {
        ByteRange value;
        if (tree->nodes[i].kind == NODE_ELEMENT && xml_tree_is(tree, i, "lang") &&
            xml_tree_attribute(tree, i, "w:val", &value))
            xml_pairs_label(tree, i, "w:val", xml_pairs_language(tree));
    }
}

static void report_comments(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i++)
        if (xml_tree_is(tree, i, "text")) part_parser_report_element(tree, i);
}

/* Whether a shape of a master or a layout shows only what slides put into it; its own text is a prompt. */
static bool is_placeholder(const XmlTree *tree, size_t node)
{
    static const char *const path[] = { "nvSpPr", "nvPr", "ph" };

    if (!xml_tree_is(tree, node, "sp")) return false;
    for (size_t i = 0; i < sizeof path / sizeof *path && node != XML_NO_NODE; i++)
        node = xml_tree_child(tree, node, path[i]);
    return node != XML_NO_NODE;
}

static void report_texts(XmlTree *tree)
{
    static const char *const masters[] = { "sldMaster", "sldLayout", NULL };
    const bool is_master = part_parser_is_listed(tree, 0, masters);

    ooxml_mark_codes(tree);
    for (size_t i = 0; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_element = tree->nodes[i].kind == NODE_ELEMENT;
        const bool is_paragraph = is_element && xml_tree_is(tree, i, "p");
        const bool is_skipped = is_element && is_master && is_placeholder(tree, i);
        if (is_paragraph)
            ooxml_paragraph_report(tree, i);
        else if (is_element && !is_skipped)
            ooxml_paragraph_report_object(tree, i);
        i = is_paragraph || is_skipped ? tree->nodes[i].next : i + 1;
    }
}

/* What a part is shows its root element. */
static void report_part(XmlTree *tree)
{
    if (xml_tree_is(tree, 0, "coreProperties"))
        report_core_properties(tree);
    else if (xml_tree_is(tree, 0, "styles"))
        report_styles(tree);
    else if (xml_tree_is(tree, 0, "cmLst"))
        report_comments(tree);
    else
        report_texts(tree);
}

static void parse_ooxml(DocumentBuilder *builder)
{
    part_parser_run(builder, report_part);
}

static const PackageRules docx_rules = {
    .called = "a DOCX document", .choose = choose_docx, .prepare = ooxml_join_runs, .finish = ooxml_drop_empty_runs
};
static const PackageRules pptx_rules = {
    .called = "a PPTX presentation", .choose = choose_pptx, .prepare = ooxml_join_runs, .finish = ooxml_drop_empty_runs
};

const DocumentFormat document_docx = { .name = "docx",
                                       .endings = ".docx .docm .dotx .dotm",
                                       .parse = parse_ooxml,
                                       .spelling = &xml_spelling,
                                       .package = &docx_rules };
const DocumentFormat document_pptx = { .name = "pptx",
                                       .endings = ".pptx .pptm .potx .ppsx .ppsm",
                                       .parse = parse_ooxml,
                                       .spelling = &xml_spelling,
                                       .package = &pptx_rules };
