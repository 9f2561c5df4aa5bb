/* document_odf.c - texts, presentations and spreadsheets of OpenDocument (.odt, .odp, .ods), packed or as one XML file
 * (.fodt, .fodp, .fods).
 * Source   OpenDocument 1.3 (https://docs.oasis-open.org/office/OpenDocument/v1.3/). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "sheets.h"
#include "str_map.h"
#include "xml.h"

#define MANIFEST "META-INF/manifest.xml"
#define STYLES   "styles.xml"
#define CHART    "application/vnd.oasis.opendocument.chart"

/* --- The parts ------------------------------------------------------------------------ */

/* Adds the contents of charts. Each chart has a folder in the archive. */
static Status add_charts(Package *package, const XmlTree *manifest, Err *err)
{
    Buf name = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < manifest->count; i++) {
        Range folder;
        if (!xml_tree_is(manifest, i, "file-entry") ||
            !xml_tree_attribute_is(manifest, i, "manifest:media-type", CHART) ||
            !xml_tree_attribute(manifest, i, "manifest:full-path", &folder))
            continue;
        buf_clear(&name);
        buf_put(&name, manifest->bytes + folder.begin, folder.end - folder.begin);
        buf_put_text(&name, "content.xml");
        st = buf_check(&name, err);
        if (st == OK && package_has(package, name.data)) st = package_add(package, name.data, err);
    }
    buf_free(&name);
    return st;
}

static Status choose_parts(Package *package, Err *err)
{
    static const char *const others[] = { STYLES, "meta.xml" };
    XmlTree manifest = { .builder = NULL };
    Status st = OK;

    if (package_has(package, MANIFEST)) st = xml_entry_read(&manifest, package, MANIFEST, err);
    for (size_t i = 0; st == OK && i < manifest.count; i++) /* the manifest has this element for each encrypted part */
        if (xml_tree_is(&manifest, i, "encryption-data"))
            st = err_set(err, ERR_FORMAT, "%s: encrypted, which is not supported; save it without a password",
                         package_path(package));
    if (st == OK) st = package_add(package, "content.xml", err);
    for (size_t i = 0; st == OK && i < 2; i++)
        if (package_has(package, others[i])) st = package_add(package, others[i], err);
    if (st == OK) st = add_charts(package, &manifest, err);
    xml_tree_free(&manifest);
    return st;
}

/* --- Spans that do not change how text looks -------------------------------------------
 * Editors put a span around each part of a paragraph that was typed at another time, even inside words. */

/* How text in the automatic styles looks. Languages and the numbers of editing sessions make no difference. */
typedef struct {
    StrMap *names; /* names of styles -> the numbers of their looks, from 1; 0: the style changes nothing */
    StrMap *looks; /* looks, as text: their attributes and elements -> their numbers */
} Styles;

/* Appends the attributes of an element that change how text looks. */
static void put_look(Buf *out, const XmlTree *tree, size_t node)
{
    static const char left_out[] =
        "style:name style:family officeooo:rsid officeooo:paragraph-rsid fo:language fo:country style:language-asian "
        "style:country-asian style:language-complex style:country-complex style:rfc-language-tag";

    for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a);) {
        if (xml_tree_lists(tree, a.name, left_out)) continue;
        buf_put(out, tree->bytes + a.name.begin, a.end - a.name.begin);
        buf_put_byte(out, ' ');
    }
}

/* Reads the automatic styles of text, which are not nested. All bytes of the elements in the properties of a style are
 * part of its look. */
static Status read_styles(Styles *styles, const XmlTree *tree, Err *err)
{
    Buf look = { 0 };
    Status st = str_map_new(&styles->names, err);

    if (st == OK) st = str_map_new(&styles->looks, err);
    for (size_t i = 1; st == OK && i < tree->count;) {
        const size_t style = i++;
        int32_t number = 0;
        Range name;
        if (!xml_tree_is(tree, style, "style") || !xml_tree_is(tree, tree->nodes[style].parent, "automatic-styles") ||
            !xml_tree_attribute_is(tree, style, "style:family", "text") ||
            !xml_tree_attribute(tree, style, "style:name", &name))
            continue;
        buf_clear(&look);
        put_look(&look, tree, style);
        for (; i < tree->nodes[style].next; i++) {
            const XmlNode *n = &tree->nodes[i];
            if (n->kind == NODE_ELEMENT && n->parent == style)
                put_look(&look, tree, i);
            else if (n->kind == NODE_ELEMENT)
                buf_put(&look, tree->bytes + n->begin, n->end - n->begin);
        }
        st = buf_check(&look, err);
        if (st == OK && look.len) {
            number = (int32_t)str_map_count(styles->looks) + 1;
            st = str_map_add(styles->looks, look.data, look.len, number, NULL, err);
            number = str_map_get(styles->looks, look.data, look.len, 0);
        }
        if (st == OK)
            st = str_map_add(styles->names, tree->bytes + name.begin, name.end - name.begin, number, NULL, err);
    }
    buf_free(&look);
    return st;
}

