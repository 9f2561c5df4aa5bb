/* document_ooxml.c - documents (.docx) and presentations (.pptx) of Office Open XML.
 * Source   ECMA-376, part 1, 5th edition: chapters 17 (WordprocessingML), 19 (PresentationML), 21 (DrawingML), and part
 *          2 (packages: content types, core properties).
 *
 * A paragraph (w:p, a:p) consists of runs (w:r, a:r), each with its formatting (rPr) and pieces of text (w:t, a:t). An
 * editor divides a paragraph into many runs with the same formatting, even inside words. Before a part is read,
 * ooxml_join_runs() therefore writes each paragraph that has text in one form:
 *
 *     the *base* is the formatting of most of the text, if possible a formatting that is not visible on spaces;
 *     the text begins and ends in a run with the base, if necessary with an empty piece of text;
 *     neighbouring runs have different formatting, and one of the two has the base;
 *     the same holds inside elements around runs, such as links; each of these elements has its own base.
 *
 * Then everything between two pieces of text is one tag: it begins or ends other formatting or a link, or it is an
 * empty element such as a tab. After the translation, ooxml_drop_empty_runs() removes empty runs.
 *
 * Names of elements are compared without their prefixes. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "buf.h"
#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "html.h"
#include "ooxml.h"
#include "package.h"
#include "str_map.h"
#include "utf8.h"
#include "xml.h"

/* The most nested paragraphs that are read: a paragraph in a text box in a paragraph, and so on. */
#define OOXML_DEPTH 4

/* The most nested levels that are read: the paragraph is the first level, and each element around runs is one more. */
#define OOXML_LEVELS MARKUP_DEPTH

/* The kinds of children of a paragraph, of a run, or of an element around runs. */
typedef enum {
    OOXML_OTHER,      /* reported as an empty element, with all its contents */
    OOXML_RUN,        /* in a paragraph or an element around runs, with the same prefix */
    OOXML_AROUND,     /* an element around runs */
    OOXML_PROPERTIES, /* formatting: it is the first child, and must stay the first one */
    OOXML_TEXT,       /* in a run: a piece of text with contents that can be written */
    OOXML_BREAK,      /* separates words: a tab, the end of a line */
    OOXML_DROPPED     /* written by editors for themselves; not needed */
} OoxmlKind;

/* What an element in a run does to a field, such as w:fldChar w:fldCharType="begin". A field consists of its beginning,
 * its code (a formula), a separator, its result (text) and its end. */
typedef enum { FIELD_NONE, FIELD_BEGIN, FIELD_SEPARATE, FIELD_END } OoxmlField;

/* The beginning or the end of a span that is not formatting: a field or a range, such as a bookmark. Both ends of a
 * span have the same key. */
typedef struct {
    uint64_t key; /* 0: no span begins or ends */
    bool opens;
} RunSpan;

/* The key of fields. It is greater than the keys of levels, and smaller than the keys of ranges. */
#define FIELD_KEY ((uint64_t)1 << 62)

/* --- The elements of paragraphs ------------------------------------------------------ */

static bool is_element(const XmlTree *tree, size_t node)
{
    return tree->nodes[node].kind == NODE_ELEMENT;
}

static bool is_paragraph(const XmlTree *tree, size_t node)
{
    return xml_tree_is(tree, node, "p si is") || (xml_tree_is(tree, node, "text") && xml_tree_is(tree, 0, "comments"));
}

static OoxmlKind kind_of(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *names;
        OoxmlKind kind;
    } rows[] = {
        { "r", OOXML_RUN },
        { "rPr pPr sdtPr sdtEndPr smartTagPr customXmlPr fldData", OOXML_PROPERTIES },
        { "t", OOXML_TEXT },
        { "tab ptab br cr", OOXML_BREAK },
        { "hyperlink smartTag ins moveTo fldSimple sdt customXml bdo dir", OOXML_AROUND },
        { "proofErr lastRenderedPageBreak", OOXML_DROPPED },
    };
    const XmlNode *n = &tree->nodes[node];
    const size_t count = sizeof rows / sizeof *rows;
    OoxmlKind kind;
    size_t row = 0;

    if (!is_element(tree, node)) return OOXML_OTHER;
    while (row < count && !xml_tree_is(tree, node, rows[row].names)) row++;
    if (row == count) return OOXML_OTHER;
    kind = rows[row].kind;
    /* A run has the prefix of the element around it, such as w:r in w:ins. Other runs belong to formulas. */
    if (kind == OOXML_RUN && (n->parent == XML_NO_NODE || !ranges_are_same(tree->bytes, xml_tree_prefix(tree, node),
                                                                           xml_tree_prefix(tree, n->parent))))
        return OOXML_OTHER;
    if (kind == OOXML_TEXT && n->close_begin == n->close_end) return OOXML_DROPPED;
    if (n->is_skipped && (kind == OOXML_TEXT || kind == OOXML_BREAK)) return OOXML_OTHER;
    return kind;
}

/* Returns the element that directly contains the runs of an OOXML_AROUND: `around` itself, or for w:sdt its child
 * w:sdtContent, which may be missing: XML_NO_NODE. */
static size_t contents_of(const XmlTree *tree, size_t around)
{
    return xml_tree_is(tree, around, "sdt") ? xml_tree_child(tree, around, "sdtContent") : around;
}

/* Returns the base of characters with a reading above them (w:ruby in a run), if it consists of runs. For other nodes,
 * returns XML_NO_NODE. */
static size_t base_of(const XmlTree *tree, size_t node)
{
    const size_t base = xml_tree_is(tree, node, "ruby") ? xml_tree_child(tree, node, "rubyBase") : XML_NO_NODE;

    for (size_t i = base + 1; base != XML_NO_NODE && i < tree->nodes[base].next; i = tree->nodes[i].next)
        if (is_element(tree, i) && kind_of(tree, i) != OOXML_RUN && kind_of(tree, i) != OOXML_DROPPED)
            return XML_NO_NODE;
    return base;
}

/* Whether a paragraph or an element around runs contains text in runs, not counting paragraphs inside it. Searches at
 * most `levels` nested levels, of which `node` is the first. */
static bool has_text(const XmlTree *tree, size_t node, size_t levels)
{
    for (size_t i = node + 1; levels && i < tree->nodes[node].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = kind_of(tree, i);
        const size_t contents = kind == OOXML_AROUND ? contents_of(tree, i) : XML_NO_NODE;
        for (size_t k = i + 1; kind == OOXML_RUN && k < tree->nodes[i].next; k = tree->nodes[k].next) {
            const size_t base = base_of(tree, k);
            if (kind_of(tree, k) == OOXML_TEXT && tree->nodes[k].close_begin > tree->nodes[k].end) return true;
            if (base != XML_NO_NODE && has_text(tree, base, levels - 1)) return true;
        }
        if (contents != XML_NO_NODE && has_text(tree, contents, levels - 1)) return true;
    }
    return false;
}

/* Finds an attribute with the same prefix as its element, such as w:id of w:bookmarkStart. */
static bool find_attribute(const XmlTree *tree, size_t node, const char *name, Range *value)
{
    const Range prefix = xml_tree_prefix(tree, node);
    const size_t length = prefix.end - prefix.begin;
    char full[64];

    if (length + strlen(name) >= sizeof full) return false;
    memcpy(full, tree->bytes + prefix.begin, length);
    memcpy(full + length, name, strlen(name) + 1);
    return xml_tree_attribute(tree, node, full, value);
}

