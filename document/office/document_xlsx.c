/* document_xlsx.c - spreadsheets (.xlsx) of Office Open XML.
 * Source   ECMA-376, part 1, 5th edition: chapter 18 (SpreadsheetML).
 *
 * Most texts of cells are in one part, the shared strings; a cell has the index of its text. A string is translated if
 * a cell that is to be translated has it. Other cells with the same string get a copy of the source, which every
 * translation appends to the strings. So the sheets are read before the strings are reported:
 *
 *     read_sheet()       which strings are translated; reports texts in the sheet itself; collects formulas
 *     report_strings()   reports these strings; appends the copies
 *     report_part()      reports the texts of other parts: comments, drawings, charts
 *
 * These cells stay, because readers of the file compare their texts with others: the headers of tables and of the data
 * of pivot tables, the last rows of tables with totals, and the cells of pivot tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "document_formats.h"
#include "ooxml.h"
#include "package.h"
#include "sheets.h"
#include "str_map.h"
#include "utf8.h"
#include "xml.h"

#define NO_PART ((size_t)-1)

/* How many bytes of a text are compared with names of columns and rules for codes. */
#define COMPARED_BYTES ((size_t)1024)
/* The most relationships from a sheet to a part: to a drawing, to its chart, to the shapes in the chart. */
#define MOST_STEPS 4

/* Parts by the names of their first elements; all others may have texts of drawings. */
typedef enum {
    BOOK,
    LINKS,
    SHEET,
    CHART_SHEET,
    STRINGS,
    TABLE,
    PIVOT,
    CACHE,
    COMMENTS,
    THREADS,
    CORE,
    OTHER
} BookPartKind;

static const char *const roots[] = { "workbook",
                                     "Relationships",
                                     "worksheet",
                                     "chartsheet",
                                     "sst",
                                     "table",
                                     "pivotTableDefinition",
                                     "pivotCacheDefinition",
                                     "comments",
                                     "ThreadedComments",
                                     "coreProperties" };

typedef struct {
    PackagePart part;
    BookPartKind kind;
    size_t source;  /* the part that refers to this one; NO_PART: unknown */
    Range title;    /* of a sheet: its name, as the workbook spells it */
    bool is_wanted; /* of a sheet */
} BookPart;

typedef struct {
    uint32_t node;
    Range text; /* its beginning, in Book.texts */
} SharedString;

/* A cell with a shared string that is not translated in this cell. */
typedef struct {
    uint32_t string;
    Range value; /* its index */
} SharedUse;

enum { IS_TRANSLATED = 1, IS_KEPT = 2 };

typedef struct {
    DocumentBuilder *builder;
    const char *bytes;
    Sheets *sheets;
    LIST_OF(BookPart) parts;
    StrMap *names;   /* of parts, in lower case -> indices of `parts` */
    XmlTree strings; /* the part with the shared strings; no nodes: there is none */
    LIST_OF(SharedString) items;
    Buf texts;               /* the beginnings of the strings */
    uint8_t *flags;          /* [items.len], how cells use the strings */
    LIST_OF(SharedUse) kept; /* the cells with IS_KEPT */
    Buf text;
} Book;

/* A sheet that is read. */
typedef struct {
    Book *book;
    const XmlTree *tree;
    size_t part;
    size_t first_row;  /* the node of the first row with a text; XML_NO_NODE: none */
    const char *table; /* the name of the table that is read instead of a sheet; NULL: none */
    bool has_arrays;   /* a formula fills several cells, of which only the first one has it */
    size_t format;     /* the node of the last conditional format; 0: none */
    Range cells;       /* its cells; empty: it does not name them */
} SheetReader;

typedef struct {
    size_t node, row, column;
    size_t value, inlined, formula; /* nodes; XML_NO_NODE: none */
    size_t string;                  /* 1 + the index of its shared string; 0: none */
    bool has_text;
} SheetCell;

/* --- Parts ----------------------------------------------------------------------------- */

/* Returns what a part contains, by the name of its first element. */
static BookPartKind kind_of_part(const char *bytes, Range contents)
{
    size_t at = chars_find(bytes, contents.begin, contents.end, '<'), end;

    while (at < contents.end &&
           (chars_begin(bytes, at, contents.end, "<?") || chars_begin(bytes, at, contents.end, "<!")))
        at = chars_find(bytes,
                        chars_after(bytes, at, contents.end, chars_begin(bytes, at, contents.end, "<!--") ? "-->" : ">",
                                    contents.end),
                        contents.end, '<');
    for (end = at += at < contents.end; end < contents.end && !char_is_among(bytes[end], " \t\r\n/>"); end++)
        if (bytes[end] == ':') at = end + 1;
    for (size_t i = 0; i < OTHER; i++)
        if (chars_are(bytes + at, end - at, roots[i])) return (BookPartKind)i;
    return OTHER;
}

static bool is_sheet(const BookPart *part)
{
    return part->kind == SHEET || part->kind == CHART_SHEET;
}

/* Converts the name in b->text to lower case. Returns false if there is none, or after a failure. */
static bool lower_name(Book *b)
{
    if (!document_builder_check(b->builder, buf_check(&b->text, NULL))) return false;
    return chars_lower(b->text.data, b->text.len, b->text.data, b->text.len) > 0;
}

/* Returns the part with the name in b->text. */
static size_t part_named(Book *b)
{
    const int32_t index = lower_name(b) ? str_map_get(b->names, b->text.data, b->text.len, -1) : -1;

    return index < 0 ? NO_PART : (size_t)index;
}