/* Returns the number of a span's look; -1: unknown, or the span has more attributes than the name of its style. */
static int32_t look_of(const Styles *styles, const XmlTree *tree, size_t node)
{
    XmlAttribute a;
    Range style;

    if (!xml_tree_is(tree, node, "text:span")) return -1;
    a = xml_tree_attributes(tree, node);
    if (!xml_next_attribute(&a) || !xml_tree_lists(tree, a.name, "text:style-name")) return -1;
    style = a.value;
    if (xml_next_attribute(&a)) return -1;
    return str_map_get(styles->names, tree->bytes + style.begin, style.end - style.begin, -1);
}

/* Adds tags to `cuts`, the bytes to remove: both tags of a span that changes nothing, or of an element around
 * characters with a reading above them. If the next span follows directly and looks the same, adds the end tag of this
 * span and the start tag of the next one. */
static void cut_tags(RangeList *cuts, const Styles *styles, const XmlTree *tree, size_t node)
{
    const XmlNode *n = &tree->nodes[node], *next = n->next < tree->count ? &tree->nodes[n->next] : NULL;
    const int32_t look = xml_tree_is(tree, node, "text:ruby text:ruby-base") ? 0 : look_of(styles, tree, node);

    if (look < 0 || n->close_begin <= n->end) return;
    if (!look) {
        LIST_PUT(cuts, ((Range){ n->begin, n->end }));
        LIST_PUT(cuts, ((Range){ n->close_begin, n->close_end }));
        return;
    }
    if (!next || next->kind != NODE_ELEMENT || next->begin != n->close_end || next->close_begin <= next->end ||
        look_of(styles, tree, n->next) != look)
        return;
    LIST_PUT(cuts, ((Range){ n->close_begin, n->close_end }));
    LIST_PUT(cuts, ((Range){ next->begin, next->end }));
}

/* Appends a part without the spans that change nothing, and without the readings above characters (ruby), which do not
 * fit any translation. Joins spans that look the same and directly follow each other. */
static Status join_spans(const DocumentFile *part, Buf *out, Err *err)
{
    Styles styles = { .names = NULL };
    RangeList cuts = { 0 };
    XmlTree tree;
    size_t at = 0;
    Status st = xml_source_read(&tree, part, err);

    if (st == OK) st = read_styles(&styles, &tree, err);
    for (size_t i = 1; st == OK && i < tree.count;) {
        const bool is_reading = xml_tree_is(&tree, i, "text:ruby-text");
        if (is_reading)
            LIST_PUT(&cuts, ((Range){ tree.nodes[i].begin, xml_tree_end(&tree, i) }));
        else if (tree.nodes[i].kind == NODE_ELEMENT)
            cut_tags(&cuts, &styles, &tree, i);
        i = is_reading ? tree.nodes[i].next : i + 1;
    }
    if (st == OK) st = LIST_CHECK(&cuts, "a document", err);
    if (st == OK && cuts.len) qsort(cuts.data, cuts.len, sizeof *cuts.data, ranges_compare_begin);
    for (size_t i = 0; st == OK && i < cuts.len; i++) {
        buf_put(out, part->bytes + at, cuts.data[i].begin - at);
        at = cuts.data[i].end;
    }
    if (st == OK) buf_put(out, part->bytes + at, part->size - at);
    if (st == OK) st = buf_check(out, err);
    xml_tree_free(&tree);
    str_map_free(styles.names);
    str_map_free(styles.looks);
    ranges_free(&cuts);
    return st;
}

/* --- Paragraphs: text:p and text:h, chapters 5 and 6 of part 3 ------------------------- */

/* What an element in a paragraph is. */
typedef enum {
    ODF_SPAN,   /* formatting, a link */
    ODF_SPACE,  /* spaces, a tab, the end of a line */
    ODF_BEGIN,  /* the beginning of a range: a bookmark, a tracked change, an entry of an index */
    ODF_END,    /* the end of a range */
    ODF_OPAQUE, /* a note, a comment, a frame: paragraphs in it are separate units */
    ODF_FIELD   /* everything else: its text is kept */
} OdfKind;