static OoxmlField field_of(const XmlTree *tree, size_t node)
{
    static const char *const types[] = { NULL, "begin", "separate", "end" };
    Range value;

    if (!xml_tree_is(tree, node, "fldChar") || !find_attribute(tree, node, "fldCharType", &value)) return FIELD_NONE;
    for (size_t i = FIELD_BEGIN; i <= FIELD_END; i++)
        if (chars_are(tree->bytes + value.begin, value.end - value.begin, types[i])) return (OoxmlField)i;
    return FIELD_NONE;
}

/* The open fields of a paragraph. They may be nested: the outermost 16 are stored, deeper ones are only counted. */
typedef struct {
    size_t count, open[16]; /* where the code of each field begins; 0: its code has ended */
} Fields;

/* Marks the codes of fields in an element as skipped: all nodes from the beginning of a field to its separator, or to
 * its end if it has no separator. Both must be in the same paragraph. A field inside a code is skipped with its result.
 * `depth`: number of nested paragraphs, including the element; 0: it is not in a paragraph. */
static void mark_codes(XmlTree *tree, size_t element, size_t depth)
{
    Fields fields = { .count = 0 };
    const size_t most = sizeof fields.open / sizeof *fields.open;

    for (size_t i = element + 1; i < tree->nodes[element].next;) {
        const bool is_one = is_paragraph(tree, i);
        const OoxmlField field = depth ? field_of(tree, i) : FIELD_NONE;
        if (is_one && depth < OOXML_DEPTH) mark_codes(tree, i, depth + 1);
        if (field == FIELD_BEGIN && fields.count++ < most) fields.open[fields.count - 1] = i;
        if ((field == FIELD_SEPARATE || field == FIELD_END) && fields.count && fields.count <= most) {
            for (size_t k = fields.open[fields.count - 1]; k && k < i; k++) tree->nodes[k].is_skipped = true;
            fields.open[fields.count - 1] = 0;
        }
        if (field == FIELD_END && fields.count) fields.count--;
        i = is_one ? tree->nodes[i].next : i + 1;
    }
}

/* Whether an element of formatting names a font whose characters are symbols: a tick in Wingdings is the letter ü. */
static bool is_symbol_font(const XmlTree *tree, size_t font)
{
    static const char *const names[] = { "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings", "Symbol", "Marlett" };
    Range value;

    if (font == XML_NO_NODE ||
        (!xml_tree_attribute(tree, font, "typeface", &value) && !find_attribute(tree, font, "ascii", &value) &&
         !find_attribute(tree, font, "hAnsi", &value)))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (chars_are(tree->bytes + value.begin, value.end - value.begin, names[i])) return true;
    return false;
}

/* Whether a text consists of one character, apart from white space. */
static bool is_character(const XmlTree *tree, Range text)
{
    const Range bytes = chars_trimmed(tree->bytes, text.begin, text.end);

    return bytes.begin < bytes.end && xml_text_read(tree, bytes.begin, bytes.end).length == bytes.end - bytes.begin;
}

/* Marks the texts of runs in a symbol font as skipped. PowerPoint uses the font in a:sym only for symbols, such as an
 * arrow, but words that are typed after the symbol have it, too. */
static void mark_symbols(XmlTree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const size_t formatting = xml_tree_is(tree, i, "r") ? xml_tree_child(tree, i, "rPr") : XML_NO_NODE;
        bool is_symbol, may_be_symbol;
        if (formatting == XML_NO_NODE) continue;
        is_symbol = is_symbol_font(tree, xml_tree_child(tree, formatting, "rFonts latin"));
        may_be_symbol = is_symbol || is_symbol_font(tree, xml_tree_child(tree, formatting, "sym"));
        for (size_t k = i + 1; may_be_symbol && k < tree->nodes[i].next; k = tree->nodes[k].next)
            if (xml_tree_is(tree, k, "t") &&
                (is_symbol || is_character(tree, (Range){ tree->nodes[k].end, tree->nodes[k].close_begin })))
                tree->nodes[k].is_skipped = true;
    }
}

/* Marks what has no text to translate in a part: codes of fields, and symbols. */
static void mark_skipped(XmlTree *tree)
{
    mark_codes(tree, 0, is_paragraph(tree, 0));
    mark_symbols(tree);
}

/* Returns the RunSpan of an element that begins or ends a range: a bookmark, the text of a comment, text that may be
 * edited, text that was moved. For other elements, its key is 0. */
static RunSpan range_of(const XmlTree *tree, size_t node)
{
    static const char begins[] =
        "bookmarkStart commentRangeStart permStart moveFromRangeStart moveToRangeStart customXmlInsRangeStart "
        "customXmlDelRangeStart customXmlMoveFromRangeStart customXmlMoveToRangeStart";
    static const char ends[] =
        "bookmarkEnd commentRangeEnd permEnd moveFromRangeEnd moveToRangeEnd customXmlInsRangeEnd "
        "customXmlDelRangeEnd customXmlMoveFromRangeEnd customXmlMoveToRangeEnd";
    const bool opens = xml_tree_is(tree, node, begins);
    Range id;

    if (!opens && !xml_tree_is(tree, node, ends)) return (RunSpan){ 0, false };
    if (!find_attribute(tree, node, "id", &id)) return (RunSpan){ 0, false };
    return (RunSpan){ xml_text_range_key(tree, node, id), opens };
}

/* Returns the bytes of a run's formatting; empty if it has none. The formatting must be the first element of the run,
 * as in all runs that ooxml_join_runs() writes. */
static Range formatting_of(const XmlTree *tree, size_t run)
{
    const size_t end = tree->nodes[run].next;
    size_t first = run + 1;

    while (first < end && tree->nodes[first].kind != NODE_ELEMENT) first++;
    if (first == end || !xml_tree_is(tree, first, "rPr")) return (Range){ 0, 0 };
    return (Range){ tree->nodes[first].begin, xml_tree_end(tree, first) };
}

/* --- The formats of the runs in a paragraph -------------------------------------------
 * Formats are compared without the parts that do not change how text looks: the language and marks of the spelling
 * checker. */

/* A new format is compared with at most this number of earlier formats of the paragraph. */
#define COMPARED_FORMATS 64

#define NO_FORMAT ((size_t)-1)

typedef struct {
    size_t at, length; /* place of the element w:rPr or a:rPr in Flow.looks; empty: no formatting */
    size_t text;       /* bytes of text with this format */
    bool has_letter;   /* whether this text has a letter */
    bool is_visible;   /* visible on spaces, such as a link or a line under the text */
} OoxmlFormat;

/* A child of a run, of an element around runs, or of the paragraph itself. */
typedef struct {
    OoxmlKind kind;
    bool in_run;
    size_t node;
    size_t format; /* of its run, if in_run */
    size_t next;   /* format of this item if it is a text, else of the next text; NO_FORMAT: none before OOXML_AROUND */
} Item;

typedef struct {
    const XmlTree *tree;
    Buf *out;
    Err *err;
    Status status; /* the first failure other than missing memory for *out */
    size_t depth;  /* number of open nested paragraphs */
} Joiner;

/* The contents of a paragraph or of an element around runs. */
typedef struct {
    Joiner *joiner;
    size_t levels; /* 1 for a paragraph, 2 for an element around runs in it, and so on */
    LIST_OF(Item) items;
    LIST_OF(OoxmlFormat) formats;
    Buf looks;
    size_t base;     /* main_format() */
    Range prefix;    /* of runs and texts */
    bool is_drawing; /* a:r: all white space counts, without xml:space */
    size_t format;   /* of the run that is open */
} Flow;

