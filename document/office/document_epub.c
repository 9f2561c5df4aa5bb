/* document_epub.c - e-books (.epub): the pages, the table of contents and the description of the book.
 * Source   EPUB 3.3 (https://www.w3.org/TR/epub-33/) and Open Packaging Format 2.0.1, for EPUB 2. */
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "html.h"
#include "str_map.h"
#include "xml.h"

#define CONTAINER  "META-INF/container.xml"
#define ENCRYPTION "META-INF/encryption.xml"
#define TEXTS      "application/xhtml+xml application/x-dtbncx+xml" /* the types of pages and tables of contents */

/* --- The parts. */

/* Appends the value of an attribute and decodes its percent-encoding. Returns false if there is no such attribute. */
static bool put_address(Buf *out, const XmlTree *tree, size_t node, const char *attribute)
{
    const char *bytes = tree->bytes;
    Range value;

    if (!xml_tree_attribute(tree, node, attribute, &value)) return false;
    buf_put(out, "", 0);
    for (size_t at = value.begin; at < value.end; at++) { /* a quote follows the value */
        const int high = bytes[at] == '%' ? char_hex_value(bytes[at + 1]) : -1;
        const int low = high < 0 ? -1 : char_hex_value(bytes[at + 2]);
        if (low >= 0 && (high || low)) {
            buf_put_byte(out, (char)(unsigned char)(high * 16 + low));
            at += 2;
        } else if (chars_begin(bytes, at, value.end, "&amp;")) {
            buf_put_byte(out, '&');
            at += 4;
        } else {
            buf_put_byte(out, bytes[at]);
        }
    }
    return true;
}

/* Adds the page or the table of contents that an item of the manifest names. */
static Status add_item(Package *package, const XmlTree *tree, size_t item, const char *book, const StrMap *encrypted,
                       Err *err)
{
    Buf address = { 0 }, name = { 0 };
    Status st;

    if (!xml_tree_attribute_is(tree, item, "media-type", TEXTS) || !put_address(&address, tree, item, "href"))
        return OK;
    st = buf_check(&address, err);
    if (st == OK) package_put_address(&name, book, strlen(book), address.data, address.len);
    if (st == OK) st = buf_check(&name, err);
    if (st == OK && package_has(package, name.data))
        st = str_map_get(encrypted, name.data, name.len, 0)
                 ? err_set(err, ERR_FORMAT, "%s/%s: protected against copying (DRM), so it cannot be read",
                           package_path(package), name.data)
                 : package_add(package, name.data, err);
    buf_free(&address);
    buf_free(&name);
    return st;
}

/* Adds the parts. The first one is the description of the book, which the first <rootfile> of the container names.
 * Fonts may be encrypted, but pages must not be. */
static Status choose_parts(Package *package, Err *err)
{
    XmlTree container, encryption = { .builder = NULL }, manifest = { .builder = NULL };
    StrMap *encrypted = NULL; /* the paths of encrypted entries */
    Buf book = { 0 }, address = { 0 };
    bool has_book = false;
    Status st = xml_entry_read(&container, package, CONTAINER, err);

    for (size_t i = 0; st == OK && !has_book && i < container.count; i++)
        has_book = xml_tree_is(&container, i, "rootfile") && put_address(&book, &container, i, "full-path");
    xml_tree_free(&container);
    if (st == OK && !has_book)
        st = err_set(err, ERR_FORMAT, "%s: not an EPUB book: " CONTAINER " does not name one", package_path(package));
    if (st == OK) st = buf_check(&book, err);
    if (st == OK) st = package_add(package, book.data, err);
    if (st == OK) st = str_map_new(&encrypted, err);
    if (st == OK && package_has(package, ENCRYPTION)) st = xml_entry_read(&encryption, package, ENCRYPTION, err);
    for (size_t i = 0; st == OK && i < encryption.count; i++) {
        buf_clear(&address);
        if (!xml_tree_is(&encryption, i, "CipherReference") || !put_address(&address, &encryption, i, "URI")) continue;
        st = buf_check(&address, err);
        if (st == OK) st = str_map_add(encrypted, address.data, address.len, 1, NULL, err);
    }
    xml_tree_free(&encryption);
    if (st == OK) st = xml_entry_read(&manifest, package, book.data, err);
    for (size_t i = 0; st == OK && i < manifest.count; i++)
        if (xml_tree_is(&manifest, i, "item")) st = add_item(package, &manifest, i, book.data, encrypted, err);
    xml_tree_free(&manifest);
    str_map_free(encrypted);
    buf_free(&book);
    buf_free(&address);
    return st;
}

/* --- The texts. */

/* Reports a part that is not a page: the description of the book, or the table of contents. Names of authors and
 * publishers are not translated. In EPUB 2, titles of the parts of a book are in <reference>. */
static void report_part(const XmlTree *tree, bool is_book)
{
    static const char names[] = "title description subject";
    Range value;

    xml_label(tree, 0, "xml:lang", xml_language(tree));
    for (size_t i = 0; i < tree->count && !document_builder_failed(tree->builder); i++) {
        if (!is_book) {
            if (i && xml_tree_is(tree, i, "text") && !xml_tree_is(tree, tree->nodes[i].parent, "docAuthor"))
                xml_text_element(tree, i);
            continue;
        }
        if (xml_tree_is(tree, i, names)) {
            xml_label(tree, i, "xml:lang", xml_language(tree));
            xml_text_element(tree, i);
        }
        if (xml_tree_is(tree, i, "language")) xml_label_contents(tree, i);
        if (xml_tree_is(tree, i, "reference") && xml_tree_attribute(tree, i, "title", &value) &&
            value.begin < value.end)
            xml_text_attribute(tree, value);
    }
}

/* Whether a part is a table of contents of EPUB 2, as its root element says. */
static bool is_contents(const char *bytes, Range contents)
{
    HtmlToken token = { .kind = HTML_OPAQUE, .bytes = { contents.begin, contents.begin } };

    while (token.kind == HTML_OPAQUE) { /* a declaration, the document type, a comment */
        const size_t at = chars_skip_space(bytes, token.bytes.end, contents.end);
        if (contents.end - at < sizeof "<ncx") return false;
        if (chars_begin(bytes, at, contents.end, "<ncx")) return true;
        token = html_token_read(bytes, at, contents.end);
    }
    return false;
}

/* Reports the parts. The first part is the description of the book. Pages are read and written as HTML, because many
 * are not well-formed; the other parts are XML. */
static void parse_epub(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    size_t at = input.begin;
    PackagePart part;

    for (bool is_first = true; !document_builder_failed(builder); is_first = false) {
        XmlTree tree;
        if (!package_next_part(input.bytes, input.end, &at, &part)) break;
        if (!is_first && !is_contents(input.bytes, part.contents)) {
            html_units_add(builder, part.contents.begin, part.contents.end, true);
            continue;
        }
        document_builder_embed(builder, &xml_spelling);
        if (!xml_tree_read_part(&tree, builder, part.contents)) return;
        report_part(&tree, is_first);
        document_builder_embed(builder, NULL);
        xml_tree_free(&tree);
    }
}

static const PackageRules epub_rules = { .called = "an EPUB book", .choose = choose_parts };

const DocumentFormat document_epub = {
    .name = "epub", .endings = ".epub", .parse = parse_epub, .spelling = &html_spelling, .package = &epub_rules
};