static OdfKind kind_of(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *names;
        OdfKind kind;
    } rows[] = {
        { "span a meta content-control ruby ruby-base", ODF_SPAN },
        { "s tab line-break", ODF_SPACE },
        { "bookmark-start reference-mark-start annotation change-start toc-mark-start user-index-mark-start "
          "alphabetical-index-mark-start",
          ODF_BEGIN },
        { "bookmark-end reference-mark-end annotation-end change-end toc-mark-end user-index-mark-end "
          "alphabetical-index-mark-end",
          ODF_END },
        { "note frame custom-shape g rect line text-box control ruby-text soft-page-break", ODF_OPAQUE },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xml_tree_is(tree, node, rows[i].names)) return rows[i].kind;
    return ODF_FIELD;
}

#define PARAGRAPHS    "p h"                /* paragraphs and headings */
#define PICTURE_TEXTS "svg:title svg:desc" /* the title and the description of a picture */

/* Whether an element of a chart contains data: its table, and the labels of values in a series. */
static bool is_chart_data(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;

    return xml_tree_is(tree, node, "chart:series") ||
           (xml_tree_is(tree, node, "table:table") && parent != XML_NO_NODE &&
            xml_tree_is(tree, parent, "chart:chart"));
}

static void report_paragraph(const XmlTree *tree, size_t paragraph);

/* Reports the units in an element. */
static void report_inner(const XmlTree *tree, size_t node)
{
    if (!document_builder_can_begin(tree->builder)) return;
    for (size_t i = node + 1; i < tree->nodes[node].next;) {
        const bool is_one = xml_tree_is(tree, i, PARAGRAPHS);
        if (is_one)
            report_paragraph(tree, i);
        else if (xml_tree_is(tree, i, PICTURE_TEXTS))
            xml_text_element(tree, i);
        i = is_one || is_chart_data(tree, i) ? tree->nodes[i].next : i + 1;
    }
}

/* Sets *key to the key of a range, which is the same for its beginning and its end. Returns false if the element has no
 * name: an annotation without an end, for example. */
static bool find_name(const XmlTree *tree, size_t node, uint64_t *key)
{
    static const char *const names[] = { "text:name", "office:name", "text:change-id", "text:id" };
    Range name;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!xml_tree_attribute(tree, node, names[i], &name)) continue;
        *key = xml_text_range_key(tree, node, name);
        return true;
    }
    return false;
}

/* Reports a field. Its text stays as it is. A field without text may stand for a word or only mark a place. */
static void report_field(const XmlTree *tree, size_t node)
{
    static const char marks[] = "bookmark reference-mark change toc-mark user-index-mark alphabetical-index-mark";
    const XmlNode *n = &tree->nodes[node];

    if (!n->has_text || n->next != node + 2) {
        if (xml_tree_is(tree, node, marks))
            document_builder_empty(tree->builder, n->begin, xml_tree_end(tree, node));
        else
            document_builder_object(tree->builder, xml_tree_name(tree, node), n->begin, xml_tree_end(tree, node));
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
    static const char objects[] = "frame custom-shape g rect line control";
    const XmlNode *n = &tree->nodes[node];
    const size_t end = xml_tree_end(tree, node);
    const OdfKind kind = kind_of(tree, node);
    uint64_t key = 0;

    if (kind == ODF_SPAN) {
        xml_text_open(tree, node);
        return node + 1;
    }
    if (kind != ODF_SPACE) report_inner(tree, node);
    if (xml_tree_is(tree, node, "tab")) /* a tab ends the text, not only a word */
        document_builder_next_unit(tree->builder, XML_IN_TEXT, n->begin, end);
    else if (xml_tree_is(tree, node, "line-break"))
        document_builder_separate(tree->builder, n->begin, end, BREAK_HARD);
    else if (kind == ODF_SPACE && !char_is_space(tree->bytes[end]) && !char_is_space(tree->bytes[n->begin - 1]))
        document_builder_separate(tree->builder, n->begin, end, BREAK_NONE);
    else if (kind == ODF_BEGIN && find_name(tree, node, &key))
        document_builder_open(tree->builder, key, n->begin, end);
    else if (kind == ODF_END && find_name(tree, node, &key))
        document_builder_close(tree->builder, key, n->begin, end);
    else if (kind == ODF_FIELD)
        report_field(tree, node);
    else if (xml_tree_is(tree, node, objects) && /* a picture or a formula in a line stands for a word */
             xml_tree_attribute_is(tree, node, "text:anchor-type", "as-char"))
        document_builder_object(tree->builder, xml_tree_name(tree, node), n->begin, end);
    else
        document_builder_empty(tree->builder, n->begin, end);
    return n->next;
}

/* Reports a paragraph as a unit, and before it the units inside it: in notes, comments, text boxes and descriptions. */
static void report_paragraph(const XmlTree *tree, size_t paragraph)
{
    const XmlNode *nodes = tree->nodes;
    size_t open = paragraph;

    if (nodes[paragraph].close_begin <= nodes[paragraph].end) return;
    document_builder_begin(tree->builder, XML_IN_TEXT, nodes[paragraph].end);
    for (size_t i = paragraph + 1; i < nodes[paragraph].next || open != paragraph;) {
        if (open != paragraph && i >= nodes[open].next) {
            xml_text_close(tree, open);
            open = nodes[open].parent;
        } else if (nodes[i].kind != NODE_ELEMENT) {
            xml_text_report(tree, i++, XML_IN_TEXT, false);
        } else {
            if (kind_of(tree, i) == ODF_SPAN && nodes[i].close_begin > nodes[i].end) open = i;
            i = report_element(tree, i);
        }
    }
    document_builder_end_unit(tree->builder, nodes[paragraph].close_begin);
}

/* --- The texts of a part -------------------------------------------------------------- */

/* Returns the language of the default styles, fo:language="en"; empty: unknown. */
static Range find_language(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count; i++) {
        Range value;
        if (xml_tree_is(tree, i, "text-properties") && xml_tree_is(tree, tree->nodes[i].parent, "default-style") &&
            xml_tree_attribute(tree, i, "fo:language", &value) && value.begin < value.end)
            return value;
    }
    return (Range){ 0, 0 };
}