/* Appends the formatting element to `out` without the parts that do not change how text looks. Appends nothing if no
 * attributes and no contents are left. */
static void put_formatting(Buf *out, const XmlTree *tree, size_t node)
{
    static const char attributes[] = "lang altLang dirty err smtClean noProof bmk";
    static const char elements[] = "lang noProof";
    const char *bytes = tree->bytes;
    const XmlNode *n = &tree->nodes[node];
    const size_t start = out->len, name_end = xml_tree_name(tree, node).end;
    size_t at, begin = name_end, tag_length;

    buf_put(out, bytes + n->begin, name_end - n->begin);
    for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a); begin = a.end)
        if (!xml_tree_lists(tree, a.name, attributes)) buf_put(out, bytes + begin, a.end - begin);
    buf_put(out, bytes + begin, n->end - begin);
    tag_length = out->len - start;
    at = n->end;
    for (size_t i = node + 1; i < n->next; i = tree->nodes[i].next) {
        if (!xml_tree_is(tree, i, elements)) continue;
        buf_put(out, bytes + at, tree->nodes[i].begin - at);
        at = xml_tree_end(tree, i);
    }
    if (n->close_begin > at) buf_put(out, bytes + at, n->close_begin - at);
    if (tag_length <= name_end - n->begin + 3 && out->len - start == tag_length)
        out->len = start;
    else
        buf_put(out, bytes + n->close_begin, n->close_end - n->close_begin);
}

/* Whether formatting is visible even on spaces. In DrawingML, it may contain a link, and lines are attributes. */
static bool is_visible(const XmlTree *tree, size_t properties)
{
    static const char names[] = "u strike dstrike highlight bdr shd hlinkClick hlinkMouseOver";
    static const char no_line[] = "none noStrike";
    static const char off[] = "none false 0 off nil auto FFFFFF";
    Range value;

    if (xml_tree_attribute(tree, properties, "u", &value) && !xml_tree_lists(tree, value, no_line)) return true;
    if (xml_tree_attribute(tree, properties, "strike", &value) && !xml_tree_lists(tree, value, no_line)) return true;
    for (size_t i = properties + 1; i < tree->nodes[properties].next; i = tree->nodes[i].next) {
        if (!xml_tree_is(tree, i, names)) continue;
        /* <w:strike/>, <w:u w:val="single"/> and <w:shd w:fill="FFFF00"/> are on */
        if (!find_attribute(tree, i, "fill", &value) && !find_attribute(tree, i, "val", &value)) return true;
        if (!xml_tree_lists(tree, value, off)) return true;
    }
    return false;
}

/* Returns the index of the format of a run, and adds the format if it is new. NO_FORMAT: memory has run out. */
static size_t find_format(Flow *f, size_t run)
{
    const XmlTree *tree = f->joiner->tree;
    const size_t node = xml_tree_child(tree, run, "rPr"), at = f->looks.len;
    size_t format = f->formats.len > COMPARED_FORMATS ? f->formats.len - COMPARED_FORMATS : 0;

    buf_put(&f->looks, "", 0);
    if (node != XML_NO_NODE) put_formatting(&f->looks, tree, node);
    if (f->looks.failed) return NO_FORMAT;
    for (; format < f->formats.len; format++) {
        const OoxmlFormat *known = &f->formats.data[format];
        if (known->length == f->looks.len - at &&
            memcmp(f->looks.data + known->at, f->looks.data + at, known->length) == 0) {
            f->looks.len = at;
            return format;
        }
    }
    LIST_PUT(&f->formats,
             ((OoxmlFormat){
                 .at = at, .length = f->looks.len - at, .is_visible = node != XML_NO_NODE && is_visible(tree, node) }));
    return f->formats.failed ? NO_FORMAT : format;
}

/* Whether a text has a letter. Character references count as no letters: most are spaces and symbols. */
static bool has_letter(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *end = text[at] == '&' ? memchr(text + at, ';', length - at) : NULL;
        uint32_t code;
        if (end) {
            at = (size_t)(end + 1 - text);
            continue;
        }
        at += utf8_next(text + at, length - at, &code);
        if (code != UTF8_INVALID && u_isalpha((UChar32)code)) return true;
    }
    return false;
}

static bool is_quiet(const OoxmlFormat *format)
{
    return format->has_letter && !format->is_visible;
}

/* Returns the format with the most text, or the first one of several; NO_FORMAT if `f` has no format. Characters of
 * the translation that get no other format, such as spaces, get this format. A format that is visible on spaces is
 * therefore returned only if no other format has a letter. */
static size_t main_format(const Flow *f)
{
    size_t best = f->formats.len ? 0 : NO_FORMAT;

    for (size_t i = 1; i < f->formats.len; i++) {
        const OoxmlFormat *item = &f->formats.data[i], *other = &f->formats.data[best];
        if (is_quiet(item) != is_quiet(other) ? is_quiet(item) : item->text > other->text) best = i;
    }
    return best;
}

/* --- Paragraphs in the form that the head of this file describes ------------------------------------ */

static void put_range(Joiner *j, size_t begin, size_t end)
{
    buf_put(j->out, j->tree->bytes + begin, end - begin);
}

/* Adds the contents of a run. If characters have a reading above them, adds only the runs of their base, with at most
 * `levels` nested levels: the reading is left out, because it does not fit any translation. */
static void add_run(Flow *f, size_t run, size_t levels)
{
    const XmlTree *tree = f->joiner->tree;
    const size_t format = find_format(f, run);

    if (format == NO_FORMAT) return;
    for (size_t i = run + 1; i < tree->nodes[run].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = kind_of(tree, i);
        const size_t base = base_of(tree, i);
        if (base != XML_NO_NODE && has_text(tree, base, levels)) {
            for (size_t k = base + 1; k < tree->nodes[base].next; k = tree->nodes[k].next)
                if (kind_of(tree, k) == OOXML_RUN) add_run(f, k, levels - 1);
            continue;
        }
        if (!is_element(tree, i) || kind == OOXML_DROPPED || kind == OOXML_PROPERTIES) continue;
        LIST_PUT(&f->items,
                 ((Item){ kind == OOXML_TEXT || kind == OOXML_BREAK ? kind : OOXML_OTHER, true, i, format, 0 }));
        if (kind == OOXML_TEXT) {
            OoxmlFormat *of = &f->formats.data[format];
            const char *text = tree->bytes + tree->nodes[i].end;
            const size_t length = tree->nodes[i].close_begin - tree->nodes[i].end;
            of->text += length;
            of->has_letter = of->has_letter || has_letter(text, length);
        }
    }
}

static void gather(Flow *f, size_t contents)
{
    const XmlTree *tree = f->joiner->tree;
    size_t next = NO_FORMAT;

    f->prefix = xml_tree_prefix(tree, contents);
    for (size_t i = contents + 1; i < tree->nodes[contents].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = kind_of(tree, i);
        const size_t around = kind == OOXML_AROUND ? contents_of(tree, i) : XML_NO_NODE;
        if (tree->nodes[i].kind != NODE_ELEMENT || kind == OOXML_DROPPED) continue;
        if (kind == OOXML_RUN)
            add_run(f, i, OOXML_LEVELS - f->levels);
        else if (around != XML_NO_NODE && has_text(tree, around, OOXML_LEVELS - f->levels))
            LIST_PUT(&f->items, ((Item){ OOXML_AROUND, false, i, NO_FORMAT, 0 }));
        else
            LIST_PUT(&f->items, ((Item){ kind == OOXML_BREAK ? kind : OOXML_OTHER, false, i, NO_FORMAT, 0 }));
    }
    f->is_drawing = f->prefix.end - f->prefix.begin == 2 && tree->bytes[f->prefix.begin] == 'a';
    f->base = main_format(f);
    for (size_t i = f->items.len; i-- > 0;) {
        Item *item = &f->items.data[i];
        if (item->kind == OOXML_AROUND) next = NO_FORMAT;
        if (item->kind == OOXML_TEXT) next = item->format;
        item->next = next;
    }
}

