/* document_ooxml.c - documents (.docx) and presentations (.pptx) of Office Open XML.
 * Source   ECMA-376, part 1, 5th edition: chapters 17 (WordprocessingML), 19 (PresentationML), 21 (DrawingML), and part
 *          2 (packages: content types, core properties). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "document_formats.h"
#include "hash.h"
#include "ooxml.h"
#include "part_parser.h"
#include "str_map.h"
#include "xml_pairs.h"
#include "xml_tree.h"
#include "xml_text.h"

#define CONTENT_TYPES "[Content_Types].xml"
#define RELATIONSHIPS "_rels/.rels"
/* Parts with text have short extensions: "xml". */
#define LONGEST_EXTENSION ((size_t)16)

/* --- The parts ------------------------------------------------------------------------ */

/* What a part of a content type is, as flags. */
enum {
    IN_DOCX = 1,
    IN_PPTX = 2,
    IN_BOTH = IN_DOCX | IN_PPTX,
    IS_MAIN = 4 /* the part without which there is no document */
};

/* The ends of the content types of parts with text. */
static const struct {
    const char *ends[12];
    unsigned flags;
} types[] = {
    { { "wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml",
        "ms-word.document.macroEnabled.main+xml", "ms-word.template.macroEnabledTemplate.main+xml" },
      IN_DOCX | IS_MAIN },
    { { "wordprocessingml.header+xml", "wordprocessingml.footer+xml", "wordprocessingml.footnotes+xml",
        "wordprocessingml.endnotes+xml", "wordprocessingml.comments+xml", "wordprocessingml.styles+xml" },
      IN_DOCX },
    { { "presentationml.presentation.main+xml", "presentationml.template.main+xml", "presentationml.slideshow.main+xml",
        "ms-powerpoint.presentation.macroEnabled.main+xml", "ms-powerpoint.slideshow.macroEnabled.main+xml" },
      IN_PPTX | IS_MAIN },
    { { "presentationml.slide+xml", "presentationml.notesSlide+xml", "presentationml.slideMaster+xml",
        "presentationml.slideLayout+xml", "presentationml.comments+xml", "ms-powerpoint.comments+xml" },
      IN_PPTX },
    { { "drawingml.chart+xml", "drawingml.chartshapes+xml", "ms-office.chartex+xml", "drawingml.diagramData+xml",
        "drawingml.diagramDrawing+xml", "core-properties+xml" },
      IN_BOTH },
};

/* The parts while they are chosen. */
typedef struct {
    PackageReader *reader;
    unsigned format;     /* IN_DOCX or IN_PPTX */
    const XmlTree *tree; /* of the content types */
    StrMap *overridden;  /* the parts that have a type of their own */
    StrMap *defaults;    /* extension in lower case -> flags */
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

static Status add_part(Choice *c, const char *name, unsigned flags, Err *err)
{
    const bool is_main = flags & IS_MAIN;

    if (!is_main && !package_reader_has(c->reader, name)) return OK;
    c->has_main |= is_main;
    return package_reader_add(c->reader, name, err);
}

/* Returns the flags of the type that an element Override or Default names; 0: parts of this type have no text. */
static unsigned flags_at(const Choice *c, size_t node)
{
    Range value;

    if (!xml_tree_attribute(c->tree, node, "ContentType", &value)) return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (const char *const *end = types[i].ends; (types[i].flags & c->format) && *end; end++) {
            const size_t size = strlen(*end);
            if (value.end - value.begin >= size && memcmp(c->tree->bytes + value.end - size, *end, size) == 0)
                return types[i].flags;
        }
    }
    return 0;
}

static Status add_override(Choice *c, size_t node, Err *err)
{
    const unsigned flags = flags_at(c, node);
    char *name = NULL;
    bool added;
    Status st = part_name(&name, c->tree, node, "PartName", err);

    if (name) st = str_map_add(c->overridden, name, strlen(name), 1, &added, err);
    if (st == OK && name && flags) st = add_part(c, name, flags, err);
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
    const unsigned flags = flags_at(c, node);
    char extension[LONGEST_EXTENSION];
    Range value;
    size_t length;
    bool added;

    if (!flags || !xml_tree_attribute(c->tree, node, "Extension", &value)) return OK;
    length = lower_extension(c->tree->bytes + value.begin, value.end - value.begin, extension);
    return length ? str_map_add(c->defaults, extension, length, (int32_t)flags, &added, err) : OK;
}