/* Sets the language of a style (fo:language="en" fo:country="US") to the language of the translation if it is `source`,
 * the language of the default styles. Other languages stay, and so does the language of the translation with its
 * country. fo:country becomes "none". */
static void report_language(const XmlTree *tree, size_t properties, Range source)
{
    const char *language = xml_language(tree);
    char primary[16], tag[LABEL_LANGUAGE_BYTES];
    const size_t length = language ? strcspn(language, "-") : 0;
    Range value, country;

    if (!length || length >= sizeof primary) return;
    if (!xml_tree_is(tree, tree->nodes[properties].parent, "default-style") &&
        (source.begin == source.end || !xml_tree_attribute(tree, properties, "fo:language", &value) ||
         !ranges_are_same(tree->bytes, value, source)))
        return;
    if (xml_tree_attribute(tree, properties, "fo:language", &value) &&
        xml_tree_attribute(tree, properties, "fo:country", &country) && country.end - country.begin >= 2 &&
        country.end - country.begin <= 3) { /* not "none" */
        snprintf(tag, sizeof tag, "%.*s-%.*s", (int)(value.end - value.begin), tree->bytes + value.begin,
                 (int)(country.end - country.begin), tree->bytes + country.begin);
        if (language_detector_same(tag, language)) return;
    }
    snprintf(primary, sizeof primary, "%.*s", (int)length, language);
    xml_label(tree, properties, "fo:language", primary);
    xml_label(tree, properties, "fo:country", "none");
    xml_label(tree, properties, "style:rfc-language-tag", language);
}

/* Reports the text or the language in an element. Returns the next node: deleted text, settings, the data of charts,
 * and cells of other documents are not translated. */
static size_t report_node(const XmlTree *tree, size_t node, Range source)
{
    static const char skipped[] = "tracked-changes settings scripts font-face-decls dde-links";
    static const char names[] = "dc:title dc:subject dc:description meta:keyword";
    static const char texts[] = "presentation:header-decl presentation:footer-decl table:title table:desc "
                                "text:index-title-template";
    static const char numbers[] = "outline-level-style list-level-style-number"; /* of headings and lists: Chapter 1 */
    const bool is_one = xml_tree_is(tree, node, PARAGRAPHS);
    const bool skips = is_one || xml_tree_is(tree, node, skipped) || is_chart_data(tree, node);
    const bool is_meta = xml_tree_is(tree, node, names) && xml_tree_is(tree, tree->nodes[node].parent, "meta");
    Range title;

    if (is_one)
        report_paragraph(tree, node);
    else if (!skips && (is_meta || xml_tree_is(tree, node, PICTURE_TEXTS) || xml_tree_is(tree, node, texts)))
        xml_text_element(tree, node);
    else if (!skips && xml_tree_is(tree, node, "dc:language"))
        xml_label_contents(tree, node);
    else if (!skips && xml_tree_is(tree, node, "text-properties"))
        report_language(tree, node, source);
    else if (!skips && xml_tree_is(tree, node, numbers))
        xml_text_attributes(tree, node,
                            "style:num-prefix style:num-suffix style:num-list-format loext:num-list-format");
    else if (!skips && xml_tree_is(tree, node, "help-message error-message") &&
             xml_tree_attribute(tree, node, "table:title", &title) && title.begin < title.end)
        xml_text_attribute(tree, title);
    return skips ? tree->nodes[node].next : node + 1;
}