/* Appends the tag of a run or a text: `begin` ("<" or "</"), the namespace prefix, and `rest`. */
static void put_tag(Flow *f, const char *begin, const char *rest)
{
    buf_put_text(f->joiner->out, begin);
    put_range(f->joiner, f->prefix.begin, f->prefix.end);
    buf_put_text(f->joiner->out, rest);
}

static void put_run_open(Flow *f, size_t format)
{
    const OoxmlFormat *of = format == NO_FORMAT ? NULL : &f->formats.data[format];

    put_tag(f, "<", "r>");
    if (of) buf_put(f->joiner->out, f->looks.data + of->at, of->length);
}

static void put_text_open(Flow *f)
{
    put_tag(f, "<", f->is_drawing ? "t>" : "t xml:space=\"preserve\">");
}

static void open_run(Flow *f, size_t format)
{
    put_run_open(f, format);
    put_text_open(f);
    f->format = format;
}

static void close_run(Flow *f)
{
    put_tag(f, "</", "t>");
    put_tag(f, "</", "r>");
}

/* Closes the open run and opens one with `format`. If neither format is the base, writes a run with the base between
 * them. */
static void switch_to(Flow *f, size_t format)
{
    if (f->format != f->base && f->format != format) {
        close_run(f);
        open_run(f, f->base);
    }
    if (f->format == format) return;
    close_run(f);
    open_run(f, format);
}

static void write_flow(Joiner *j, size_t contents, size_t levels);
static void write_paragraph(Joiner *j, size_t paragraph);

/* Copies an element. Writes paragraphs inside it in the form that the head of this file describes. */
static void write_element(Joiner *j, size_t node)
{
    const XmlTree *tree = j->tree;
    size_t at = tree->nodes[node].begin;

    for (size_t i = node + 1; i < tree->nodes[node].next;) {
        if (!is_paragraph(tree, i)) {
            i++;
            continue;
        }
        put_range(j, at, tree->nodes[i].begin);
        write_paragraph(j, i);
        at = xml_tree_end(tree, i);
        i = tree->nodes[i].next;
    }
    put_range(j, at, xml_tree_end(tree, node));
}

/* Writes an item outside of joined runs: before the first text, after the last text, or between two runs. */
static void write_outside(Flow *f, const Item *item)
{
    if (item->in_run) put_run_open(f, item->format);
    write_element(f->joiner, item->node);
    if (item->in_run) put_tag(f, "</", "r>");
}

static void write_item(Flow *f, const Item *item)
{
    Joiner *j = f->joiner;
    const XmlTree *tree = j->tree;
    const XmlNode *node = &tree->nodes[item->node];

    if (item->kind == OOXML_TEXT) {
        const bool is_preserved = f->is_drawing || node->is_preserved;
        const Range text = is_preserved ? (Range){ node->end, node->close_begin }
                                        : chars_trimmed(tree->bytes, node->end, node->close_begin);
        switch_to(f, item->format);
        put_range(j, text.begin, text.end);
    } else if (item->kind == OOXML_AROUND) {
        const size_t contents = contents_of(tree, item->node);
        switch_to(f, f->base);
        close_run(f);
        put_range(j, node->begin, tree->nodes[contents].end);
        write_flow(j, contents, f->levels + 1);
        put_range(j, tree->nodes[contents].close_begin, xml_tree_end(tree, item->node));
        open_run(f, f->base);
    } else if (item->in_run) { /* not text: a tab, a picture */
        if (item->format != f->format || field_of(tree, item->node) == FIELD_END) switch_to(f, f->base);
        if (item->format == f->format) {
            put_tag(f, "</", "t>");
            write_element(j, item->node);
            put_text_open(f);
        } else {
            close_run(f);
            write_outside(f, item);
            open_run(f, f->base);
        }
    } else { /* the format continues after the item, but a span of formatting must not overlap a range */
        if (item->next != f->format || range_of(tree, item->node).key) switch_to(f, f->base);
        close_run(f);
        write_element(j, item->node);
        open_run(f, f->format);
    }
}

static bool is_text_item(const Item *item)
{
    return item->kind == OOXML_TEXT || item->kind == OOXML_AROUND;
}

/* If a field begins at item `at`, returns the end of the items that are its code, after its separator or end; otherwise
 * `at`. If neither is in this paragraph, the code ends before the next text. */
static size_t code_end(const Flow *f, size_t at)
{
    const XmlTree *tree = f->joiner->tree;
    const Item *items = f->items.data;
    size_t end = at + 1;

    if (!items[at].in_run || field_of(tree, items[at].node) != FIELD_BEGIN) return at;
    while (end < f->items.len && items[end].kind == OOXML_OTHER) {
        const size_t node = items[end++].node;
        const OoxmlField field = field_of(tree, node);
        if (!tree->nodes[node].is_skipped && (field == FIELD_SEPARATE || field == FIELD_END)) break;
    }
    return end > at + 1 ? end : at;
}

/* Writes the contents of a level that has text: a paragraph, or an element around runs. */
static void write_flow(Joiner *j, size_t contents, size_t levels)
{
    Flow f = { .joiner = j, .levels = levels };
    size_t at = 0, end;

    gather(&f, contents);
    if (j->status == OK) j->status = LIST_CHECK(&f.items, "a paragraph", j->err);
    if (j->status == OK) j->status = LIST_CHECK(&f.formats, "a paragraph", j->err);
    if (j->status == OK) j->status = buf_check(&f.looks, j->err);
    end = f.items.len;
    while (end && !is_text_item(&f.items.data[end - 1])) end--;
    while (at < end && !is_text_item(&f.items.data[at]) && j->status == OK) write_outside(&f, &f.items.data[at++]);
    open_run(&f, f.base);
    while (at < end && j->status == OK && j->out->len <= DOCUMENT_BYTES) { /* the caller refuses what is longer */
        const size_t next = code_end(&f, at);
        if (next == at) {
            write_item(&f, &f.items.data[at++]);
            continue;
        }
        switch_to(&f, f.base);
        close_run(&f);
        while (at < next) write_outside(&f, &f.items.data[at++]);
        open_run(&f, f.base);
    }
    switch_to(&f, f.base);
    close_run(&f);
    while (at < f.items.len && j->status == OK) write_outside(&f, &f.items.data[at++]);
    buf_free(&f.looks);
    free(f.formats.data);
    free(f.items.data);
}

static void write_paragraph(Joiner *j, size_t paragraph)
{
    const XmlNode *node = &j->tree->nodes[paragraph];

    if (j->depth == OOXML_DEPTH) {
        put_range(j, node->begin, xml_tree_end(j->tree, paragraph));
        return;
    }
    j->depth++;
    if (!has_text(j->tree, paragraph, OOXML_LEVELS)) {
        write_element(j, paragraph);
    } else {
        put_range(j, node->begin, node->end);
        write_flow(j, paragraph, 1);
        put_range(j, node->close_begin, node->close_end);
    }
    j->depth--;
}