static void list_parts(Book *b, BuilderInput input)
{
    size_t at = input.begin;
    PackagePart part;

    while (!document_builder_failed(b->builder) && package_next_part(input.bytes, input.end, &at, &part)) {
        LIST_PUT(&b->parts, ((BookPart){ part, kind_of_part(b->bytes, part.contents), NO_PART, { 0, 0 }, false }));
        buf_clear(&b->text);
        buf_put(&b->text, b->bytes + part.name.begin, part.name.end - part.name.begin);
        if (document_builder_check(b->builder, LIST_CHECK(&b->parts, "a document", NULL)) && lower_name(b))
            document_builder_check(
                b->builder, str_map_add(b->names, b->text.data, b->text.len, (int32_t)b->parts.len - 1, NULL, NULL));
    }
}

/* Reads the relationships of a part: sets BookPart.source of the parts to which they lead. In `ids`, if it is not NULL,
 * puts the identifiers of the relationships -> indices of parts. */
static void read_links(Book *b, size_t links, StrMap *ids)
{
    static const char folder_name[] = "_rels/", ending[] = ".rels";
    const Range name = b->parts.data[links].part.name;
    Range folder = name, target, id;
    XmlTree tree;
    size_t source;

    while (folder.end > folder.begin && b->bytes[folder.end - 1] != '/') folder.end--;
    if (folder.end - folder.begin < sizeof folder_name - 1) return;
    buf_clear(&b->text);
    buf_put(&b->text, b->bytes + name.begin, folder.end - (sizeof folder_name - 1) - name.begin);
    buf_put(&b->text, b->bytes + folder.end, name.end - folder.end);
    folder.end -= sizeof folder_name - 1;
    b->text.len -= b->text.len < sizeof ending - 1 ? b->text.len : sizeof ending - 1;
    source = part_named(b);
    if (source == NO_PART || !xml_tree_read_part(&tree, b->builder, b->parts.data[links].part.contents)) return;
    for (size_t i = 1; i < tree.count && !document_builder_failed(b->builder); i++) {
        size_t part;
        if (!xml_tree_is(&tree, i, "Relationship") || xml_tree_attribute_is(&tree, i, "TargetMode", "External") ||
            !xml_tree_attribute(&tree, i, "Target", &target) || target.begin == target.end)
            continue;
        buf_clear(&b->text);
        package_put_address(&b->text, b->bytes + folder.begin, folder.end - folder.begin, tree.bytes + target.begin,
                            target.end - target.begin);
        part = part_named(b);
        if (part == NO_PART) continue;
        if (b->parts.data[part].source == NO_PART) b->parts.data[part].source = source;
        if (ids && b->parts.data[source].kind == BOOK && xml_tree_attribute(&tree, i, "Id", &id))
            document_builder_check(
                b->builder, str_map_add(ids, tree.bytes + id.begin, id.end - id.begin, (int32_t)part, NULL, NULL));
    }
    xml_tree_free(&tree);
}

/* Returns the sheet to which a part belongs; NO_PART: none. */
static size_t sheet_of(const Book *b, size_t part)
{
    for (size_t i = 0; part != NO_PART && i < MOST_STEPS && !is_sheet(&b->parts.data[part]); i++)
        part = b->parts.data[part].source;
    return part != NO_PART && is_sheet(&b->parts.data[part]) ? part : NO_PART;
}

/* Sets b->text to the text directly in an element. */
static bool decode_contents(Book *b, const XmlTree *tree, size_t element)
{
    buf_clear(&b->text);
    for (size_t i = element + 1; i < tree->nodes[element].next; i = tree->nodes[i].next)
        if (tree->nodes[i].kind != NODE_ELEMENT)
            xml_text_put(&b->text, tree, (Range){ tree->nodes[i].begin, tree->nodes[i].end });
    return document_builder_check(b->builder, buf_check(&b->text, NULL)) && b->text.len;
}

/* Reads the names of the sheets. */
static void read_book(Book *b, size_t book, const StrMap *ids)
{
    XmlTree tree;

    if (!xml_tree_read_part(&tree, b->builder, b->parts.data[book].part.contents)) return;
    for (size_t i = 1; i < tree.count; i++) {
        Range title = { 0, 0 };
        int32_t part = -1;
        if (!xml_tree_is(&tree, i, "sheet")) continue;
        for (XmlAttribute a = xml_tree_attributes(&tree, i); xml_next_attribute(&a);) {
            const char *local = memchr(tree.bytes + a.name.begin, ':', a.name.end - a.name.begin);
            if (xml_tree_lists(&tree, a.name, "name")) title = a.value;
            if (local && chars_are(local, (size_t)(tree.bytes + a.name.end - local), ":id"))
                part = str_map_get(ids, tree.bytes + a.value.begin, a.value.end - a.value.begin, -1);
        }
        if (part >= 0) b->parts.data[part].title = title;
    }
    xml_tree_free(&tree);
}

/* --- Cells that stay ------------------------------------------------------------------- */

static bool read_area(const XmlTree *tree, size_t node, SheetArea *area)
{
    Range ref;
    size_t at;

    if (node == XML_NO_NODE || !xml_tree_attribute(tree, node, "ref", &ref)) return false;
    area->has_names = false;
    at = ref.begin;
    if (!sheets_read_cell(tree->bytes, &at, ref.end, &area->top, &area->left)) return false;
    area->bottom = area->top;
    area->right = area->left;
    if (at < ref.end && tree->bytes[at++] == ':' &&
        !sheets_read_cell(tree->bytes, &at, ref.end, &area->bottom, &area->right))
        return false;
    return area->top <= area->bottom && area->left <= area->right;
}

