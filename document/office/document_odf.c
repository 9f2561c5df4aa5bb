/* document_odf.c - texts and presentations of OpenDocument (.odt, .odp), packed or as one XML file (.fodt, .fodp).
 * Source   OpenDocument 1.3 (https://docs.oasis-open.org/office/OpenDocument/v1.3/). */
#include <string.h>

#include "declared_encoding.h"
#include "document_formats.h"
#include "odf_paragraph.h"
#include "odf_styles.h"
#include "part_parser.h"
#include "xml_pairs.h"
#include "xml_tree.h"
#include "xml_text.h"

#define MANIFEST "META-INF/manifest.xml"
#define STYLES   "styles.xml"
#define CHART    "application/vnd.oasis.opendocument.chart"

/* --- The parts. */

/* A manifest says how encrypted parts are encrypted. */
static Status check_encryption(PackageReader *reader, const XmlTree *manifest, Err *err)
{
    for (size_t i = 0; i < manifest->count; i++)
        if (xml_tree_is(manifest, i, "encryption-data"))
            return err_set(err, ERR_FORMAT, "%s: encrypted, which is not supported; save it without a password",
                           package_reader_path(reader));
    return OK;
}

/* Adds the contents of a chart, which is in a folder of its own. */
static Status add_chart(PackageReader *reader, const XmlTree *manifest, Range folder, Err *err)
{
    Buf name = { 0 };
    Status st = buf_append(&name, manifest->bytes + folder.begin, folder.end - folder.begin, err);

    if (st == OK) st = buf_append_text(&name, "content.xml", err);
    if (st == OK && package_reader_has(reader, name.data)) st = package_reader_add(reader, name.data, err);
    buf_free(&name);
    return st;
}

static Status add_charts(PackageReader *reader, const XmlTree *manifest, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < manifest->count; i++) {
        Range folder;
        if (xml_tree_is(manifest, i, "file-entry") &&
            xml_tree_attribute_is(manifest, i, "manifest:media-type", CHART) &&
            xml_tree_attribute(manifest, i, "manifest:full-path", &folder))
            st = add_chart(reader, manifest, folder, err);
    }
    return st;
}

/* Calls `use` with the manifest, if there is one. */
static Status use_manifest(PackageReader *reader, Status (*use)(PackageReader *, const XmlTree *, Err *), Err *err)
{
    Buf bytes = { 0 };
    XmlTree tree;
    Status st;

    if (!package_reader_has(reader, MANIFEST)) return OK;
    st = part_parser_read_entry(reader, MANIFEST, &tree, &bytes, err);
    if (st == OK) {
        st = use(reader, &tree, err);
        xml_source_free(&tree);
    }
    buf_free(&bytes);
    return st;
}

static Status choose_parts(PackageReader *reader, Err *err)
{
    static const char *const others[] = { STYLES, "meta.xml" };
    Status st = use_manifest(reader, check_encryption, err);

    if (st == OK) st = package_reader_add(reader, "content.xml", err);
    for (size_t i = 0; st == OK && i < 2; i++)
        if (package_reader_has(reader, others[i])) st = package_reader_add(reader, others[i], err);
    return st == OK ? use_manifest(reader, add_charts, err) : st;
}

/* --- The texts. */

/* Sets an attribute, if the element has it. */
static void label_attribute(const XmlTree *tree, size_t node, const char *name, const char *value)
{
    Range range;

    if (xml_tree_attribute(tree, node, name, &range)) xml_pairs_label(tree, node, name, value);
}

/* The language of the default styles, fo:language="en"; "": unknown. */
typedef struct {
    char name[16];
} Language;

static void find_language(const XmlTree *tree, Language *out)
{
    for (size_t i = 1; i < tree->count && !*out->name; i++) {
        Range value;
        if (!xml_tree_is(tree, i, "text-properties") || !xml_tree_is(tree, tree->nodes[i].parent, "default-style") ||
            !xml_tree_attribute(tree, i, "fo:language", &value) || value.end - value.begin >= sizeof out->name)
            continue;
        memcpy(out->name, tree->bytes + value.begin, value.end - value.begin);
        out->name[value.end - value.begin] = '\0';
    }
}

/* Sets the language of a style to that of the translation, fo:language="en" fo:country="US", if it was that of the
 * default styles: text in a third language stays so. No country is "none". */