Status ooxml_join_runs(const DocumentFile *part, Buf *out, Err *err)
{
    XmlTree tree;
    Status st = xml_source_read(&tree, part, err);
    Joiner j = { .tree = &tree, .out = out, .err = err };

    if (st != OK) return st;
    mark_skipped(&tree);
    put_range(&j, 0, tree.nodes[0].begin);
    if (is_paragraph(&tree, 0))
        write_paragraph(&j, 0);
    else
        write_element(&j, 0);
    put_range(&j, xml_tree_end(&tree, 0), part->size);
    xml_tree_free(&tree);
    st = buf_check(out, err);
    return j.status == OK ? st : j.status;
}

/* --- After the translation ------------------------------------------------------------ */

static bool is_empty_text(const XmlTree *tree, size_t node)
{
    return kind_of(tree, node) == OOXML_TEXT && tree->nodes[node].end == tree->nodes[node].close_begin;
}

/* Whether a run is in a paragraph or in an element around runs; runs of formulas are elsewhere. */
static bool is_in_flow(const XmlTree *tree, size_t run)
{
    const size_t parent = tree->nodes[run].parent;

    return kind_of(tree, run) == OOXML_RUN && (is_paragraph(tree, parent) || xml_tree_is(tree, parent, "sdtContent") ||
                                               kind_of(tree, parent) == OOXML_AROUND);
}

/* Whether an element binds the text of a content control to data that stay as they are: Word would show the data
 * instead of the translation. Bindings to the properties of the document stay: these are translated. */
static bool is_binding(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;
    Range path;

    return xml_tree_is(tree, node, "dataBinding") &&
           (find_attribute(tree, node, "xpath", &path) || xml_tree_attribute(tree, node, "w:xpath", &path)) &&
           !chars_after(tree->bytes, path.begin, path.end, "coreProperties", 0) && xml_tree_is(tree, parent, "sdtPr") &&
           xml_tree_child(tree, parent, "dataBinding") == node && /* there is only one */
           xml_tree_child(tree, parent, "date picture checkbox") == XML_NO_NODE;
}

/* Whether the element binds text to other data, is an empty text of a run, or is a run that contains only formatting
 * and one or more empty texts. Elements with the same names outside paragraphs, as in formulas, stay. */
static bool is_dropped(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;
    bool has_empty_text = false;

    if (tree->nodes[node].kind != NODE_ELEMENT || parent == XML_NO_NODE) return false;
    if (is_binding(tree, node)) return true;
    if (is_empty_text(tree, node)) return is_in_flow(tree, parent);
    if (!is_in_flow(tree, node)) return false;
    for (size_t i = node + 1; i < tree->nodes[node].next; i = tree->nodes[i].next) {
        if (tree->nodes[i].kind != NODE_ELEMENT || xml_tree_is(tree, i, "rPr")) continue;
        if (!is_empty_text(tree, i)) return false;
        has_empty_text = true;
    }
    return has_empty_text;
}

Status ooxml_drop_empty_runs(const DocumentFile *part, Buf *out, Err *err)
{
    XmlTree tree;
    size_t at = 0;
    Status st = xml_source_read(&tree, part, err);

    if (st != OK) return st;
    for (size_t i = 0; i < tree.count;) {
        if (!is_dropped(&tree, i)) {
            i++;
            continue;
        }
        buf_put(out, part->bytes + at, tree.nodes[i].begin - at);
        at = xml_tree_end(&tree, i);
        i = tree.nodes[i].next;
    }
    buf_put(out, part->bytes + at, part->size - at);
    xml_tree_free(&tree);
    return buf_check(out, err);
}

#define CONTENT_TYPES "[Content_Types].xml"
#define RELATIONSHIPS "_rels/.rels"
/* Longer extensions are not looked up: parts with text end in ".xml" or as HTML does. */
#define LONGEST_EXTENSION ((size_t)16)

/* --- The parts ------------------------------------------------------------------------ */

#define IN_ALL  (IN_DOCX | IN_PPTX | IN_XLSX)
#define IS_MAIN 8u  /* the part that every document has */
#define IS_PAGE 16u /* HTML that the document includes: w:altChunk */

/* How the content types of parts with text end. */
static const struct {
    const char *ends[10];
    unsigned flags;
} types[] = {
    { { "wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml",
        "ms-word.document.macroEnabled.main+xml", "ms-word.template.macroEnabledTemplate.main+xml" },
      IN_DOCX | IS_MAIN },
    { { "wordprocessingml.header+xml", "wordprocessingml.footer+xml", "wordprocessingml.footnotes+xml",
        "wordprocessingml.endnotes+xml", "wordprocessingml.comments+xml", "wordprocessingml.styles+xml",
        "wordprocessingml.numbering+xml" },
      IN_DOCX },
    { { "text/html", "application/xhtml+xml" }, IN_DOCX | IS_PAGE },
    { { "presentationml.presentation.main+xml", "presentationml.template.main+xml", "presentationml.slideshow.main+xml",
        "ms-powerpoint.presentation.macroEnabled.main+xml", "ms-powerpoint.slideshow.macroEnabled.main+xml" },
      IN_PPTX | IS_MAIN },
    { { "presentationml.slide+xml", "presentationml.notesSlide+xml", "presentationml.slideMaster+xml",
        "presentationml.slideLayout+xml", "presentationml.comments+xml", "ms-powerpoint.comments+xml" },
      IN_PPTX },
    { { "drawingml.chart+xml", "drawingml.chartshapes+xml", "ms-office.chartex+xml", "drawingml.diagramData+xml",
        "drawingml.diagramDrawing+xml", "core-properties+xml" },
      IN_ALL },
    { { "spreadsheetml.sheet.main+xml", "spreadsheetml.template.main+xml", "ms-excel.sheet.macroEnabled.main+xml",
        "ms-excel.template.macroEnabled.main+xml" },
      IN_XLSX | IS_MAIN },
    { { "spreadsheetml.worksheet+xml", "spreadsheetml.chartsheet+xml", "spreadsheetml.sharedStrings+xml",
        "spreadsheetml.comments+xml", "ms-excel.threadedcomments+xml", "spreadsheetml.table+xml",
        "spreadsheetml.pivotTable+xml", "spreadsheetml.pivotCacheDefinition+xml", "officedocument.drawing+xml" },
      IN_XLSX },
};

/* Finds the name of a part in an attribute, without the slash at its beginning. */
static bool find_name(const XmlTree *tree, size_t node, const char *attribute, Range *name)
{
    if (!xml_tree_attribute(tree, node, attribute, name) || name->begin == name->end) return false;
    name->begin += tree->bytes[name->begin] == '/';
    return true;
}

/* Returns the flags of the content type in an element Override or Default; 0: parts of this type have no text. */
static unsigned flags_at(const XmlTree *tree, size_t node, unsigned format)
{
    Range value;

    if (!xml_tree_attribute(tree, node, "ContentType", &value)) return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (const char *const *end = types[i].ends; (types[i].flags & format) && *end; end++)
            if (chars_end(tree->bytes, value.begin, value.end, *end)) return types[i].flags;
    return 0;
}