/* The beginning of the name of a sheet, or of its part if the workbook does not name it. Each table of a sheet has it
 * decoded; Excel allows 31 characters. */
static bool decode_title(Book *b, const XmlTree *tree, const BookPart *sheet)
{
    Range title = sheet->title;

    if (title.begin < title.end) {
        title.end = chars_limit(title.begin, title.end, COMPARED_BYTES);
        return xml_text_decode(&b->text, tree, title);
    }
    buf_clear(&b->text); /* the name of a part is not XML: & in it begins no reference */
    buf_put(&b->text, b->bytes + sheet->part.name.begin, sheet->part.name.end - sheet->part.name.begin);
    return document_builder_check(b->builder, buf_check(&b->text, NULL)) && b->text.len;
}

static void add_area(Book *b, const XmlTree *tree, size_t sheet, SheetArea area)
{
    if (decode_title(b, tree, &b->parts.data[sheet])) sheets_add_area(b->sheets, b->text.data, b->text.len, area);
}

/* Adds the headers of a table, whose names are also in the part of the table and in formulas, and its totals. */
static void add_table(Book *b, const XmlTree *tree, size_t sheet)
{
    SheetArea area, row;

    if (sheet == NO_PART || !read_area(tree, 0, &area)) return;
    row = area;
    row.bottom = row.top;
    row.has_names = true;
    if (!xml_tree_attribute_is(tree, 0, "headerRowCount", "0")) add_area(b, tree, sheet, row);
    area.top = area.bottom;
    if (xml_tree_attribute_is(tree, 0, "totalsRowCount", "1")) add_area(b, tree, sheet, area);
}

/* Adds the names of columns in the data of a pivot table. */
static void add_source(Book *b, const XmlTree *tree)
{
    size_t node = xml_tree_child(tree, 0, "cacheSource");
    SheetArea area;
    Range title;

    if (node != XML_NO_NODE) node = xml_tree_child(tree, node, "worksheetSource");
    if (!read_area(tree, node, &area) || !xml_tree_attribute(tree, node, "sheet", &title)) return;
    area.bottom = area.top;
    area.has_names = true;
    title.end = chars_limit(title.begin, title.end, COMPARED_BYTES);
    if (xml_text_decode(&b->text, tree, title)) sheets_add_area(b->sheets, b->text.data, b->text.len, area);
}

static void find_areas(Book *b)
{
    for (size_t i = 0; i < b->parts.len && !document_builder_failed(b->builder); i++) {
        const BookPartKind kind = b->parts.data[i].kind;
        const size_t sheet = sheet_of(b, i);
        SheetArea area;
        XmlTree tree;
        if (kind != TABLE && kind != PIVOT && kind != CACHE) continue;
        if (!xml_tree_read_part(&tree, b->builder, b->parts.data[i].part.contents)) return;
        if (kind == TABLE) add_table(b, &tree, sheet);
        if (kind == CACHE) add_source(b, &tree);
        if (kind == PIVOT && sheet != NO_PART && read_area(&tree, xml_tree_child(&tree, 0, "location"), &area))
            add_area(b, &tree, sheet, area);
        xml_tree_free(&tree);
    }
}

/* --- Texts ----------------------------------------------------------------------------- */

/* Reports the text directly in an element. All its white space counts. */
static void report_plain(const XmlTree *tree, size_t element)
{
    const XmlNode *n = &tree->nodes[element];

    if (n->close_begin <= n->end) return;
    document_builder_begin(tree->builder, XML_IN_TEXT, n->end);
    for (size_t i = element + 1; i < n->next; i = tree->nodes[i].next)
        if (tree->nodes[i].kind != NODE_ELEMENT) xml_text_report(tree, i, XML_IN_TEXT, true);
    document_builder_end_unit(tree->builder, n->close_begin);
}

/* Reports a string: one text, or runs. Phonetic hints, which say how the characters of the source are read, are left
 * out of every translation. */
static void report_string(const XmlTree *tree, size_t string)
{
    const XmlNode *nodes = tree->nodes;
    const size_t text = xml_tree_child(tree, string, "t");
    size_t last = string; /* the last node with text */

    if (text != XML_NO_NODE)
        report_plain(tree, text);
    else
        ooxml_report_paragraph(tree, string);
    for (size_t i = string + 1; i < nodes[string].next; i = nodes[i].next)
        if (xml_tree_is(tree, i, "r t")) last = i;
    for (size_t i = nodes[last].next; last > string && i < nodes[string].next; i = nodes[i].next) {
        const bool is_hint = xml_tree_is(tree, i, "rPh") && nodes[i].next == i + 3 && xml_tree_is(tree, i + 1, "t");
        if (is_hint) document_builder_mark(tree->builder, EVERY_TRANSLATION, nodes[i].begin, xml_tree_end(tree, i), "");
    }
}

/* Sets b->text to the beginning of the text of a string, without phonetic hints. */
static void decode_string(Book *b, const XmlTree *tree, size_t string)
{
    buf_clear(&b->text);
    buf_put(&b->text, "", 0);
    for (size_t i = string + 1; i < tree->nodes[string].next && b->text.len < COMPARED_BYTES;) {
        const XmlNode *n = &tree->nodes[i];
        if (n->kind != NODE_ELEMENT && xml_tree_is(tree, n->parent, "t v") && n->end - n->begin <= COMPARED_BYTES)
            xml_text_put(&b->text, tree, (Range){ n->begin, n->end });
        i = xml_tree_is(tree, i, "rPh") ? n->next : i + 1;
    }
    document_builder_check(b->builder, buf_check(&b->text, NULL));
}