/* --- Sheets: table:table in office:spreadsheet, chapter 9 of part 3 ---------------------- */

/* How many bytes of a text are compared with names of columns and rules for codes. */
#define COMPARED_BYTES ((size_t)1024)

/* The whole document. */
typedef struct {
    Sheets *sheets;
    bool is_whole;   /* all texts are translated, not only those of some sheets or columns */
    StrMap *objects; /* the folders of the charts in sheets that are translated */
    size_t ranges;   /* the last node that names the cells of conditions or filters in it; 0: none */
    char range[64];  /* these cells */
    Buf text;
} Odf;

typedef struct {
    size_t node, row, column;
    bool has_text;
} OdfCell;

/* Sets odf->text to the text of an attribute, and returns whether it is not empty. */
static bool decode(Odf *odf, const XmlTree *tree, size_t node, const char *attribute)
{
    Range value;

    return xml_tree_attribute(tree, node, attribute, &value) && xml_text_decode(&odf->text, tree, value);
}

/* Sets odf->text to the text of a cell. Longer texts are cut off. */
static void decode_cell(Odf *odf, const XmlTree *tree, size_t cell)
{
    buf_clear(&odf->text);
    buf_put(&odf->text, "", 0);
    for (size_t i = cell + 1; i < tree->nodes[cell].next && odf->text.len < COMPARED_BYTES; i = tree->nodes[i].next) {
        if (!xml_tree_is(tree, i, "p")) continue;
        if (odf->text.len) buf_put_byte(&odf->text, '\n');
        for (size_t k = i + 1; k < tree->nodes[i].next && odf->text.len < COMPARED_BYTES; k++) {
            const XmlNode *n = &tree->nodes[k];
            const Range bytes = { n->begin, chars_limit(n->begin, n->end, COMPARED_BYTES) };
            if (n->kind != NODE_ELEMENT && bytes.end == n->end) xml_text_put(&odf->text, tree, bytes);
        }
    }
    document_builder_check(tree->builder, buf_check(&odf->text, NULL));
}

/* Reads a number of repetitions or covered cells, 1 if there is none. */
static size_t count_of(const XmlTree *tree, size_t node, const char *attribute)
{
    Range value;
    const bool is_one = xml_tree_attribute(tree, node, attribute, &value) && char_is_digit(tree->bytes[value.begin]);
    const size_t count = is_one ? strtoul(tree->bytes + value.begin, NULL, 10) : 1;

    return count && count < ((size_t)1 << 20) ? count : 1;
}

/* Reads an address such as 'My sheet'.A1:.B5 in odf->text: sets *name to its sheet, and *area. */
static bool read_address(const Odf *odf, Buf *name, SheetArea *area)
{
    const char *text = odf->text.data;
    const size_t end = odf->text.len;
    size_t at = *text == '$', dot;

    buf_clear(name);
    if (at < end && text[at] == '\'') {
        for (at++; at < end && (text[at] != '\'' || (at + 1 < end && text[at + 1] == '\'')); at++) {
            buf_put_byte(name, text[at]);
            at += text[at] == '\'';
        }
        at++;
        if (at >= end || text[at++] != '.') return false;
    } else {
        dot = chars_find(text, at, end, '.');
        buf_put(name, text + at, dot - at);
        at = dot + 1;
    }
    area->has_names = false;
    if (at >= end || !sheets_read_cell(text, &at, end, &area->top, &area->left)) return false;
    area->bottom = area->top;
    area->right = area->left;
    if (at == end) return name->data;
    for (at = end; at && text[at - 1] != '.' && text[at - 1] != ':';) at--;
    return name->data && sheets_read_cell(text, &at, end, &area->bottom, &area->right);
}

