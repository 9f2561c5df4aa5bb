/* document_odf.c - texts and presentations of OpenDocument (.odt, .odp), packed or as one XML file (.fodt, .fodp).
 * Source   OpenDocument 1.3 (https://docs.oasis-open.org/office/OpenDocument/v1.3/). */
#include <string.h>

#include "declared_encoding.h"
#include "document_formats.h"
#include "odf_paragraph.h"
#include "odf_styles.h"
#include "part_parser.h"
#include "xml_pairs.h"
#include "xml_source.h"
#include "xml_text.h"

#define MANIFEST "META-INF/manifest.xml"
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
static Status add_chart(PackageReader *reader, const XmlTree *manifest, ByteRange folder, Err *err)
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
        ByteRange folder;
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
    static const char *const others[] = { "styles.xml", "meta.xml" };
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
    ByteRange range;

    if (xml_tree_attribute(tree, node, name, &range)) xml_pairs_label(tree, node, name, value);
}

/* The language of the default styles: fo:language="en" fo:country="US". No country is "none". */
static void report_language(const XmlTree *tree, size_t style)
{
    const char *language = xml_pairs_language(tree);
    char primary[16];
    size_t length;

    if (!language) return;
    length = strcspn(language, "-");
    if (length >= sizeof primary) return;
    memcpy(primary, language, length);
    primary[length] = '\0';
    for (size_t i = style + 1; i < tree->nodes[style].next; i++) {
        if (!xml_tree_is(tree, i, "text-properties")) continue;
        label_attribute(tree, i, "fo:language", primary);
        label_attribute(tree, i, "fo:country", "none");
    }
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

static void report_other(const XmlTree *tree, size_t node)
{
    if (is_description(tree, node))
        part_parser_report_element(tree, node);
    else if (xml_tree_is(tree, node, "dc:language"))
        part_parser_label_element(tree, node);
    else if (xml_tree_is(tree, node, "default-style"))
        report_language(tree, node);
}

static void report_tree(XmlTree *tree)
{
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_paragraph = odf_is_paragraph(tree, i), skips = is_paragraph || is_skipped(tree, i);
        if (is_paragraph)
            odf_paragraph_report(tree, i);
        else if (!skips && tree->nodes[i].kind == NODE_ELEMENT)
            report_other(tree, i);
        i = skips ? tree->nodes[i].next : i + 1;
    }
}

static void parse_odf(DocumentBuilder *builder)
{
    part_parser_run(builder, report_tree);
}

static void parse_flat(DocumentBuilder *builder)
{
    XmlTree tree;

    if (xml_tree_read(&tree, builder)) report_tree(&tree);
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