/* Reads the part with the shared strings. */
static void read_strings(Book *b)
{
    size_t part = 0;

    while (part < b->parts.len && b->parts.data[part].kind != STRINGS) part++;
    if (part == b->parts.len || !xml_tree_read_part(&b->strings, b->builder, b->parts.data[part].part.contents)) return;
    b->strings.has_escapes = true;
    for (size_t i = 1; i < b->strings.nodes[0].next; i = b->strings.nodes[i].next) {
        const size_t begin = b->texts.len;
        if (!xml_tree_is(&b->strings, i, "si")) continue;
        decode_string(b, &b->strings, i);
        if (document_builder_failed(b->builder)) return;
        buf_put(&b->texts, b->text.data, b->text.len);
        LIST_PUT(&b->items, ((SharedString){ (uint32_t)i, { begin, b->texts.len } }));
    }
    b->flags = calloc(b->items.len + 1, sizeof *b->flags);
    if (!b->flags) document_builder_fail_memory(b->builder);
    document_builder_check(b->builder, buf_check(&b->texts, NULL));
    if (b->items.failed) document_builder_fail_memory(b->builder);
}

/* Reports the strings that are translated, and appends the sources of those that other cells have, too. */
static void report_strings(Book *b)
{
    const XmlTree *tree = &b->strings;
    uint32_t *copies = calloc(b->items.len + 1, sizeof *copies), count = (uint32_t)b->items.len; /* their new indices */
    Buf appended = { 0 };
    char number[16];
    Range value, text;

    for (size_t i = 0; i < b->items.len && !document_builder_failed(b->builder); i++) {
        if (!(b->flags[i] & IS_TRANSLATED)) continue;
        report_string(tree, b->items.data[i].node);
        text = b->items.data[i].text;
        sheets_add_text(b->sheets, b->texts.data + text.begin, text.end - text.begin);
    }
    for (size_t i = 0; copies && i < b->kept.len && !document_builder_failed(b->builder); i++) {
        const SharedUse *use = &b->kept.data[i];
        const size_t node = b->items.data[use->string].node;
        if (!(b->flags[use->string] & IS_TRANSLATED)) continue;
        if (!copies[use->string]) {
            copies[use->string] = count++;
            buf_put(&appended, tree->bytes + tree->nodes[node].begin,
                    xml_tree_end(tree, node) - tree->nodes[node].begin);
        }
        snprintf(number, sizeof number, "%u", (unsigned)copies[use->string]);
        document_builder_mark(b->builder, EVERY_TRANSLATION, use->value.begin, use->value.end, number);
    }
    if (appended.len) {
        const size_t end = tree->nodes[0].close_begin;
        document_builder_mark(b->builder, EVERY_TRANSLATION, end, end, appended.data);
        snprintf(number, sizeof number, "%u", (unsigned)count);
        if (xml_tree_attribute(tree, 0, "uniqueCount", &value))
            document_builder_mark(b->builder, EVERY_TRANSLATION, value.begin, value.end, number);
    }
    if (!copies || appended.failed) document_builder_fail_memory(b->builder);
    buf_free(&appended);
    free(copies);
}

/* --- Headers and footers: 18.3.1.39 -------------------------------------------------------
 * Codes begin with &: &L, &C and &R begin the left, middle and right part, &P is the number of the page, &"Arial,Bold"
 * is a font, &12 its size, && stands for &. */

enum {
    IN_HEADER = 64,   /* a context: in the text of a header */
    AFTER_SIZE = 128, /* directly after the size of a font, so that a digit needs a space before it */
};

typedef enum { HEADER_TEXT, HEADER_AND, HEADER_PART, HEADER_VALUE, HEADER_SIZE, HEADER_FORMAT } HeaderKind;

/* Reads the code or the character at byte `at`, and sets *next to its end and *letter to the letter of the code. */
static HeaderKind read_header(const XmlTree *tree, size_t at, size_t end, size_t *next, char *letter)
{
    EscapedPart part = xml_text_read(tree, at, end);
    size_t most = 1;

    *next = at + part.length;
    if (part.size != 1 || *part.text != '&' || *next >= end) return HEADER_TEXT;
    part = xml_text_read(tree, *next, end);
    *letter = part.size == 1 ? *part.text : '\0';
    if (char_is_digit(*letter)) {
        while (*next < end && char_is_digit(tree->bytes[*next])) ++*next;
        return HEADER_SIZE;
    }
    if (*letter == 'K') most = 7; /* a color: FF0000 or 01+000 */
    for (size_t i = 0; i < most && *next < end; i++) *next += xml_text_read(tree, *next, end).length;
    if (*letter == '"') {
        char c = '\0';
        while (*next < end && c != '"') {
            part = xml_text_read(tree, *next, end);
            c = part.size == 1 ? *part.text : '\0';
            *next += part.length;
        }
    }
    if (*letter == '&') return HEADER_AND;
    if (char_is_among(*letter, "LCRlcr")) return HEADER_PART;
    return char_is_among(*letter, "PNDTFAZpndtfaz") ? HEADER_VALUE : HEADER_FORMAT;
}