/* Adds the cells of pivot tables, and the names of columns in their data. */
static void read_pivots(Odf *odf, const XmlTree *tree, size_t pivots)
{
    Buf name = { 0 };
    SheetArea area;

    for (size_t i = pivots + 1; i < tree->nodes[pivots].next; i++) {
        if (xml_tree_is(tree, i, "data-pilot-table") && decode(odf, tree, i, "table:target-range-address") &&
            read_address(odf, &name, &area))
            sheets_add_area(odf->sheets, name.data, name.len, area);
        if (!xml_tree_is(tree, i, "source-cell-range") || !decode(odf, tree, i, "table:cell-range-address") ||
            !read_address(odf, &name, &area))
            continue;
        area.bottom = area.top;
        area.has_names = true;
        sheets_add_area(odf->sheets, name.data, name.len, area);
    }
    if (name.failed) document_builder_fail_memory(tree->builder);
    buf_free(&name);
}

/* Collects a formula, or a text that rows must have. Formulas begin with a prefix, as in of:=A1+B1. */
static void add_formula(Odf *odf, const XmlTree *tree, size_t node, const char *attribute, SheetFormula kind,
                        const char *where)
{
    size_t begin = 0;

    if (!decode(odf, tree, node, attribute)) return;
    if (kind != SHEET_FILTER) {
        while (begin < odf->text.len && char_is_alphanumeric(odf->text.data[begin])) begin++;
        begin = chars_begin(odf->text.data, begin, odf->text.len, ":") ? begin + 1 : 0;
        begin += (kind == SHEET_CELL || kind == SHEET_NAME) && odf->text.data[begin] == '=';
    }
    sheets_add_formula(odf->sheets, kind, where, odf->text.data + begin, odf->text.len - begin);
}

/* Sets `where` to the beginning of an attribute. Returns false if there is none. */
static bool copy_name(const XmlTree *tree, size_t node, const char *attribute, char where[64])
{
    Range value;

    if (!xml_tree_attribute(tree, node, attribute, &value)) return false;
    snprintf(where, 64, "%.*s", (int)(chars_limit(value.begin, value.end, 63) - value.begin),
             tree->bytes + value.begin);
    return true;
}

/* Collects the formulas in an element that is not a cell. The elements are given in the order of the document, so
 * that the cells of conditions and filters, which an element around them names, are read once for all of them. */
static void read_formulas(Odf *odf, const XmlTree *tree, size_t node)
{
    static const struct {
        const char *element, *formula, *name; /* the element; its attributes. NULL: an element around it has the name */
        SheetFormula kind;
    } rows[] = {
        { "condition", "calcext:value", NULL, SHEET_CONDITION },
        { "content-validation", "table:condition", "table:name", SHEET_RULE },
        { "named-expression", "table:expression", "table:name", SHEET_NAME },
        { "filter-condition", "table:value", NULL, SHEET_FILTER },
    };
    char name[64];

    if ((xml_tree_is(tree, node, "conditional-format") &&
         copy_name(tree, node, "calcext:target-range-address", odf->range)) ||
        (xml_tree_is(tree, node, "database-range data-pilot-table") &&
         copy_name(tree, node, "table:target-range-address", odf->range)))
        odf->ranges = node;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SheetFormula kind = rows[i].kind;
        const char *where = odf->ranges && node < tree->nodes[odf->ranges].next ? odf->range : "a range";
        if (!xml_tree_is(tree, node, rows[i].element)) continue;
        if (rows[i].name) where = copy_name(tree, node, rows[i].name, name) ? name : "a range";
        if (kind == SHEET_RULE && decode(odf, tree, node, rows[i].formula) &&
            chars_after(odf->text.data, 0, odf->text.len, "is-in-list", 0))
            kind = SHEET_LIST;
        add_formula(odf, tree, node, rows[i].formula, kind, where);
    }
}

static OdfCell read_cell(const XmlTree *tree, size_t node, size_t row, size_t column)
{
    OdfCell cell = { node, row, column, false };
    Range type;

    cell.has_text = (!xml_tree_attribute(tree, node, "office:value-type", &type) ||
                     xml_tree_attribute_is(tree, node, "office:value-type", "string")) &&
                    xml_tree_child(tree, node, "p") != XML_NO_NODE;
    return cell;
}

/* Reports a cell. Its texts are paragraphs; it may also contain a comment and pictures. A copy of the text in an
 * attribute is left out of every translation. */