/* Adds an entry if the type of its extension is one of a part with text. Of all parts with the type of the main one,
 * only that with which the archive begins is it. */
static Status add_by_extension(Choice *c, const char *name, Err *err)
{
    char extension[LONGEST_EXTENSION];
    const char *dot = strrchr(name, '.');
    unsigned flags = 0;

    if (dot && strcmp(name, CONTENT_TYPES) != 0 && !str_map_get(c->overridden, name, strlen(name), 0))
        flags = (unsigned)str_map_get(c->defaults, extension, lower_extension(dot + 1, strlen(dot + 1), extension), 0);
    if (!flags || ((flags & IS_MAIN) && (!c->main || strcasecmp(name, c->main) != 0))) return OK;
    return add_part(c, name, flags, err);
}

static Status find_main(Choice *c, Err *err)
{
    static const char type[] = "/officeDocument";
    const size_t length = sizeof type - 1;
    EntryTree entry;
    const XmlTree *tree = &entry.tree;
    Status st;

    if (!package_reader_has(c->reader, RELATIONSHIPS)) return OK;
    st = entry_tree_open(&entry, c->reader, RELATIONSHIPS, err);
    for (size_t i = 0; st == OK && !c->main && i < tree->count; i++) {
        Range value;
        if (xml_tree_is(tree, i, "Relationship") && xml_tree_attribute(tree, i, "Type", &value) &&
            value.end - value.begin >= length && memcmp(tree->bytes + value.end - length, type, length) == 0)
            st = part_name(&c->main, tree, i, "Target", err);
    }
    entry_tree_close(&entry);
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

static Status choose_parts(PackageReader *reader, unsigned format, const char *called, Err *err)
{
    EntryTree entry;
    Choice choice = { .reader = reader, .format = format, .tree = &entry.tree };
    Status st = entry_tree_open(&entry, reader, CONTENT_TYPES, err);

    if (st == OK) st = choose_by_type(&choice, err);
    entry_tree_close(&entry);
    if (st != OK || choice.has_main) return st;
    return err_set(err, ERR_FORMAT, "%s: not %s: " CONTENT_TYPES " does not name one", package_reader_path(reader),
                   called);
}

static Status choose_docx(PackageReader *reader, Err *err)
{
    return choose_parts(reader, IN_DOCX, "a DOCX document", err);
}

static Status choose_pptx(PackageReader *reader, Err *err)
{
    return choose_parts(reader, IN_PPTX, "a PPTX presentation", err);
}

/* --- Paragraphs, whose runs are joined (ooxml.h) -------------------------------------- */

/* Keys of spans; those of levels are below. */
#define FIELD_KEY ((uint64_t)1 << 62)
#define RANGE_KEY ((uint64_t)1 << 63)

/* An element around runs that the text is in, or the paragraph itself. */
typedef struct {
    size_t contents; /* its node */
    Range base;      /* the formatting of its first run */
} Level;

typedef struct {
    const XmlTree *tree;
    DocumentBuilder *builder;
    size_t paragraph, depth; /* the depth counts paragraphs in each other, with or without text */
    Level levels[OOXML_LEVELS];
    size_t level_count;
    bool is_base;   /* the text before has the formatting of its level */
    size_t last;    /* the text before; XML_NO_NODE: none */
    size_t scanned; /* the nodes before this one have been searched for units inside */
} Paragraph;

static void report_paragraph(const XmlTree *tree, size_t paragraph, size_t depth);

static bool is_element(const XmlTree *tree, size_t node)
{
    return tree->nodes[node].kind == NODE_ELEMENT;
}

/* Reports the description and the title of a picture or another object, if the element has them. */
static void report_object(const XmlTree *tree, size_t node)
{
    static const char *const names[] = { "descr", "title" };
    Range values[2] = { { 0, 0 }, { 0, 0 } };

    if (!xml_tree_is(tree, node, "docPr") && !xml_tree_is(tree, node, "cNvPr")) return;
    for (size_t i = 0; i < 2; i++)
        if (!xml_tree_attribute(tree, node, names[i], &values[i])) values[i] = (Range){ 0, 0 };
    for (size_t i = 0; i < 2; i++) {
        const Range value = values[values[1].begin < values[0].begin ? 1 - i : i];
        if (value.begin < value.end) xml_text_attribute(tree, value);
    }
}

/* The element that contains the run of a text, if only elements around runs are between it and the paragraph, and not
 * too many; otherwise XML_NO_NODE. */
static size_t level_of(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    const size_t run = tree->nodes[text].parent;
    size_t at, levels = 1;

    if (run == XML_NO_NODE || ooxml_kind(tree, run) != OOXML_RUN) return XML_NO_NODE;
    at = tree->nodes[run].parent;
    while (at != XML_NO_NODE && at != p->paragraph && levels++ < OOXML_LEVELS) {
        const size_t parent = tree->nodes[at].parent;
        const bool is_inner =
            xml_tree_is(tree, at, "sdtContent") && parent != XML_NO_NODE && xml_tree_is(tree, parent, "sdt");
        if (!is_inner && ooxml_kind(tree, at) != OOXML_AROUND) return XML_NO_NODE;
        at = is_inner ? tree->nodes[parent].parent : parent;
    }
    return at == p->paragraph ? tree->nodes[run].parent : XML_NO_NODE;
}

/* Reports the units inside what is before `node`. */
static void report_inner(Paragraph *p, size_t node)
{
    const XmlTree *tree = p->tree;

    while (p->scanned < node) {
        const size_t at = p->scanned;
        const bool is_paragraph = is_element(tree, at) && xml_tree_is(tree, at, "p");
        p->scanned = is_paragraph ? tree->nodes[at].next : at + 1;
        if (!document_builder_can_begin(p->builder) || !is_element(tree, at)) continue;
        if (!is_paragraph)
            report_object(tree, at);
        else if (p->depth < OOXML_DEPTH)
            report_paragraph(tree, at, p->depth + 1);
    }
}

static void begin_level(Paragraph *p, size_t contents, size_t text)
{
    p->levels[p->level_count++] = (Level){ contents, ooxml_formatting(p->tree, p->tree->nodes[text].parent) };
    p->is_base = true;
}

static uint64_t key_of(const Level *level, bool of_format)
{
    return (uint64_t)level->contents << 1 | of_format;
}

/* The beginning or the end of a span that is not formatting: a field or a range. */
typedef struct {
    uint64_t key; /* 0: none */
    bool opens;
} RunSpan;

static RunSpan run_span_at(const Paragraph *p, size_t node)
{
    const XmlTree *tree = p->tree;
    const OoxmlField field = ooxml_field(tree, node);
    OoxmlRange range;

    if (field == FIELD_SEPARATE || field == FIELD_END) return (RunSpan){ FIELD_KEY, field == FIELD_SEPARATE };
    if (!ooxml_range(tree, node, &range)) return (RunSpan){ 0, false };
    return (RunSpan){ RANGE_KEY | hash64_of(tree->bytes + range.id.begin, range.id.end - range.id.begin) >> 10 << 8 |
                          range.kind,
                      range.begins };
}

/* The node after this one, not counting those of a paragraph inside. */
static size_t next_outside(const XmlTree *tree, size_t node)
{
    return is_element(tree, node) && xml_tree_is(tree, node, "p") ? tree->nodes[node].next : node + 1;
}

/* The last one before a text. A field that begins and ends there, also in the code of another one, is none. */
static RunSpan last_span(const Paragraph *p, size_t text)
{
    RunSpan span = { 0, false }, before = span;
    size_t fields = 0;

    for (size_t i = p->last + 1; i < text; i = next_outside(p->tree, i)) {
        const OoxmlField field = ooxml_field(p->tree, i);
        const RunSpan found = run_span_at(p, i);
        if (field == FIELD_BEGIN && !fields++) before = span;
        if (field == FIELD_END && fields) {
            fields--;
            span = before;
        } else if (found.key) {
            span = found;
        }
    }
    return span;
}

/* Whether a hyphen at which no line ends is all that is before a text, apart from runs, their formatting, and elements
 * around them. A text box or deleted text with a hyphen is none: it would be lost in a translation without the
 * hyphen. */
static bool is_hyphen(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    size_t hyphens = 0;

    for (size_t i = p->last + 1; i < text;) {
        const OoxmlKind kind = is_element(tree, i) ? ooxml_kind(tree, i) : OOXML_TEXT;
        const bool is_one = is_element(tree, i) && xml_tree_is(tree, i, "noBreakHyphen");
        const bool is_around = kind == OOXML_RUN || kind == OOXML_AROUND;
        if (!is_one && !is_around && kind != OOXML_PROPERTIES && kind != OOXML_TEXT) return false;
        hyphens += is_one;
        i = kind == OOXML_PROPERTIES ? tree->nodes[i].next : i + 1;
    }
    return hyphens == 1;
}

/* Something that is neither formatting nor around text. Such a hyphen is a character. */
static void report_other(const Paragraph *p, size_t text, Range bytes)
{
    static const char *const objects[] = { "inline", "object", "oMath", "sym", NULL }; /* that stand in the line */
    DocumentBuilder *b = p->builder;
    const RunSpan span = last_span(p, text);
    size_t breaks = 0, object = XML_NO_NODE;

    for (size_t at = p->last + 1; at < text; at = next_outside(p->tree, at)) {
        breaks += is_element(p->tree, at) && ooxml_kind(p->tree, at) == OOXML_BREAK;
        if (object == XML_NO_NODE && xml_tree_is_listed(p->tree, at, objects)) object = at;
    }
    if (span.key && span.opens)
        document_builder_open(b, span.key, bytes.begin, bytes.end);
    else if (span.key)
        document_builder_close(b, span.key, bytes.begin, bytes.end);
    else if (breaks > 1)
        document_builder_divide(b, bytes.begin, bytes.end);
    else if (breaks)
        document_builder_line_end(b, bytes.begin, bytes.end);
    else if (object != XML_NO_NODE)
        document_builder_object(b, xml_tree_name(p->tree, object), bytes.begin, bytes.end);
    else if (is_hyphen(p, text))
        document_builder_spelled(b, "\xe2\x80\x91", 3, bytes.begin, bytes.end);
    else
        document_builder_empty(b, bytes.begin, bytes.end);
}

/* Notes the level and the formatting of a text. Returns the span of one of them that begins or ends before the text.
 * *crosses: elements around runs begin or end that are no span. */
static RunSpan enter_text(Paragraph *p, size_t text, size_t contents, bool *crosses)
{
    const Level top = p->levels[p->level_count - 1];
    const bool was_base = p->is_base;

    *crosses = false;
    if (contents > top.contents && p->is_base && p->level_count < OOXML_LEVELS) {
        begin_level(p, contents, text);
        return (RunSpan){ key_of(&p->levels[p->level_count - 1], false), true };
    }
    if (contents != top.contents && p->level_count > 1 && p->levels[p->level_count - 2].contents == contents) {
        p->level_count--;
        p->is_base = true;
        return (RunSpan){ key_of(&top, false), false };
    }
    *crosses = contents != top.contents;
    if (*crosses) return (RunSpan){ 0, false };
    p->is_base = ranges_are_same(p->tree->bytes, top.base, ooxml_formatting(p->tree, p->tree->nodes[text].parent));
    return (RunSpan){ p->is_base == was_base ? 0 : key_of(&top, true), was_base };
}

/* Reports what is between the text before and this one. */
static void report_between(Paragraph *p, size_t text, size_t contents)
{
    const XmlTree *tree = p->tree;
    const Range bytes = { tree->nodes[p->last].close_begin, tree->nodes[text].end };
    bool crosses;
    const RunSpan span = enter_text(p, text, contents, &crosses);

    if (span.key && span.opens)
        document_builder_open(p->builder, span.key, bytes.begin, bytes.end);
    else if (span.key)
        document_builder_close(p->builder, span.key, bytes.begin, bytes.end);
    else if (crosses)
        document_builder_empty(p->builder, bytes.begin, bytes.end);
    else
        report_other(p, text, bytes);
}

/* Whether the element separates texts and not only words: a tab, the end of a page or of a column. */
static bool separates_texts(const XmlTree *tree, size_t node)
{
    Range type;

    if (!is_element(tree, node) || ooxml_kind(tree, node) != OOXML_BREAK || xml_tree_is(tree, node, "cr")) return false;
    if (!xml_tree_is(tree, node, "br")) return true;
    return ooxml_attribute(tree, node, "type", &type) &&
           (tree->bytes[type.begin] == 'p' || tree->bytes[type.begin] == 'c'); /* not textWrapping */
}

static void report_text(Paragraph *p, size_t text, size_t contents)
{
    const XmlTree *tree = p->tree;
    size_t separator = p->last == XML_NO_NODE ? text : tree->nodes[p->last].next;
    bool begins_column, crosses;

    while (separator < text && !separates_texts(tree, separator)) separator = next_outside(tree, separator);
    begins_column = separator < text;
    if (begins_column) document_builder_end_unit(p->builder, tree->nodes[p->last].close_begin);
    report_inner(p, text);
    if (p->last == XML_NO_NODE) {
        document_builder_begin(p->builder, XML_IN_TEXT, tree->nodes[text].end);
        begin_level(p, contents, text);
    } else if (begins_column) { /* what is before a column is no tag of its text, because it must not move */
        document_builder_begin(p->builder, XML_IN_TEXT, tree->nodes[text].end);
        (void)enter_text(p, text, contents, &crosses);
    } else {
        report_between(p, text, contents);
    }
    for (size_t i = text + 1; i < tree->nodes[text].next; i++)
        if (!is_element(tree, i)) xml_text_report_columns(tree, i, XML_IN_TEXT);
    p->last = text;
    p->scanned = text + 1;
}

/* Reports a paragraph as a unit, and before it the units inside it: paragraphs in text boxes, and the descriptions of
 * pictures. */
static void report_paragraph(const XmlTree *tree, size_t paragraph, size_t depth)
{
    Paragraph p = { .tree = tree,
                    .builder = tree->builder,
                    .paragraph = paragraph,
                    .depth = depth,
                    .last = XML_NO_NODE,
                    .scanned = paragraph + 1 };
    const size_t end = tree->nodes[paragraph].next;

    for (size_t i = paragraph + 1; i < end && !document_builder_failed(p.builder);) {
        const bool is_text = is_element(tree, i) && ooxml_kind(tree, i) == OOXML_TEXT;
        const size_t contents = is_text ? level_of(&p, i) : XML_NO_NODE;
        if (contents != XML_NO_NODE) report_text(&p, i, contents);
        i = next_outside(tree, i);
    }
    if (p.last != XML_NO_NODE) document_builder_end_unit(p.builder, tree->nodes[p.last].close_begin);
    report_inner(&p, end);
}

/* --- The texts of a part -------------------------------------------------------------- */

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
    const bool is_master = xml_tree_is_listed(tree, 0, masters), has_comments = xml_tree_is(tree, 0, "cmLst");

    ooxml_mark_codes(tree);
    for (size_t i = 0; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_paragraph = xml_tree_is(tree, i, "p"), is_skipped = is_master && is_placeholder(tree, i);
        if (is_paragraph)
            report_paragraph(tree, i, 1);
        else if (has_comments && xml_tree_is(tree, i, "text"))
            part_parser_report_element(tree, i);
        else if (!is_skipped)
            report_object(tree, i);
        i = is_paragraph || is_skipped ? tree->nodes[i].next : i + 1;
    }
}

/* Reports a part by its root element: the properties of the document, styles, of which only the languages are labels,
 * w:lang w:val="en-US", or texts. */
static void report_part(XmlTree *tree)
{
    static const char *const properties[] = { "title", "subject", "description", "keywords", "category", NULL };
    const bool has_properties = xml_tree_is(tree, 0, "coreProperties"), has_styles = xml_tree_is(tree, 0, "styles");
    Range value;

    if (!has_properties && !has_styles) report_texts(tree);
    for (size_t i = 1; has_properties && i < tree->count && !document_builder_failed(tree->builder); i++) {
        if (xml_tree_is_listed(tree, i, properties)) part_parser_report_element(tree, i);
        if (xml_tree_is(tree, i, "language")) part_parser_label_element(tree, i);
    }
    for (size_t i = 1; has_styles && i < tree->count; i++)
        if (xml_tree_is(tree, i, "lang") && xml_tree_attribute(tree, i, "w:val", &value))
            xml_pairs_label(tree, i, "w:val", xml_pairs_language(tree));
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