/* Reports each part of a header as a unit. */
static void report_header(const XmlTree *tree, size_t element)
{
    DocumentBuilder *b = tree->builder;
    const size_t end = tree->nodes[element].close_begin;
    char value[] = "{P}", letter = '\0';
    size_t at = tree->nodes[element].end, next;
    bool is_open = false, follows_size = false;

    if (tree->nodes[element].next != element + 2 || tree->nodes[element + 1].kind != NODE_TEXT) return;
    for (; at < end && !document_builder_failed(b); at = next) {
        const HeaderKind kind = read_header(tree, at, end, &next, &letter);
        if (!is_open && (kind == HEADER_TEXT || kind == HEADER_AND || kind == HEADER_VALUE)) {
            const EscapedPart first = xml_text_read(tree, at, end); /* a space there stays before the translation */
            const bool needs_space = follows_size && !(first.size == 1 && char_is_space(*first.text));
            document_builder_begin(b, XML_IN_TEXT | IN_HEADER | (needs_space ? AFTER_SIZE : 0), at);
            is_open = true;
        }
        follows_size = kind == HEADER_SIZE;
        if (kind == HEADER_PART && is_open) {
            document_builder_end_unit(b, at);
            is_open = false;
        } else if (kind == HEADER_VALUE) {
            value[1] = letter;
            document_builder_value(b, value, 3, at, next);
        } else if (kind == HEADER_AND) {
            document_builder_spelled(b, "&", 1, at, next);
        } else if (kind == HEADER_TEXT) {
            const EscapedPart part = xml_text_read(tree, at, end);
            document_builder_spelled(b, part.text, part.size, at, next);
        } else if (is_open) {
            document_builder_empty(b, at, next);
        }
    }
    if (is_open) document_builder_end_unit(b, end);
}

/* Whether the size of a font is directly before a character. */
static bool is_after_size(const SpellingPlace *place)
{
    size_t at = place->before_length, count = 0;

    if (!at) return (place->context & AFTER_SIZE) != 0;
    while (at && char_is_digit(place->before[at - 1])) at--;
    if (at == place->before_length) return false;
    for (; at >= 5 && memcmp(place->before + at - 5, "&amp;", 5) == 0; at -= 5) count++;
    return count % 2;
}

static bool is_special_xlsx(unsigned context, uint32_t code)
{
    return ((context & IN_HEADER) && code >= '0' && code <= '9') || xml_spelling.is_special(context, code);
}

static size_t spell_xlsx(uint32_t code, const SpellingPlace *place, char *out)
{
    if (!(place->context & IN_HEADER) || !(code == '&' || (code >= '0' && code <= '9')))
        return xml_spelling.spell(code, place, out);
    if (code == '&') return spelling_copy("&amp;&amp;", out);
    out[0] = ' ';
    out[is_after_size(place)] = (char)code;
    return is_after_size(place) ? 2 : 1;
}

static bool keeps_xlsx(const char *spelling, size_t length, const SpellingPlace *place)
{
    if ((place->context & IN_HEADER) && char_is_digit(*spelling)) return !is_after_size(place);
    return xml_spelling.keeps(spelling, length, place);
}

/* --- Sheets ---------------------------------------------------------------------------- */

/* Reads the cell `node`. `row` and `column` are its place unless the cell names another one. */
static SheetCell read_cell(const SheetReader *r, size_t node, size_t row, size_t column)
{
    const XmlTree *tree = r->tree;
    SheetCell cell = { node, row, column, XML_NO_NODE, XML_NO_NODE, XML_NO_NODE, 0, false };
    Range name;
    size_t at;

    if (xml_tree_attribute(tree, node, "r", &name)) {
        at = name.begin;
        if (sheets_read_cell(tree->bytes, &at, name.end, &row, &column)) cell.row = row, cell.column = column;
    }
    for (size_t i = node + 1; i < tree->nodes[node].next; i = tree->nodes[i].next) {
        if (xml_tree_is(tree, i, "v")) cell.value = i;
        if (xml_tree_is(tree, i, "is")) cell.inlined = i;
        if (xml_tree_is(tree, i, "f")) cell.formula = i;
    }
    if (cell.value != XML_NO_NODE && xml_tree_attribute_is(tree, node, "t", "s")) {
        const XmlNode *n = &tree->nodes[cell.value + 1];
        size_t index = 0;
        if (tree->nodes[cell.value].next != cell.value + 2 || n->kind != NODE_TEXT) return cell;
        at = n->begin;
        while (at < n->end && char_is_digit(tree->bytes[at]) && index < UINT32_MAX)
            index = index * 10 + (size_t)(tree->bytes[at++] - '0');
        if (at == n->end && index < r->book->items.len) cell.string = index + 1;
        cell.has_text = cell.string;
    } else if (cell.value != XML_NO_NODE && xml_tree_attribute_is(tree, node, "t", "str")) {
        cell.has_text = true;
    } else {
        cell.value = XML_NO_NODE;
        cell.has_text = cell.inlined != XML_NO_NODE;
    }
    return cell;
}

static void decode_cell(const SheetReader *r, const SheetCell *cell)
{
    Book *b = r->book;

    if (cell->string) {
        const Range text = b->items.data[cell->string - 1].text;
        buf_clear(&b->text);
        buf_put(&b->text, b->texts.data + text.begin, text.end - text.begin);
        document_builder_check(b->builder, buf_check(&b->text, NULL));
    } else {
        decode_string(b, r->tree, cell->node);
    }
}

