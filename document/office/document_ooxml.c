/* document_ooxml.c - documents (.docx) and presentations (.pptx) of Office Open XML.
 * Source   ECMA-376, part 1, 5th edition: chapters 17 (WordprocessingML), 19 (PresentationML), 21 (DrawingML), and part
 *          2 (packages: content types, core properties). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "document_formats.h"
#include "ooxml.h"
#include "ooxml_paragraph.h"
#include "part_parser.h"
#include "str_map.h"
#include "xml_pairs.h"
#include "xml_tree.h"
#include "xml_text.h"

#define CONTENT_TYPES "[Content_Types].xml"
#define RELATIONSHIPS "_rels/.rels"
/* Parts with text have short extensions: "xml". */
#define LONGEST_EXTENSION ((size_t)16)

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
    { "drawingml.chartshapes+xml", false },
    { "ms-office.chartex+xml", false },
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
    { "ms-powerpoint.comments+xml", false },
    { "drawingml.chart+xml", false },
    { "drawingml.chartshapes+xml", false },
    { "ms-office.chartex+xml", false },
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

/* The parts while they are chosen. */
typedef struct {
    PackageReader *reader;
    const ContentType *types;
    const XmlTree *tree; /* of the content types */
    StrMap *overridden;  /* the parts that have a type of their own */
    StrMap *defaults;    /* extension in lower case -> index in `types` */
    char *main;          /* the target of the relationship officeDocument; NULL: none */
    bool has_main;
} Choice;

/* Sets *out to the name of a part without the slash at its beginning; free it. NULL: the element names none. */
static Status part_name(char **out, const XmlTree *tree, size_t node, const char *attribute, Err *err)
{
    Range name;

    *out = NULL;
    if (!xml_tree_attribute(tree, node, attribute, &name) || name.begin == name.end) return OK;
    name.begin += tree->bytes[name.begin] == '/';
    *out = strndup(tree->bytes + name.begin, name.end - name.begin);
    return *out ? OK : err_memory(err, "the name of a part");
}

static Status add_part(Choice *c, const char *name, const ContentType *type, Err *err)
{
    if (!type->is_main && !package_reader_has(c->reader, name)) return OK;
    c->has_main |= type->is_main;
    return package_reader_add(c->reader, name, err);
}

/* Finds the type that an element Override or Default names; NULL: parts of this type have no text. */
static const ContentType *type_at(const Choice *c, size_t node)
{
    Range value;

    if (!xml_tree_attribute(c->tree, node, "ContentType", &value)) return NULL;
    return find_type(c->types, c->tree->bytes + value.begin, value.end - value.begin);
}

static Status add_override(Choice *c, size_t node, Err *err)
{
    const ContentType *type = type_at(c, node);
    char *name = NULL;
    bool added;
    Status st = part_name(&name, c->tree, node, "PartName", err);

    if (name) st = str_map_add(c->overridden, name, strlen(name), 1, &added, err);
    if (st == OK && name && type) st = add_part(c, name, type, err);
    free(name);
    return st;
}