/* Appends the target of the relationship officeDocument. */
static Status find_main(Buf *out, Package *package, Err *err)
{
    XmlTree tree;
    Status st;

    if (!package_has(package, RELATIONSHIPS)) return OK;
    st = xml_entry_read(&tree, package, RELATIONSHIPS, err);
    for (size_t i = 0; st == OK && !out->data && i < tree.count; i++) {
        Range value;
        if (!xml_tree_is(&tree, i, "Relationship") || !xml_tree_attribute(&tree, i, "Type", &value) ||
            !chars_end(tree.bytes, value.begin, value.end, "/officeDocument") || !find_name(&tree, i, "Target", &value))
            continue;
        buf_put(out, tree.bytes + value.begin, value.end - value.begin);
        st = buf_check(out, err);
    }
    xml_tree_free(&tree);
    return st;
}

/* Whether a part is HTML. The text of a package does not have the types of its parts. */
static bool is_page(const char *name)
{
    return document_format_of(name) == &document_html;
}

/* Adds HTML if it is UTF-8. */
static Status add_page(Package *package, const char *name, Err *err)
{
    Buf path = { 0 }, bytes = { 0 };
    Status st = package_read(package, name, &path, &bytes, err);

    if (st == OK && utf8_clean_length(bytes.data, bytes.len) == bytes.len) st = package_add(package, name, err);
    buf_free(&path);
    buf_free(&bytes);
    return st;
}

/* Adds a part; in spreadsheets also its relationships: xl/_rels/workbook.xml.rels is that of xl/workbook.xml. */
static Status add_part(Package *package, unsigned format, unsigned flags, const char *name, Err *err)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    Buf relationships = { 0 };
    Status st;

    if (flags & IS_PAGE) return is_page(name) ? add_page(package, name, err) : OK;
    st = package_add(package, name, err);
    if (st != OK || format != IN_XLSX) return st;
    buf_put_format(&relationships, "%.*s_rels/%s.rels", (int)(last - name), name, last);
    st = buf_check(&relationships, err);
    if (st == OK && package_has(package, relationships.data)) st = package_add(package, relationships.data, err);
    buf_free(&relationships);
    return st;
}

/* The type of a part is in the element Override with its name, or else in the element Default with its extension. */
Status ooxml_choose_parts(Package *package, Err *err)
{
    const PackageRules *rules = package_rules(package);
    const unsigned format = rules->kinds;
    XmlTree entry; /* the content types */
    const XmlTree *tree = &entry;
    StrMap *overridden = NULL, *defaults = NULL; /* names of parts; extensions in lower case -> flags */
    char extension[LONGEST_EXTENSION];
    const char *name;
    Buf part = { 0 }, main = { 0 };
    bool has_main = false, has_defaults;
    Status st = xml_entry_read(&entry, package, CONTENT_TYPES, err);

    if (st == OK) st = str_map_new(&overridden, err);
    if (st == OK) st = str_map_new(&defaults, err);
    for (size_t i = 0; st == OK && i < tree->count; i++) {
        const unsigned flags = flags_at(tree, i, format);
        Range value;
        if (xml_tree_is(tree, i, "Override") && find_name(tree, i, "PartName", &value)) {
            buf_clear(&part);
            buf_put(&part, tree->bytes + value.begin, value.end - value.begin);
            st = buf_check(&part, err);
            if (st == OK) st = str_map_add(overridden, part.data, part.len, 1, NULL, err);
            if (st != OK || (!(flags & IS_MAIN) && !(flags && package_has(package, part.data)))) continue;
            has_main |= (flags & IS_MAIN) != 0;
            st = add_part(package, format, flags, part.data, err);
        } else if (xml_tree_is(tree, i, "Default") && flags && xml_tree_attribute(tree, i, "Extension", &value)) {
            const size_t length =
                chars_lower(tree->bytes + value.begin, value.end - value.begin, extension, sizeof extension);
            if (length) st = str_map_add(defaults, extension, length, (int32_t)flags, NULL, err);
        }
    }
    has_defaults = st == OK && str_map_count(defaults);
    if (has_defaults) st = find_main(&main, package, err);
    for (size_t i = 0; st == OK && has_defaults && (name = package_entry_name(package, i)); i++) {
        const char *dot = strrchr(name, '.');
        unsigned flags = 0;
        if (dot && strcmp(name, CONTENT_TYPES) != 0 && !str_map_get(overridden, name, strlen(name), 0))
            flags = (unsigned)str_map_get(defaults, extension,
                                          chars_lower(dot + 1, strlen(dot + 1), extension, sizeof extension), 0);
        /* other parts may also have the type of the main part, so its name must be the target of the relationship */
        if (!flags || ((flags & IS_MAIN) && (!main.data || strcasecmp(name, main.data) != 0))) continue;
        has_main |= (flags & IS_MAIN) != 0;
        st = add_part(package, format, flags, name, err);
    }
    xml_tree_free(&entry);
    str_map_free(overridden);
    str_map_free(defaults);
    buf_free(&part);
    buf_free(&main);
    if (st != OK || has_main) return st;
    return err_set(err, ERR_FORMAT, "%s: not %s: " CONTENT_TYPES " does not name one", package_path(package),
                   rules->called);
}

/* --- Paragraphs with joined runs ---------------------------------------------- */

/* A level that is open around the text: the paragraph, or an element around runs. */
typedef struct {
    size_t contents; /* the node of this element: contents_of() */
    Range base;      /* the formatting of its first run */
} Level;

typedef struct {
    const XmlTree *tree;
    DocumentBuilder *builder;
    size_t paragraph, depth; /* depth: number of nested paragraphs, with or without text */
    Level levels[OOXML_LEVELS];
    size_t level_count;
    bool is_base;   /* the last text has the base format of its level */
    size_t last;    /* the last text; XML_NO_NODE: none */
    size_t scanned; /* the nodes before this one have been searched for units inside the paragraph */
} Paragraph;

static void report_paragraph(const XmlTree *tree, size_t paragraph, size_t depth);

/* Whether an attribute that report_attributes() reads has no text: it is a bullet, which may be a letter of a symbol
 * font, or the name of an entry of AutoText. */
static bool has_no_text(const XmlTree *tree, size_t node)
{
    Range value;

    return (xml_tree_is(tree, node, "lvlText") && xml_tree_attribute(tree, node, "w:val", &value) &&
            is_character(tree, value)) ||
           xml_tree_attribute_is(tree, node, "w:type", "autoText");
}

/* Reports the texts in the attributes of an element: descriptions and titles of pictures, shapes and tables, tooltips
 * of links, watermarks, the words of numbers ("Chapter %1"), the help of form fields, and items of drop-down lists. */