/* Gives the names of the columns: the texts of the first row with a text. */
static void read_names(SheetReader *r, size_t data)
{
    Book *b = r->book;
    const XmlNode *nodes = r->tree->nodes;

    for (size_t i = data + 1; r->first_row == XML_NO_NODE && i < nodes[data].next; i = nodes[i].next) {
        SheetCell cell = { .column = (size_t)-1 };
        if (!xml_tree_is(r->tree, i, "row")) continue;
        for (size_t k = i + 1; k < nodes[i].next; k = nodes[k].next) {
            if (!xml_tree_is(r->tree, k, "c")) continue;
            cell = read_cell(r, k, 0, cell.column + 1);
            if (!cell.has_text) continue;
            r->first_row = i;
            decode_cell(r, &cell);
            if (b->text.data) sheets_name_column(b->sheets, cell.column, b->text.data, b->text.len);
        }
    }
    sheets_names_end(b->sheets);
}

static void add_formula(SheetReader *r, SheetFormula kind, const char *where, size_t formula)
{
    Book *b = r->book;

    if (decode_contents(b, r->tree, formula)) sheets_add_formula(b->sheets, kind, where, b->text.data, b->text.len);
}

/* Reports the text of a cell, or notes that its string is translated. */
static void read_text(SheetReader *r, const SheetCell *cell)
{
    Book *b = r->book;
    bool is_wanted;

    decode_cell(r, cell);
    if (document_builder_failed(b->builder)) return;
    is_wanted = cell->formula == XML_NO_NODE && !(r->has_arrays && !cell->string && cell->inlined == XML_NO_NODE) &&
                sheets_wants(b->sheets, r->tree->nodes[cell->node].parent == r->first_row, cell->row, cell->column,
                             b->text.data, b->text.len);
    if (cell->string) {
        const XmlNode *n = &r->tree->nodes[cell->value + 1];
        b->flags[cell->string - 1] |= is_wanted ? IS_TRANSLATED : IS_KEPT;
        if (!is_wanted) LIST_PUT(&b->kept, ((SharedUse){ (uint32_t)cell->string - 1, { n->begin, n->end } }));
        if (b->kept.failed) document_builder_fail_memory(b->builder);
    } else if (is_wanted) {
        sheets_add_text(b->sheets, b->text.data, b->text.len);
        if (cell->inlined != XML_NO_NODE)
            report_string(r->tree, cell->inlined);
        else
            report_plain(r->tree, cell->value);
    }
}

static void read_rows(SheetReader *r, size_t data)
{
    const XmlTree *tree = r->tree;
    const XmlNode *nodes = tree->nodes;
    size_t row = (size_t)-1;
    char where[CELL_NAME_BYTES];

    for (size_t i = data + 1; i < nodes[data].next && !document_builder_failed(tree->builder); i = nodes[i].next) {
        SheetCell cell = { .column = (size_t)-1 };
        Range name;
        if (!xml_tree_is(tree, i, "row")) continue;
        row = xml_tree_attribute(tree, i, "r", &name) ? strtoul(tree->bytes + name.begin, NULL, 10) - 1 : row + 1;
        for (size_t k = i + 1; k < nodes[i].next; k = nodes[k].next) {
            if (!xml_tree_is(tree, k, "c")) continue;
            cell = read_cell(r, k, row, cell.column + 1);
            if (cell.formula != XML_NO_NODE) {
                r->has_arrays |= xml_tree_attribute_is(tree, cell.formula, "t", "array dataTable");
                add_formula(r, SHEET_CELL, sheets_cell_name(cell.row, cell.column, where), cell.formula);
            }
            if (cell.has_text) read_text(r, &cell);
        }
    }
}

/* Sets `where` to the cells that a rule applies to: an attribute of the rule or its parent, or an element in it. */
static const char *where_of(const SheetReader *r, size_t rule, char where[64])
{
    const size_t element = xml_tree_child(r->tree, rule, "sqref");
    Range cells;

    if (!xml_tree_attribute(r->tree, rule, "sqref", &cells))
        cells = r->tree->nodes[rule].parent == r->format ? r->cells : (Range){ 0, 0 };
    if (cells.begin == cells.end && element != XML_NO_NODE)
        cells = (Range){ r->tree->nodes[element].end, r->tree->nodes[element].close_begin };
    if (cells.begin >= cells.end) return "some cells";
    snprintf(where, 64, "%.*s", (int)(chars_limit(cells.begin, cells.end, 63) - cells.begin),
             r->tree->bytes + cells.begin);
    return where;
}