static void report_language(const XmlTree *tree, size_t properties, const Language *source)
{
    const char *language = xml_pairs_language(tree);
    const size_t length = language ? strcspn(language, "-") : 0;
    char primary[16];

    if (!length || length >= sizeof primary) return;
    if (!xml_tree_is(tree, tree->nodes[properties].parent, "default-style") &&
        (!*source->name || !xml_tree_attribute_is(tree, properties, "fo:language", source->name)))
        return;
    memcpy(primary, language, length);
    primary[length] = '\0';
    label_attribute(tree, properties, "fo:language", primary);
    label_attribute(tree, properties, "fo:country", "none");
    label_attribute(tree, properties, "style:rfc-language-tag", language);
}

/* What is not translated: deleted text, settings, and the data of charts. */
static bool is_skipped(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "tracked-changes", "settings", "scripts", "font-face-decls", NULL };

    return part_parser_is_listed(tree, node, names) || odf_is_data(tree, node);
}

/* Descriptions of the document, and of pictures; headers and footers of slides. */
static bool is_description(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "dc:title", "dc:subject", "dc:description", "meta:keyword", NULL };
    static const char *const slides[] = { "presentation:header-decl", "presentation:footer-decl", NULL };

    return odf_is_description(tree, node) || part_parser_is_listed(tree, node, slides) ||
           (part_parser_is_listed(tree, node, names) && xml_tree_is(tree, tree->nodes[node].parent, "meta"));
}

static void report_other(const XmlTree *tree, size_t node, const Language *source)
{
    if (is_description(tree, node))
        part_parser_report_element(tree, node);
    else if (xml_tree_is(tree, node, "dc:language"))
        part_parser_label_element(tree, node);
    else if (xml_tree_is(tree, node, "text-properties"))
        report_language(tree, node, source);
}

static void report_tree(const XmlTree *tree, const Language *source)
{
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_paragraph = odf_is_paragraph(tree, i), skips = is_paragraph || is_skipped(tree, i);
        if (is_paragraph)
            odf_paragraph_report(tree, i);
        else if (!skips && tree->nodes[i].kind == NODE_ELEMENT)
            report_other(tree, i, source);
        i = skips ? tree->nodes[i].next : i + 1;
    }
}

static void report_part(DocumentBuilder *builder, const PackagePart *part, const Language *source)
{
    XmlTree tree;

    if (xml_tree_read_part(&tree, builder, part->contents)) report_tree(&tree, source);
    xml_tree_free(&tree);
}

/* The default styles are in a part after the text. */
static void find_language_in(DocumentBuilder *builder, const PackagePart *part, Language *source)
{
    const size_t length = sizeof STYLES - 1;
    XmlTree tree;

    if (part->name.end - part->name.begin != length ||
        memcmp(document_builder_input(builder).bytes + part->name.begin, STYLES, length) != 0)
        return;
    if (xml_tree_read_part(&tree, builder, part->contents)) find_language(&tree, source);
    xml_tree_free(&tree);
}

static void parse_odf(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    Language source = { "" };
    PackagePart part;

    for (size_t at = input.begin; package_next_part(input.bytes, input.end, &at, &part);)
        find_language_in(builder, &part, &source);
    for (size_t at = input.begin;
         !document_builder_failed(builder) && package_next_part(input.bytes, input.end, &at, &part);)
        report_part(builder, &part, &source);
}

static void parse_flat(DocumentBuilder *builder)
{
    Language source = { "" };
    XmlTree tree;

    if (xml_tree_read(&tree, builder)) {
        find_language(&tree, &source);
        report_tree(&tree, &source);
    }
    xml_tree_free(&tree);
}

static const PackageRules rules = { .called = "an OpenDocument text",
                                    .choose = choose_parts,
                                    .prepare = odf_join_spans };

const DocumentFormat document_odt = {
    .name = "odt", .endings = ".odt .ott .odp .otp", .parse = parse_odf, .spelling = &xml_spelling, .package = &rules
};
const DocumentFormat document_fodt = { .name = "fodt",
                                       .endings = ".fodt .fodp",
                                       .parse = parse_flat,
                                       .spelling = &xml_spelling,
                                       .find_encoding = declared_encoding_xml };