static void report_attributes(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *elements, *attributes;
    } rows[] = {
        { "docPr cNvPr", "descr title" },
        { "hyperlink hlinkClick hlinkHover hlinkMouseOver", "w:tooltip tooltip" },
        { "tblCaption tblDescription lvlText helpText statusText", "w:val" },
        { "listItem", "w:displayText" }, /* the key of the item, w:value, stays */
        { "shape group rect roundrect oval line polyline arc curve image", "alt" },
        { "textpath", "string" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (xml_tree_is(tree, node, rows[i].elements) && !has_no_text(tree, node))
            xml_text_attributes(tree, node, rows[i].attributes);
}

/* Returns the element that contains the run of a text. Returns XML_NO_NODE if there are too many levels between it and
 * the paragraph, or anything other than elements around runs. */
static size_t level_of(const Paragraph *p, size_t text)
{
    const XmlTree *tree = p->tree;
    const size_t run = tree->nodes[text].parent;
    size_t at, levels = 1;

    if (run == XML_NO_NODE || kind_of(tree, run) != OOXML_RUN) return XML_NO_NODE;
    at = tree->nodes[run].parent;
    while (at != XML_NO_NODE && at != p->paragraph && levels++ < OOXML_LEVELS) {
        const size_t parent = tree->nodes[at].parent;
        const bool is_inner =
            xml_tree_is(tree, at, "sdtContent") && parent != XML_NO_NODE && xml_tree_is(tree, parent, "sdt");
        if (!is_inner && kind_of(tree, at) != OOXML_AROUND) return XML_NO_NODE;
        at = is_inner ? tree->nodes[parent].parent : parent;
    }
    return at == p->paragraph ? tree->nodes[run].parent : XML_NO_NODE;
}

/* Reports the units in the nodes [p->scanned, node): inner paragraphs, and descriptions of pictures. */
static void report_inner(Paragraph *p, size_t node)
{
    const XmlTree *tree = p->tree;

    while (p->scanned < node) {
        const size_t at = p->scanned;
        const bool is_one = is_paragraph(tree, at);
        p->scanned = is_one ? tree->nodes[at].next : at + 1;
        if (!document_builder_can_begin(p->builder)) continue;
        if (!is_one)
            report_attributes(tree, at);
        else if (p->depth < OOXML_DEPTH)
            report_paragraph(tree, at, p->depth + 1);
    }
}

static void begin_level(Paragraph *p, size_t contents, size_t text)
{
    p->levels[p->level_count++] = (Level){ contents, formatting_of(p->tree, p->tree->nodes[text].parent) };
    p->is_base = true;
}

static uint64_t key_of(const Level *level, bool of_format)
{
    return (uint64_t)level->contents << 1 | of_format;
}

static void report_span(DocumentBuilder *b, RunSpan span, Range bytes)
{
    (span.opens ? document_builder_open : document_builder_close)(b, span.key, bytes.begin, bytes.end);
}

/* Returns the next node. Skips the contents of a paragraph inside the paragraph. */
static size_t next_outside(const XmlTree *tree, size_t node)
{
    return is_paragraph(tree, node) ? tree->nodes[node].next : node + 1;
}

/* Whether the element has what the author has deleted. */
static bool is_deleted(const XmlTree *tree, size_t node)
{
    return xml_tree_is(tree, node, "del moveFrom");
}

/* What is between two texts, apart from runs, their formatting, and elements around them. */
typedef struct {
    RunSpan span; /* the last field or range that begins or ends there, except fields that both begin and end there */
    size_t breaks, hyphens;
    bool has_space; /* there is a symbol in a text that begins or ends with white space */
    bool is_hyphen; /* there is nothing else than hyphens */
    size_t object;  /* the first picture, formula or symbol that stands in the line like a word; XML_NO_NODE: none */
} Between;

/* Whether a text begins or ends with white space. */
static bool has_outer_space(const XmlTree *tree, size_t text)
{
    const XmlNode *n = &tree->nodes[text];

    return n->end < n->close_begin &&
           (char_is_space(tree->bytes[n->end]) || char_is_space(tree->bytes[n->close_begin - 1]));
}

static Between find_between(const Paragraph *p, size_t text)
{
    static const char objects[] = "inline object oMath sym";
    const XmlTree *tree = p->tree;
    Between found = { .is_hyphen = true, .object = XML_NO_NODE };
    RunSpan before = { 0, false }; /* the value of found.span before the outermost open field */
    size_t fields = 0, properties_end = 0, deleted_end = 0;

    for (size_t i = p->last + 1; i < text; i = next_outside(tree, i)) {
        const OoxmlKind kind = is_element(tree, i) ? kind_of(tree, i) : OOXML_TEXT;
        const OoxmlField field = field_of(tree, i);
        const RunSpan range = range_of(tree, i);
        const bool is_symbol = !fields && tree->nodes[i].is_skipped && xml_tree_is(tree, i, "t");
        if (field == FIELD_BEGIN && !fields++) before = found.span;
        if (field == FIELD_END && fields) {
            fields--;
            found.span = before;
        } else if (field == FIELD_SEPARATE || field == FIELD_END) {
            found.span = (RunSpan){ FIELD_KEY, field == FIELD_SEPARATE };
        } else if (range.key) {
            found.span = range;
        }
        if (is_deleted(tree, i) && i >= deleted_end) deleted_end = tree->nodes[i].next;
        found.breaks += kind == OOXML_BREAK && i >= deleted_end;
        found.has_space |= is_symbol && has_outer_space(tree, i);
        if (kind == OOXML_PROPERTIES && i >= properties_end) properties_end = tree->nodes[i].next;
        if (i < properties_end) continue;
        if (found.object == XML_NO_NODE && i >= deleted_end && (xml_tree_is(tree, i, objects) || is_symbol))
            found.object = i;
        if (xml_tree_is(tree, i, "noBreakHyphen"))
            found.hyphens++;
        else if (kind != OOXML_RUN && kind != OOXML_AROUND && kind != OOXML_TEXT)
            found.is_hyphen = false;
    }
    return found;
}

/* Reports what is between the last text and this one, except formatting and elements around text. A single non-breaking
 * hyphen is reported as a character, unless a text box or deleted text is beside it: that would be lost in a
 * translation without the hyphen. */
static void report_other(const Paragraph *p, size_t text, Range bytes)
{
    DocumentBuilder *b = p->builder;
    const Between found = find_between(p, text);

    if (found.span.key)
        report_span(b, found.span, bytes);
    else if (found.breaks)
        document_builder_separate(b, bytes.begin, bytes.end, found.breaks > 1 ? BREAK_ALWAYS : BREAK_HARD);
    else if (found.has_space)
        document_builder_separate(b, bytes.begin, bytes.end, BREAK_NONE);
    else if (found.object != XML_NO_NODE)
        document_builder_object(b, xml_tree_name(p->tree, found.object), bytes.begin, bytes.end);
    else if (found.is_hyphen && found.hyphens == 1)
        document_builder_spelled(b, "\xe2\x80\x91", 3, bytes.begin, bytes.end);
    else
        document_builder_empty(b, bytes.begin, bytes.end);
}

/* Updates the level and the format for the next text. If one of them changes, returns the span that begins or ends
 * before the text. Sets *crosses if elements around runs begin or end in a way that does not form a span. */
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
    p->is_base = ranges_are_same(p->tree->bytes, top.base, formatting_of(p->tree, p->tree->nodes[text].parent));
    return (RunSpan){ p->is_base == was_base ? 0 : key_of(&top, true), was_base };
}

/* Whether the element ends a text, not only a word: a tab, the end of a page or of a column. */
static bool separates_texts(const XmlTree *tree, size_t node)
{
    Range type;

    if (kind_of(tree, node) != OOXML_BREAK || xml_tree_is(tree, node, "cr")) return false;
    if (!xml_tree_is(tree, node, "br")) return true;
    return find_attribute(tree, node, "type", &type) &&
           (tree->bytes[type.begin] == 'p' || tree->bytes[type.begin] == 'c'); /* not textWrapping */
}