/* Reads a part of a sheet other than its rows: headers, messages, tooltips, rules and filters. */
static void read_element(SheetReader *r, size_t node)
{
    static const char messages[] = "promptTitle prompt errorTitle error";
    static const char headers[] = "oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter";
    const XmlTree *tree = r->tree;
    const bool is_wanted = r->book->parts.data[r->part].is_wanted && !sheets_has_columns(r->book->sheets);
    const bool has_messages = xml_tree_is(tree, node, "dataValidation");
    Range value;
    char where[64];

    if (is_wanted && xml_tree_is(tree, node, headers)) report_header(tree, node);
    if (is_wanted && (has_messages || xml_tree_is(tree, node, "hyperlink")))
        xml_text_attributes(tree, node, has_messages ? messages : "tooltip");
    if (xml_tree_is(tree, node, "filter customFilter") && xml_tree_attribute(tree, node, "val", &value) &&
        xml_text_decode(&r->book->text, tree, value))
        sheets_add_formula(r->book->sheets, r->table ? SHEET_TABLE : SHEET_FILTER, r->table ? r->table : "filter",
                           r->book->text.data, r->book->text.len);
    if (xml_tree_is(tree, node, "conditionalFormatting")) { /* read once for all its rules */
        r->format = node;
        if (!xml_tree_attribute(tree, node, "sqref", &r->cells)) r->cells = (Range){ 0, 0 };
    }
    if (has_messages || xml_tree_is(tree, node, "cfRule")) {
        const bool is_list = has_messages && xml_tree_attribute_is(tree, node, "type", "list");
        const SheetFormula kind = is_list ? SHEET_LIST : has_messages ? SHEET_RULE : SHEET_CONDITION;
        const char *cells = where_of(r, node, where);
        for (size_t i = node + 1; i < tree->nodes[node].next; i = tree->nodes[i].next) {
            const size_t inner = xml_tree_child(tree, i, "f");
            if (xml_tree_is(tree, i, "formula formula1 formula2 f"))
                add_formula(r, kind, cells, inner == XML_NO_NODE ? i : inner);
        }
    }
}

static void read_sheet(Book *b, size_t part)
{
    BookPart *sheet = &b->parts.data[part];
    SheetReader r = { .book = b, .part = part, .first_row = XML_NO_NODE };
    XmlTree tree;

    if (!xml_tree_read_part(&tree, b->builder, sheet->part.contents)) return;
    r.tree = &tree;
    tree.has_escapes = true;
    if (decode_title(b, &tree, sheet)) sheet->is_wanted = sheets_enter(b->sheets, b->text.data, b->text.len);
    for (size_t i = 1; i < tree.nodes[0].next && !document_builder_failed(b->builder); i = tree.nodes[i].next) {
        if (xml_tree_is(&tree, i, "sheetData")) {
            read_names(&r, i);
            read_rows(&r, i);
            continue;
        }
        for (size_t k = i; k < tree.nodes[i].next; k++) read_element(&r, k);
    }
    xml_tree_free(&tree);
}

/* --- Other parts ----------------------------------------------------------------------- */

/* Reports the texts of cells that a chart repeats, if the cells are translated. */
static void report_cache(Book *b, const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count && !document_builder_failed(b->builder); i++) {
        size_t point;
        if (!xml_tree_is(tree, i, "v") || !xml_tree_is(tree, point = tree->nodes[i].parent, "pt") ||
            !xml_tree_is(tree, tree->nodes[point].parent, "strCache lvl"))
            continue;
        if (decode_contents(b, tree, i) && sheets_has_text(b->sheets, b->text.data, b->text.len)) report_plain(tree, i);
    }
}

/* Reports a part that is not a sheet. Comments that mention people stay, because they say where in the text. */
static void report_part(Book *b, size_t index)
{
    const BookPartKind kind = b->parts.data[index].kind;
    const size_t sheet = sheet_of(b, index);
    XmlTree tree;

    if (sheets_has_columns(b->sheets) ||
        (sheets_has_sheets(b->sheets) && (sheet == NO_PART || !b->parts.data[sheet].is_wanted)))
        return;
    if (!xml_tree_read_part(&tree, b->builder, b->parts.data[index].part.contents)) return;
    tree.has_escapes = kind == COMMENTS;
    for (size_t i = 1; (kind == COMMENTS || kind == THREADS) && i < tree.count;) {
        const bool is_comment = xml_tree_is(&tree, i, "comment threadedComment");
        const size_t text = is_comment ? xml_tree_child(&tree, i, "text") : XML_NO_NODE;
        if (text != XML_NO_NODE && kind == COMMENTS)
            report_string(&tree, text);
        else if (text != XML_NO_NODE && xml_tree_child(&tree, i, "mentions") == XML_NO_NODE)
            report_plain(&tree, text);
        i = is_comment ? tree.nodes[i].next : i + 1;
    }
    if (kind == CORE) ooxml_report_properties(&tree);
    if (kind == OTHER) {
        ooxml_report_texts(&tree);
        report_cache(b, &tree);
    }
    xml_tree_free(&tree);
}

/* Collects the formulas of names in the workbook, and the filters of tables. */
static void read_formulas(Book *b, size_t index)
{
    SheetReader r = { .book = b, .part = index };
    XmlTree tree;
    char where[64];
    Range name;

    if (!xml_tree_read_part(&tree, b->builder, b->parts.data[index].part.contents)) return;
    r.tree = &tree;
    if (b->parts.data[index].kind == TABLE && xml_tree_attribute(&tree, 0, "name", &name)) {
        snprintf(where, sizeof where, "%.*s", (int)(name.end - name.begin), tree.bytes + name.begin);
        r.table = where;
    }
    for (size_t i = 1; i < tree.count && !document_builder_failed(b->builder); i++) {
        if (r.table) read_element(&r, i);
        if (!xml_tree_is(&tree, i, "definedName") || !xml_tree_attribute(&tree, i, "name", &name)) continue;
        snprintf(where, sizeof where, "%.*s", (int)(name.end - name.begin), tree.bytes + name.begin);
        add_formula(&r, SHEET_NAME, where, i);
    }
    xml_tree_free(&tree);
}