static void report_cell(Odf *odf, const XmlTree *tree, const OdfCell *cell, bool is_name, bool is_wanted, Range source)
{
    const XmlNode *nodes = tree->nodes;
    const size_t node = cell->node, last = nodes[node].next;
    Range formula, value;
    bool has_formula = xml_tree_attribute(tree, node, "table:formula", &formula), wants = false;
    char where[CELL_NAME_BYTES];

    if (has_formula)
        add_formula(odf, tree, node, "table:formula", SHEET_CELL, sheets_cell_name(cell->row, cell->column, where));
    if (cell->has_text && !has_formula) {
        decode_cell(odf, tree, node);
        if (document_builder_failed(tree->builder)) return;
        wants = sheets_wants(odf->sheets, is_name, cell->row, cell->column, odf->text.data, odf->text.len);
        if (wants) sheets_add_text(odf->sheets, odf->text.data, odf->text.len);
    }
    if (wants && xml_tree_attribute(tree, node, "office:string-value", &value)) {
        const Range copy = xml_tree_attribute_bytes(tree, value);
        document_builder_mark(tree->builder, EVERY_TRANSLATION, copy.begin, copy.end, "");
    }
    for (size_t i = node + 1; i < last && !document_builder_failed(tree->builder);) {
        if (nodes[i].parent == node && xml_tree_is(tree, i, PARAGRAPHS)) {
            if (wants) report_paragraph(tree, i);
            i = nodes[i].next;
        } else {
            Range address;
            if (is_wanted && xml_tree_is(tree, i, "draw:object") &&
                xml_tree_attribute(tree, i, "xlink:href", &address)) {
                address.begin += chars_begin(tree->bytes, address.begin, address.end, "./") ? 2 : 0;
                document_builder_check(tree->builder, str_map_add(odf->objects, tree->bytes + address.begin,
                                                                  address.end - address.begin, 0, NULL, NULL));
            }
            i = is_wanted ? report_node(tree, i, source) : i + 1;
        }
    }
}

/* Reports a sheet. */
static void report_sheet(Odf *odf, const XmlTree *tree, size_t table, Range source)
{
    static const char cells[] = "table-cell covered-table-cell";
    const XmlNode *nodes = tree->nodes;
    size_t row = 0, first_row = XML_NO_NODE;
    bool is_wanted;

    if (xml_tree_child(tree, table, "table-source") != XML_NO_NODE) return; /* a copy of cells of another document */
    if (!decode(odf, tree, table, "table:name")) buf_clear(&odf->text);
    is_wanted = sheets_enter(odf->sheets, odf->text.data ? odf->text.data : "", odf->text.len) &&
                !sheets_has_columns(odf->sheets);
    for (size_t i = table + 1, column; i < nodes[table].next && first_row == XML_NO_NODE; i++) {
        if (!xml_tree_is(tree, i, "table-row")) continue;
        column = 0;
        for (size_t k = i + 1; k < nodes[i].next && !document_builder_failed(tree->builder); k = nodes[k].next) {
            OdfCell cell;
            if (!xml_tree_is(tree, k, cells)) continue;
            cell = read_cell(tree, k, 0, column);
            column += count_of(tree, k, "table:number-columns-repeated");
            if (!cell.has_text) continue;
            first_row = i;
            decode_cell(odf, tree, k);
            if (odf->text.data) sheets_name_column(odf->sheets, cell.column, odf->text.data, odf->text.len);
        }
    }
    sheets_names_end(odf->sheets);
    for (size_t i = table + 1; i < nodes[table].next && !document_builder_failed(tree->builder);) {
        size_t column = 0;
        if (!xml_tree_is(tree, i, "table-row")) {
            read_formulas(odf, tree, i);
            i = is_wanted ? report_node(tree, i, source) : i + 1;
            continue;
        }
        for (size_t k = i + 1; k < nodes[i].next && !document_builder_failed(tree->builder); k = nodes[k].next) {
            OdfCell cell;
            if (!xml_tree_is(tree, k, cells)) continue;
            cell = read_cell(tree, k, row, column);
            report_cell(odf, tree, &cell, i == first_row, is_wanted, source);
            column += count_of(tree, k, "table:number-columns-repeated");
        }
        row += count_of(tree, i, "table:number-rows-repeated");
        i = nodes[i].next;
    }
}

/* --- The document ---------------------------------------------------------------------- */