static void report_text(Paragraph *p, size_t text, size_t contents)
{
    const XmlTree *tree = p->tree;
    size_t separator = p->last == XML_NO_NODE ? text : tree->nodes[p->last].next;
    RunSpan span = { 0, false };
    bool begins_column, crosses = false;

    while (separator < text && !separates_texts(tree, separator))
        separator = is_deleted(tree, separator) ? tree->nodes[separator].next : next_outside(tree, separator);
    begins_column = separator < text;
    if (begins_column) document_builder_end_unit(p->builder, tree->nodes[p->last].close_begin);
    report_inner(p, text);
    if (p->last == XML_NO_NODE)
        begin_level(p, contents, text);
    else
        span = enter_text(p, text, contents, &crosses);
    if (p->last == XML_NO_NODE || begins_column) { /* a new text begins, and the tags before it are not part of it */
        document_builder_begin(p->builder, XML_IN_TEXT, tree->nodes[text].end);
    } else {
        const Range bytes = { tree->nodes[p->last].close_begin, tree->nodes[text].end };
        if (span.key)
            report_span(p->builder, span, bytes);
        else if (crosses)
            document_builder_empty(p->builder, bytes.begin, bytes.end);
        else
            report_other(p, text, bytes);
    }
    for (size_t i = text + 1; i < tree->nodes[text].next; i++)
        if (!is_element(tree, i)) xml_text_report(tree, i, XML_IN_TEXT, true);
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
        const size_t contents = kind_of(tree, i) == OOXML_TEXT ? level_of(&p, i) : XML_NO_NODE;
        if (contents != XML_NO_NODE) report_text(&p, i, contents);
        i = next_outside(tree, i);
    }
    if (p.last != XML_NO_NODE) document_builder_end_unit(p.builder, tree->nodes[p.last].close_begin);
    report_inner(&p, end);
}

void ooxml_report_paragraph(const XmlTree *tree, size_t paragraph)
{
    report_paragraph(tree, paragraph, 1);
}

/* --- The texts of a part -------------------------------------------------------------- */

/* Whether a shape of a master or a layout is a placeholder: its text is only a prompt, which slides do not show. */
static bool is_placeholder(const XmlTree *tree, size_t node)
{
    static const char *const path[] = { "nvSpPr", "nvPr", "ph" };

    if (!xml_tree_is(tree, node, "sp")) return false;
    for (size_t i = 0; i < sizeof path / sizeof *path && node != XML_NO_NODE; i++)
        node = xml_tree_child(tree, node, path[i]);
    return node != XML_NO_NODE;
}

/* Whether an element is a text that was typed into a chart: the name of a series (c:tx), or a category (c:strLit).
 * Charts have other texts from cells. */
static bool is_typed(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;

    return xml_tree_is(tree, node, "v") &&
           (xml_tree_is(tree, parent, "tx") ||
            (xml_tree_is(tree, parent, "pt") && xml_tree_is(tree, tree->nodes[parent].parent, "strLit")));
}

/* Reports the texts of a part. Comments of presentations are in elements "text", since 2021 in paragraphs. */
void ooxml_report_texts(XmlTree *tree)
{
    static const char masters[] = "sldMaster sldLayout";
    static const XmlTextRules comment_rules = { .is_preserved = true };
    const bool is_master = xml_tree_is(tree, 0, masters), has_comments = xml_tree_is(tree, 0, "cmLst");

    mark_skipped(tree);
    for (size_t i = 0; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_one = is_paragraph(tree, i), is_skipped = is_master && is_placeholder(tree, i);
        if (is_one)
            report_paragraph(tree, i, 1);
        else if (has_comments && xml_tree_is(tree, i, "text"))
            xml_text_contents(tree, i, &comment_rules, false, NULL);
        else if (is_typed(tree, i))
            xml_text_element(tree, i);
        else if (!is_skipped)
            report_attributes(tree, i);
        i = is_one || is_skipped ? tree->nodes[i].next : i + 1;
    }
}

void ooxml_report_properties(const XmlTree *tree)
{
    static const char properties[] = "title subject description keywords category";

    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i++) {
        if (xml_tree_is(tree, i, properties)) xml_text_element(tree, i);
        if (xml_tree_is(tree, i, "language")) xml_label_contents(tree, i);
    }
}

/* Reports the parts. The root element of a part says whether it contains the properties of the document, styles, or
 * texts. Languages change in styles (w:lang w:val="en-US"), and outside of paragraphs (a:defRPr lang="en-US"). */
static void parse_ooxml(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    size_t at = input.begin, included = 0, pages = 0; /* numbers of files that the document includes, and those read */
    PackagePart part;

    while (!document_builder_failed(builder) && package_next_part(input.bytes, input.end, &at, &part)) {
        XmlTree tree;
        bool has_styles;
        if (is_page(input.bytes + part.name.begin)) {
            document_builder_embed(builder, &html_spelling);
            html_units_add(builder, part.contents.begin, part.contents.end, true);
            document_builder_embed(builder, NULL);
            pages++;
            continue;
        }
        if (!xml_tree_read_part(&tree, builder, part.contents)) return;
        has_styles = xml_tree_is(&tree, 0, "styles");
        if (xml_tree_is(&tree, 0, "coreProperties"))
            ooxml_report_properties(&tree);
        else if (!has_styles)
            ooxml_report_texts(&tree);
        for (size_t i = 1, after = 0; i < tree.count; i++) { /* after: the node after the last paragraph */
            if (i >= after && is_paragraph(&tree, i)) after = tree.nodes[i].next;
            if (has_styles && xml_tree_is(&tree, i, "lang")) xml_label(&tree, i, "w:val", xml_language(&tree));
            if (i >= after && xml_tree_is(&tree, i, "defRPr")) xml_label(&tree, i, "lang", xml_language(&tree));
            included += xml_tree_is(&tree, i, "altChunk");
        }
        xml_tree_free(&tree);
    }
    if (included > pages)
        document_builder_warn(
            builder, WHOLE_DOCUMENT,
            "some files that the document includes (w:altChunk) stay as they are: only HTML in UTF-8 is translated; "
            "save the document in Word first, which makes their text a part of it");
}

/* HTML is read as it is. */
static Status prepare_docx(const DocumentFile *part, Buf *out, Err *err)
{
    if (!is_page(part->name)) return ooxml_join_runs(part, out, err);
    buf_put(out, part->bytes, part->size);
    return buf_check(out, err);
}

/* HTML gets a byte order mark, which says that it is UTF-8, because it need not say so if it is ASCII. */
static Status finish_docx(const DocumentFile *part, Buf *out, Err *err)
{
    if (!is_page(part->name)) return ooxml_drop_empty_runs(part, out, err);
    if (!document_encoding_mark(part->bytes, part->size)) buf_put_text(out, "\xef\xbb\xbf");
    buf_put(out, part->bytes, part->size);
    return buf_check(out, err);
}

static const PackageRules docx_rules = { .called = "a DOCX document",
                                         .kinds = IN_DOCX,
                                         .ignores_case = true,
                                         .choose = ooxml_choose_parts,
                                         .prepare = prepare_docx,
                                         .finish = finish_docx };
static const PackageRules pptx_rules = { .called = "a PPTX presentation",
                                         .kinds = IN_PPTX,
                                         .ignores_case = true,
                                         .choose = ooxml_choose_parts,
                                         .prepare = ooxml_join_runs,
                                         .finish = ooxml_drop_empty_runs };

const DocumentFormat document_docx = { .name = "docx",
                                       .paragraphs = "p",
                                       .endings = ".docx .docm .dotx .dotm",
                                       .parse = parse_ooxml,
                                       .spelling = &xml_spelling,
                                       .package = &docx_rules };
const DocumentFormat document_pptx = { .name = "pptx",
                                       .paragraphs = "p",
                                       .endings = ".pptx .pptm .potx .ppsx .ppsm",
                                       .parse = parse_ooxml,
                                       .spelling = &xml_spelling,
                                       .package = &pptx_rules };