static void read_parts(Book *b)
{
    StrMap *ids = NULL;
    const BookPart *parts;
    size_t count;

    if (!document_builder_check(b->builder, str_map_new(&b->names, NULL)) ||
        !document_builder_check(b->builder, str_map_new(&ids, NULL)))
        return;
    list_parts(b, document_builder_input(b->builder));
    parts = b->parts.data;
    count = b->parts.len;
    for (size_t i = 0; i < count; i++)
        if (parts[i].kind == LINKS) read_links(b, i, ids);
    for (size_t i = 0; i < count; i++)
        if (parts[i].kind == BOOK) read_book(b, i, ids);
    str_map_free(ids);
    find_areas(b);
    read_strings(b);
    for (size_t i = 0; i < count && !document_builder_failed(b->builder); i++)
        if (is_sheet(&parts[i])) read_sheet(b, i);
    for (size_t i = 0; i < count && !document_builder_failed(b->builder); i++)
        if (parts[i].kind == BOOK || parts[i].kind == TABLE) read_formulas(b, i);
    report_strings(b);
    for (size_t i = 0; i < count && !document_builder_failed(b->builder); i++)
        if (parts[i].kind >= COMMENTS) report_part(b, i);
    sheets_finish(b->sheets);
}

static void parse_xlsx(DocumentBuilder *builder)
{
    Book b = { .builder = builder, .bytes = document_builder_input(builder).bytes, .sheets = sheets_new(builder) };

    if (b.sheets) read_parts(&b);
    sheets_free(b.sheets);
    str_map_free(b.names);
    xml_tree_free(&b.strings);
    free(b.parts.data);
    free(b.items.data);
    buf_free(&b.texts);
    free(b.flags);
    free(b.kept.data);
    buf_free(&b.text);
}

/* --- Limits of Excel ---------------------------------------------------------------------
 * Excel calls a file damaged if a title or a message of a rule for cells, a header, or the text of a cell is longer
 * than these limits, in units of UTF-16. Cells with runs are not cut. */

#define TITLE_LIMIT   ((size_t)32)
#define MESSAGE_LIMIT ((size_t)255)
#define CELL_LIMIT    ((size_t)32767)

/* Appends the part from *at on up to where a text that is too long must end, with dots, and moves *at after the text. A
 * code of a header is not divided. */
static void cut_text(Buf *out, const XmlTree *tree, Range text, bool is_header, size_t limit, size_t *at)
{
    size_t units = 0, cut = text.begin;
    char letter;

    for (size_t i = text.begin, next; i < text.end;) { /* a character, or a code */
        next = i + xml_text_read(tree, i, text.end).length;
        if (is_header) (void)read_header(tree, i, text.end, &next, &letter);
        while (i < next) {
            const EscapedPart part = xml_text_read(tree, i, text.end);
            units += part.size == 4 ? 2 : 1;
            i += part.length;
        }
        if (units < limit) cut = i;
    }
    if (units <= limit) return;
    buf_put(out, tree->bytes + *at, cut - *at);
    buf_put_text(out, "\xe2\x80\xa6");
    *at = text.end;
}

static Status finish_xlsx(const DocumentFile *part, Buf *out, Err *err)
{
    Buf cut = { 0 };
    XmlTree tree;
    size_t at = 0;
    Status st = xml_source_read(&tree, part, err);

    if (st != OK) return st;
    tree.has_escapes = true;
    const size_t end = xml_tree_is(&tree, 0, "worksheet chartsheet sst") ? tree.count : 0;
    for (size_t i = 1; i < end; i++) {
        if (xml_tree_is(&tree, i, "dataValidation"))
            for (XmlAttribute a = xml_tree_attributes(&tree, i); xml_next_attribute(&a);)
                if (xml_tree_lists(&tree, a.name, "promptTitle errorTitle prompt error"))
                    cut_text(&cut, &tree, a.value, false,
                             xml_tree_lists(&tree, a.name, "prompt error") ? MESSAGE_LIMIT : TITLE_LIMIT, &at);
        if (tree.nodes[i].next != i + 2) continue;
        if (xml_tree_is(&tree, i, "t") && xml_tree_is(&tree, tree.nodes[i].parent, "si is"))
            cut_text(&cut, &tree, (Range){ tree.nodes[i].end, tree.nodes[i].close_begin }, false, CELL_LIMIT, &at);
        if (xml_tree_is(&tree, tree.nodes[i].parent, "headerFooter"))
            cut_text(&cut, &tree, (Range){ tree.nodes[i].end, tree.nodes[i].close_begin }, true, MESSAGE_LIMIT, &at);
    }
    buf_put(&cut, tree.bytes + at, part->size - at);
    xml_tree_free(&tree);
    st = buf_check(&cut, err);
    if (st == OK) st = ooxml_drop_empty_runs(&(DocumentFile){ part->name, cut.data, cut.len }, out, err);
    buf_free(&cut);
    return st;
}

static const SpellingRules xlsx_spelling = { .is_special = is_special_xlsx, .spell = spell_xlsx, .keeps = keeps_xlsx };

static const PackageRules xlsx_rules = { .called = "an XLSX spreadsheet",
                                         .kinds = IN_XLSX,
                                         .ignores_case = true,
                                         .choose = ooxml_choose_parts,
                                         .prepare = ooxml_join_runs,
                                         .finish = finish_xlsx };

const DocumentFormat document_xlsx = { .name = "xlsx",
                                       .paragraphs = "si is p",
                                       .endings = ".xlsx .xlsm .xltx .xltm",
                                       .parse = parse_xlsx,
                                       .spelling = &xlsx_spelling,
                                       .package = &xlsx_rules };