/* Writes an extension in lower case; returns its length, or 0 if it is too long. */
static size_t lower_extension(const char *text, size_t length, char out[LONGEST_EXTENSION])
{
    if (length > LONGEST_EXTENSION) return 0;
    for (size_t i = 0; i < length; i++) out[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    return length;
}

static Status note_default(Choice *c, size_t node, Err *err)
{
    const ContentType *type = type_at(c, node);
    char extension[LONGEST_EXTENSION];
    Range value;
    size_t length;
    bool added;

    if (!type || !xml_tree_attribute(c->tree, node, "Extension", &value)) return OK;
    length = lower_extension(c->tree->bytes + value.begin, value.end - value.begin, extension);
    return length ? str_map_add(c->defaults, extension, length, (int32_t)(type - c->types), &added, err) : OK;
}

/* Adds an entry if the type of its extension is one of a part with text. Of all parts with the type of the main one,
 * only that with which the archive begins is it. */
static Status add_by_extension(Choice *c, const char *name, Err *err)
{
    char extension[LONGEST_EXTENSION];
    const char *dot = strrchr(name, '.');
    int32_t type = -1;

    if (dot && strcmp(name, CONTENT_TYPES) != 0 && !str_map_get(c->overridden, name, strlen(name), 0))
        type = str_map_get(c->defaults, extension, lower_extension(dot + 1, strlen(dot + 1), extension), -1);
    if (type < 0 || (c->types[type].is_main && (!c->main || strcasecmp(name, c->main) != 0))) return OK;
    return add_part(c, name, &c->types[type], err);
}

static Status find_main(Choice *c, Err *err)
{
    static const char type[] = "/officeDocument";
    const size_t length = sizeof type - 1;
    Buf bytes = { 0 };
    XmlTree tree;
    Status st;

    if (!package_reader_has(c->reader, RELATIONSHIPS)) return OK;
    st = part_parser_read_entry(c->reader, RELATIONSHIPS, &tree, &bytes, err);
    if (st == OK) {
        for (size_t i = 0; st == OK && !c->main && i < tree.count; i++) {
            Range value;
            if (xml_tree_is(&tree, i, "Relationship") && xml_tree_attribute(&tree, i, "Type", &value) &&
                value.end - value.begin >= length && memcmp(tree.bytes + value.end - length, type, length) == 0)
                st = part_name(&c->main, &tree, i, "Target", err);
        }
        xml_source_free(&tree);
    }
    buf_free(&bytes);
    return st;
}

/* A part has the type of its own element Override, or else the one of its extension. */
static Status choose_by_type(Choice *c, Err *err)
{
    Status st = str_map_new(&c->overridden, err);
    bool has_defaults;

    if (st == OK) st = str_map_new(&c->defaults, err);
    for (size_t i = 0; st == OK && i < c->tree->count; i++) {
        if (xml_tree_is(c->tree, i, "Override")) st = add_override(c, i, err);
        if (xml_tree_is(c->tree, i, "Default")) st = note_default(c, i, err);
    }
    has_defaults = st == OK && str_map_count(c->defaults);
    if (has_defaults) st = find_main(c, err);
    for (size_t i = 0; st == OK && has_defaults && i < package_reader_count(c->reader); i++) {
        const char *name;
        st = package_reader_name(c->reader, i, &name, err);
        if (st == OK) st = add_by_extension(c, name, err);
    }
    str_map_free(c->overridden);
    str_map_free(c->defaults);
    free(c->main);
    return st;
}

static Status choose_parts(PackageReader *reader, const ContentType *types, const char *called, Err *err)
{
    Buf bytes = { 0 };
    XmlTree tree;
    Choice choice = { .reader = reader, .types = types, .tree = &tree };
    Status st = part_parser_read_entry(reader, CONTENT_TYPES, &tree, &bytes, err);

    if (st == OK) {
        st = choose_by_type(&choice, err);
        xml_source_free(&tree);
    }
    buf_free(&bytes);
    if (st != OK || choice.has_main) return st;
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
        Range value;
        if (tree->nodes[i].kind == NODE_ELEMENT && xml_tree_is(tree, i, "lang") &&
            xml_tree_attribute(tree, i, "w:val", &value))
            xml_pairs_label(tree, i, "w:val", xml_pairs_language(tree));
    }
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

/* Comments of presentations are elements "text", or paragraphs since 2021. */
static void report_texts(XmlTree *tree)
{
    static const char *const masters[] = { "sldMaster", "sldLayout", NULL };
    const bool is_master = part_parser_is_listed(tree, 0, masters), has_comments = xml_tree_is(tree, 0, "cmLst");

    ooxml_mark_codes(tree);
    for (size_t i = 0; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_element = tree->nodes[i].kind == NODE_ELEMENT;
        const bool is_paragraph = is_element && xml_tree_is(tree, i, "p");
        const bool is_skipped = is_element && is_master && is_placeholder(tree, i);
        if (is_paragraph)
            ooxml_paragraph_report(tree, i);
        else if (has_comments && xml_tree_is(tree, i, "text"))
            part_parser_report_element(tree, i);
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
    else
        report_texts(tree);
}

static void parse_ooxml(DocumentBuilder *builder)
{
    part_parser_run(builder, report_part);
}

static const PackageRules docx_rules = { .called = "a DOCX document",
                                         .ignores_case = true,
                                         .choose = choose_docx,
                                         .prepare = ooxml_join_runs,
                                         .finish = ooxml_drop_empty_runs };
static const PackageRules pptx_rules = { .called = "a PPTX presentation",
                                         .ignores_case = true,
                                         .choose = choose_pptx,
                                         .prepare = ooxml_join_runs,
                                         .finish = ooxml_drop_empty_runs };

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