static void report_tree(Odf *odf, const XmlTree *tree, Range source)
{
    size_t spreadsheet = XML_NO_NODE;

    odf->ranges = 0;
    for (size_t i = 1; i < tree->count && spreadsheet == XML_NO_NODE; i++)
        if (xml_tree_is(tree, i, "office:spreadsheet")) spreadsheet = i;
    for (size_t i = spreadsheet + 1; spreadsheet != XML_NO_NODE && i < tree->nodes[spreadsheet].next;
         i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, "data-pilot-tables")) read_pivots(odf, tree, i);
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        if (xml_tree_is(tree, i, "table:table") && tree->nodes[i].parent == spreadsheet) {
            report_sheet(odf, tree, i, source);
            i = tree->nodes[i].next;
        } else {
            if (spreadsheet != XML_NO_NODE) read_formulas(odf, tree, i);
            i = odf->is_whole ? report_node(tree, i, source) : i + 1;
        }
    }
}

/* Starts to read a document, whose options may choose some sheets or columns. */
static bool begin_odf(Odf *odf, DocumentBuilder *builder)
{
    const DocumentOptions *options = document_builder_input(builder).options;

    *odf = (Odf){ .sheets = sheets_new(builder), .is_whole = !options->sheet_count && !options->column_count };
    return odf->sheets && document_builder_check(builder, str_map_new(&odf->objects, NULL));
}

static void end_odf(Odf *odf)
{
    if (odf->sheets) sheets_finish(odf->sheets);
    sheets_free(odf->sheets);
    str_map_free(odf->objects);
    buf_free(&odf->text);
}

/* Whether the part is the contents of a chart in a sheet that is translated. */
static bool is_object(const Odf *odf, const char *bytes, Range name)
{
    static const char contents[] = "/content.xml";
    const size_t length = name.end - name.begin, size = sizeof contents - 1;

    return length > size && str_map_get(odf->objects, bytes + name.begin, length - size, -1) >= 0;
}

static void parse_odf(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    Range source = { 0, 0 };
    PackagePart part;
    XmlTree tree;
    Odf odf;

    for (size_t at = input.begin; package_next_part(input.bytes, input.end, &at, &part);) {
        if (!chars_are(input.bytes + part.name.begin, part.name.end - part.name.begin, STYLES)) continue;
        if (!xml_tree_read_part(&tree, builder, part.contents)) return;
        source = find_language(&tree);
        xml_tree_free(&tree);
    }
    if (!begin_odf(&odf, builder)) return end_odf(&odf);
    for (size_t at = input.begin; /* a second pass, because the default styles come after the text */
         !document_builder_failed(builder) && package_next_part(input.bytes, input.end, &at, &part);) {
        const bool is_whole = odf.is_whole;
        if (!xml_tree_read_part(&tree, builder, part.contents)) break;
        odf.is_whole = is_whole || is_object(&odf, input.bytes, part.name);
        report_tree(&odf, &tree, source);
        odf.is_whole = is_whole;
        xml_tree_free(&tree);
    }
    end_odf(&odf);
}

static void parse_flat(DocumentBuilder *builder)
{
    XmlTree tree;
    Odf odf;

    if (!xml_tree_read(&tree, builder)) return;
    if (begin_odf(&odf, builder)) report_tree(&odf, &tree, find_language(&tree));
    end_odf(&odf);
    xml_tree_free(&tree);
}

static const PackageRules rules = { .called = "an OpenDocument text", .choose = choose_parts, .prepare = join_spans };

const DocumentFormat document_odt = { .name = "odt",
                                      .paragraphs = "p h",
                                      .endings = ".odt .ott .odp .otp",
                                      .parse = parse_odf,
                                      .spelling = &xml_spelling,
                                      .package = &rules };
const DocumentFormat document_fodt = { .name = "fodt",
                                       .endings = ".fodt .fodp",
                                       .parse = parse_flat,
                                       .spelling = &xml_spelling,
                                       .find_encoding = declared_encoding_xml };

static const PackageRules sheet_rules = { .called = "an OpenDocument spreadsheet",
                                          .choose = choose_parts,
                                          .prepare = join_spans };

const DocumentFormat document_ods = { .name = "ods",
                                      .paragraphs = "p h",
                                      .endings = ".ods .ots",
                                      .parse = parse_odf,
                                      .spelling = &xml_spelling,
                                      .package = &sheet_rules };
const DocumentFormat document_fods = { .name = "fods",
                                       .endings = ".fods",
                                       .parse = parse_flat,
                                       .spelling = &xml_spelling,
                                       .find_encoding = declared_encoding_xml };
