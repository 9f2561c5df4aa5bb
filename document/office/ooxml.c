/* ooxml.c - see ooxml.h. Names of elements are compared without their prefixes. */
#include "ooxml.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "part_parser.h"
#include "utf8.h"

/* --- The elements of paragraphs ------------------------------------------------------ */

Range ooxml_prefix(const XmlTree *tree, size_t node)
{
    const Range name = xml_tree_name(tree, node);
    const char *begin = tree->bytes + name.begin, *colon = memchr(begin, ':', name.end - name.begin);

    return (Range){ name.begin, colon ? name.begin + (size_t)(colon + 1 - begin) : name.begin };
}

OoxmlKind ooxml_kind(const XmlTree *tree, size_t node)
{
    static const struct {
        const char *names[10];
        OoxmlKind kind;
    } rows[] = {
        { { "r" }, OOXML_RUN },
        { { "rPr", "pPr", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "fldData" }, OOXML_PROPERTIES },
        { { "t" }, OOXML_TEXT },
        { { "tab", "ptab", "br", "cr" }, OOXML_BREAK },
        { { "hyperlink", "smartTag", "ins", "moveTo", "fldSimple", "sdt", "customXml", "bdo", "dir" }, OOXML_AROUND },
        { { "proofErr", "lastRenderedPageBreak" }, OOXML_DROPPED },
    };
    const XmlNode *n = &tree->nodes[node];
    const size_t count = sizeof rows / sizeof *rows;
    OoxmlKind kind;
    size_t row = 0;

    while (row < count && !xml_tree_is_listed(tree, node, rows[row].names)) row++;
    if (row == count) return OOXML_OTHER;
    kind = rows[row].kind;
    /* A run has the prefix of the element that it is in: w:r in w:ins. The other ones are runs of formulas. */
    if (kind == OOXML_RUN && (n->parent == XML_NO_NODE ||
                              !ranges_are_same(tree->bytes, ooxml_prefix(tree, node), ooxml_prefix(tree, n->parent))))
        return OOXML_OTHER;
    if (kind == OOXML_TEXT && n->close_begin == n->close_end) return OOXML_DROPPED;
    if (n->is_skipped && (kind == OOXML_TEXT || kind == OOXML_BREAK)) return OOXML_OTHER;
    return kind;
}

size_t ooxml_contents(const XmlTree *tree, size_t around)
{
    return xml_tree_is(tree, around, "sdt") ? xml_tree_child(tree, around, "sdtContent") : around;
}

bool ooxml_has_text(const XmlTree *tree, size_t node, size_t levels)
{
    for (size_t i = node + 1; levels && i < tree->nodes[node].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = ooxml_kind(tree, i);
        const size_t contents = kind == OOXML_AROUND ? ooxml_contents(tree, i) : XML_NO_NODE;
        for (size_t k = i + 1; kind == OOXML_RUN && k < tree->nodes[i].next; k = tree->nodes[k].next)
            if (ooxml_kind(tree, k) == OOXML_TEXT && tree->nodes[k].close_begin > tree->nodes[k].end) return true;
        if (contents != XML_NO_NODE && ooxml_has_text(tree, contents, levels - 1)) return true;
    }
    return false;
}

bool ooxml_attribute(const XmlTree *tree, size_t node, const char *name, Range *value)
{
    const Range prefix = ooxml_prefix(tree, node);
    const size_t length = prefix.end - prefix.begin;
    char full[64];

    if (length + strlen(name) >= sizeof full) return false;
    memcpy(full, tree->bytes + prefix.begin, length);
    memcpy(full + length, name, strlen(name) + 1);
    return xml_tree_attribute(tree, node, full, value);
}

OoxmlField ooxml_field(const XmlTree *tree, size_t node)
{
    static const char *const types[] = { NULL, "begin", "separate", "end" };
    Range value;

    if (!xml_tree_is(tree, node, "fldChar") || !ooxml_attribute(tree, node, "fldCharType", &value)) return FIELD_NONE;
    for (size_t i = FIELD_BEGIN; i <= FIELD_END; i++)
        if (chars_are(tree->bytes + value.begin, value.end - value.begin, types[i])) return (OoxmlField)i;
    return FIELD_NONE;
}

/* The fields in each other that have begun in a paragraph. Fields more than 16 levels deep are only counted: their
 * codes are in the code or in the result of another one. */
typedef struct {
    size_t count, open[16]; /* where their codes begin; 0: the code has ended */
} Fields;

static void mark_codes(XmlTree *tree, size_t paragraph, size_t depth)
{
    Fields fields = { .count = 0 };
    const size_t most = sizeof fields.open / sizeof *fields.open;

    for (size_t i = paragraph + 1; i < tree->nodes[paragraph].next;) {
        const bool is_paragraph = xml_tree_is(tree, i, "p");
        const OoxmlField field = ooxml_field(tree, i);
        if (is_paragraph && depth < OOXML_DEPTH) mark_codes(tree, i, depth + 1);
        if (field == FIELD_BEGIN && fields.count++ < most) fields.open[fields.count - 1] = i;
        if ((field == FIELD_SEPARATE || field == FIELD_END) && fields.count && fields.count <= most) {
            for (size_t k = fields.open[fields.count - 1]; k && k < i; k++) tree->nodes[k].is_skipped = true;
            fields.open[fields.count - 1] = 0;
        }
        if (field == FIELD_END && fields.count) fields.count--;
        i = is_paragraph ? tree->nodes[i].next : i + 1;
    }
}

void ooxml_mark_codes(XmlTree *tree)
{
    for (size_t i = 0; i < tree->count;) {
        const bool is_paragraph = xml_tree_is(tree, i, "p");
        if (is_paragraph) mark_codes(tree, i, 1);
        i = is_paragraph ? tree->nodes[i].next : i + 1;
    }
}

/* Whether a name is `range` with Start or End. */
static bool is_range_end(const char *name, size_t length, const char *range, bool *begins)
{
    const size_t base = strlen(range);

    if (length < base || memcmp(name, range, base) != 0) return false;
    *begins = length == base + 5 && memcmp(name + base, "Start", 5) == 0;
    return *begins || (length == base + 3 && memcmp(name + base, "End", 3) == 0);
}

bool ooxml_range(const XmlTree *tree, size_t node, OoxmlRange *range)
{
    static const char *const ranges[] = { "bookmark",
                                          "commentRange",
                                          "perm",
                                          "moveFromRange",
                                          "moveToRange",
                                          "customXmlInsRange",
                                          "customXmlDelRange",
                                          "customXmlMoveFromRange",
                                          "customXmlMoveToRange" };
    Range name;

    if (tree->nodes[node].kind != NODE_ELEMENT) return false;
    name = xml_tree_name(tree, node);
    name.begin = ooxml_prefix(tree, node).end;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!is_range_end(tree->bytes + name.begin, name.end - name.begin, ranges[i], &range->begins)) continue;
        range->kind = (unsigned char)i;
        return ooxml_attribute(tree, node, "id", &range->id);
    }
    return false;
}

Range ooxml_formatting(const XmlTree *tree, size_t run)
{
    const size_t end = tree->nodes[run].next;
    size_t first = run + 1;

    while (first < end && tree->nodes[first].kind != NODE_ELEMENT) first++;
    if (first == end || !xml_tree_is(tree, first, "rPr")) return (Range){ 0, 0 };
    return (Range){ tree->nodes[first].begin, xml_tree_end(tree, first) };
}

/* --- The formats of the runs in a paragraph -------------------------------------------
 * They are compared without what does not change how text looks: the language and the notes of the spelling checker. */

/* More formats in a paragraph are not compared with each other. */
#define COMPARED_FORMATS 64

#define NO_FORMAT ((size_t)-1)

typedef struct {
    size_t at, length; /* in OoxmlFormats.bytes: the element w:rPr or a:rPr; nothing for no formatting */
    size_t text;       /* bytes of text with this format */
    bool has_letter;   /* in this text */
    bool is_visible;   /* also on spaces alone: a link, a line under the text */
} OoxmlFormat;

typedef struct {
    Buf bytes;
    OoxmlFormat *items; /* [count] */
    size_t count, capacity;
} OoxmlFormats;

/* Puts a start tag without some of its attributes, which expat has checked. */
static void put_tag_without_notes(Buf *out, const char *bytes, size_t at, size_t end)
{
    static const char *const left_out[] = { "lang", "altLang", "dirty", "err", "smtClean", "noProof", "bmk", NULL };

    for (size_t next; at < end; at = next) {
        size_t name = at, name_end;
        char quote;
        while (name < end && char_is_space(bytes[name])) name++;
        next = at + 1;
        if (name == at || bytes[name] == '>' || bytes[name] == '/') {
            while (next < end && !char_is_space(bytes[next])) next++;
            buf_put(out, bytes + at, next - at);
            continue;
        }
        for (name_end = name; !char_is_space(bytes[name_end]) && bytes[name_end] != '=';) name_end++;
        for (next = name_end; bytes[next] != '"' && bytes[next] != '\'';) next++;
        quote = bytes[next++];
        while (bytes[next] != quote) next++;
        next++;
        if (!chars_are_among(bytes + name, name_end - name, left_out)) buf_put(out, bytes + at, next - at);
    }
}

/* Puts the formatting element. One without attributes and contents is the same as none. */
static void put_formatting(Buf *out, const XmlTree *tree, size_t node)
{
    static const char *const left_out[] = { "lang", "noProof", NULL };
    const XmlNode *n = &tree->nodes[node];
    const size_t start = out->len, name_length = xml_tree_name(tree, node).end - n->begin;
    size_t at = n->end, tag_length;

    put_tag_without_notes(out, tree->bytes, n->begin, n->end);
    tag_length = out->len - start;
    for (size_t i = node + 1; i < n->next; i = tree->nodes[i].next) {
        if (!xml_tree_is_listed(tree, i, left_out)) continue;
        buf_put(out, tree->bytes + at, tree->nodes[i].begin - at);
        at = xml_tree_end(tree, i);
    }
    if (n->close_begin > at) buf_put(out, tree->bytes + at, n->close_begin - at);
    if (tag_length <= name_length + 3 && out->len - start == tag_length)
        out->len = start;
    else
        buf_put(out, tree->bytes + n->close_begin, n->close_end - n->close_begin);
}

static bool is_value(const XmlTree *tree, Range value, const char *const *values)
{
    return chars_are_among(tree->bytes + value.begin, value.end - value.begin, values);
}

/* Whether a child of rPr turns something on: <w:u w:val="single"/>, <w:strike/>, <w:shd w:fill="FFFF00"/>. */
static bool is_on(const XmlTree *tree, size_t node)
{
    static const char *const off[] = { "none", "false", "0", "off", "nil", "auto", "FFFFFF", NULL };
    Range value;

    if (!ooxml_attribute(tree, node, "fill", &value) && !ooxml_attribute(tree, node, "val", &value)) return true;
    return !is_value(tree, value, off);
}

/* Whether formatting is visible on spaces alone. DrawingML has links in it, and lines as attributes. */
static bool is_visible(const XmlTree *tree, size_t properties)
{
    static const char *const names[] = { "u",   "strike",     "dstrike",        "highlight", "bdr",
                                         "shd", "hlinkClick", "hlinkMouseOver", NULL };
    static const char *const off[] = { "none", "noStrike", NULL };
    Range value;

    if (xml_tree_attribute(tree, properties, "u", &value) && !is_value(tree, value, off)) return true;
    if (xml_tree_attribute(tree, properties, "strike", &value) && !is_value(tree, value, off)) return true;
    for (size_t i = properties + 1; i < tree->nodes[properties].next; i = tree->nodes[i].next)
        if (xml_tree_is_listed(tree, i, names) && is_on(tree, i)) return true;
    return false;
}

/* Finds the format of a run, or adds it. */
static Status find_format(OoxmlFormats *f, const XmlTree *tree, size_t run, size_t *format, Err *err)
{
    const size_t node = xml_tree_child(tree, run, "rPr"), at = f->bytes.len;
    Status st = buf_grow_list(&f->items, &f->capacity, f->count, 1, sizeof *f->items, "a paragraph", err);

    buf_put(&f->bytes, "", 0);
    if (node != XML_NO_NODE) put_formatting(&f->bytes, tree, node);
    if (st == OK) st = buf_check(&f->bytes, err);
    if (st != OK) return st;
    *format = f->count > COMPARED_FORMATS ? f->count - COMPARED_FORMATS : 0;
    for (; *format < f->count; ++*format) {
        const OoxmlFormat *known = &f->items[*format];
        if (known->length == f->bytes.len - at &&
            memcmp(f->bytes.data + known->at, f->bytes.data + at, known->length) == 0) {
            f->bytes.len = at;
            return OK;
        }
    }
    f->items[f->count++] = (OoxmlFormat){ .at = at,
                                          .length = f->bytes.len - at,
                                          .is_visible = node != XML_NO_NODE && is_visible(tree, node) };
    return OK;
}

/* Whether a text has a letter. References are none: most are spaces and signs. */
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

/* Returns the format with the most text, the first one of equals; NO_FORMAT if there is none. What no format claims in
 * the translation, such as spaces, gets this one. So a format that is visible in spaces is returned only if no other
 * one has a letter. */
static size_t main_format(const OoxmlFormats *f)
{
    size_t best = f->count ? 0 : NO_FORMAT;

    for (size_t i = 1; i < f->count; i++) {
        const OoxmlFormat *item = &f->items[i], *other = &f->items[best];
        if (is_quiet(item) != is_quiet(other) ? is_quiet(item) : item->text > other->text) best = i;
    }
    return best;
}

/* --- Paragraphs in the form that ooxml.h describes ------------------------------------ */

/* A child of a run or of an element around runs. */
typedef struct {
    OoxmlKind kind;
    bool in_run;
    size_t node;
    size_t format; /* in_run: of its run */
    size_t next;   /* the format of the next text in the same element, or NO_FORMAT */
    size_t more;   /* items after it that are written together with it: the code of a field */
} Item;

typedef struct {
    const XmlTree *tree;
    Buf *out;
    Err *err;
    Status status; /* the first failure other than missing memory for *out */
    size_t depth;  /* of the paragraphs in each other */
} Joiner;

/* The contents of a paragraph or of an element around runs. */
typedef struct {
    Joiner *joiner;
    size_t levels; /* the paragraph and the elements around runs that this is in, with itself */
    Item *items;   /* [count] */
    size_t count, capacity;
    OoxmlFormats formats;
    size_t base;     /* main_format() */
    Range prefix;    /* of runs and texts */
    bool is_drawing; /* a:r: all white space counts, without xml:space */
    size_t format;   /* of the run that is open */
} Flow;

static void put_range(Joiner *j, size_t begin, size_t end)
{
    buf_put(j->out, j->tree->bytes + begin, end - begin);
}

static void add_item(Flow *f, Item item)
{
    Joiner *j = f->joiner;

    if (j->status == OK)
        j->status = buf_grow_list(&f->items, &f->capacity, f->count, 1, sizeof *f->items, "a paragraph", j->err);
    if (j->status == OK) f->items[f->count++] = item;
}

static void add_run(Flow *f, size_t run)
{
    const XmlTree *tree = f->joiner->tree;
    size_t format = NO_FORMAT;

    if (f->joiner->status == OK) f->joiner->status = find_format(&f->formats, tree, run, &format, f->joiner->err);
    if (f->joiner->status != OK) return;
    for (size_t i = run + 1; i < tree->nodes[run].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = tree->nodes[i].kind == NODE_ELEMENT ? ooxml_kind(tree, i) : OOXML_DROPPED;
        if (kind == OOXML_DROPPED || kind == OOXML_PROPERTIES) continue;
        add_item(f, (Item){ kind == OOXML_TEXT || kind == OOXML_BREAK ? kind : OOXML_OTHER, true, i, format, 0, 0 });
        if (kind == OOXML_TEXT) {
            OoxmlFormat *of = &f->formats.items[format];
            const char *text = tree->bytes + tree->nodes[i].end;
            const size_t length = tree->nodes[i].close_begin - tree->nodes[i].end;
            of->text += length;
            of->has_letter = of->has_letter || has_letter(text, length);
        }
    }
}

/* The code of a field, from its beginning to its separator or end, stays together. If that is not in this paragraph,
 * texts are not part of it. */
static void join_field_codes(Flow *f)
{
    const XmlTree *tree = f->joiner->tree;

    for (size_t i = 0; i < f->count; i++) {
        size_t end = i + 1;
        if (!f->items[i].in_run || ooxml_field(tree, f->items[i].node) != FIELD_BEGIN) continue;
        while (end < f->count && f->items[end].kind == OOXML_OTHER) {
            const size_t node = f->items[end++].node;
            const OoxmlField field = ooxml_field(tree, node);
            if (!tree->nodes[node].is_skipped && (field == FIELD_SEPARATE || field == FIELD_END)) break;
        }
        f->items[i].more = end - i - 1;
        i = end - 1;
    }
}

static void gather(Flow *f, size_t contents)
{
    const XmlTree *tree = f->joiner->tree;
    size_t next = NO_FORMAT;

    f->prefix = ooxml_prefix(tree, contents);
    for (size_t i = contents + 1; i < tree->nodes[contents].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = ooxml_kind(tree, i);
        const size_t around = kind == OOXML_AROUND ? ooxml_contents(tree, i) : XML_NO_NODE;
        if (tree->nodes[i].kind != NODE_ELEMENT || kind == OOXML_DROPPED) continue;
        if (kind == OOXML_RUN)
            add_run(f, i);
        else if (around != XML_NO_NODE && ooxml_has_text(tree, around, OOXML_LEVELS - f->levels))
            add_item(f, (Item){ OOXML_AROUND, false, i, NO_FORMAT, 0, 0 });
        else
            add_item(f, (Item){ kind == OOXML_BREAK ? kind : OOXML_OTHER, false, i, NO_FORMAT, 0, 0 });
    }
    f->is_drawing = f->prefix.end - f->prefix.begin == 2 && tree->bytes[f->prefix.begin] == 'a';
    f->base = main_format(&f->formats);
    for (size_t i = f->count; i-- > 0;) {
        if (f->items[i].kind == OOXML_AROUND) next = NO_FORMAT;
        if (f->items[i].kind == OOXML_TEXT) next = f->items[i].format;
        f->items[i].next = next;
    }
    join_field_codes(f);
}

/* A tag of a run or a text: "<", the prefix, and the rest. */
static void put_tag(Flow *f, const char *begin, const char *rest)
{
    buf_put_text(f->joiner->out, begin);
    put_range(f->joiner, f->prefix.begin, f->prefix.end);
    buf_put_text(f->joiner->out, rest);
}

static void put_run_open(Flow *f, size_t format)
{
    const OoxmlFormat *of = format == NO_FORMAT ? NULL : &f->formats.items[format];

    put_tag(f, "<", "r>");
    if (of) buf_put(f->joiner->out, f->formats.bytes.data + of->at, of->length);
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

/* From one format to another one it goes over the base. */
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

/* Copies an element, with the paragraphs in it in their form. */
static void write_element(Joiner *j, size_t node)
{
    const XmlTree *tree = j->tree;
    size_t at = tree->nodes[node].begin;

    for (size_t i = node + 1; i < tree->nodes[node].next;) {
        if (!xml_tree_is(tree, i, "p")) {
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

/* Before the first text, after the last one, or between two runs. */
static void write_outside(Flow *f, const Item *item)
{
    if (item->in_run) put_run_open(f, item->format);
    write_element(f->joiner, item->node);
    if (item->in_run) put_tag(f, "</", "r>");
}

/* Something in a run that is no text. */
static void write_in_run(Flow *f, const Item *item)
{
    const bool ends_field = ooxml_field(f->joiner->tree, item->node) == FIELD_END;

    if (item->format != f->format || ends_field) switch_to(f, f->base);
    if (item->format != f->format) {
        close_run(f);
        write_outside(f, item);
        open_run(f, f->base);
        return;
    }
    put_tag(f, "</", "t>");
    write_element(f->joiner, item->node);
    put_text_open(f);
}

static void write_item(Flow *f, const Item *item)
{
    Joiner *j = f->joiner;
    const XmlTree *tree = j->tree;
    const XmlNode *node = &tree->nodes[item->node];

    if (item->more) { /* the code of a field */
        switch_to(f, f->base);
        close_run(f);
        for (size_t i = 0; i <= item->more; i++) write_outside(f, &item[i]);
        open_run(f, f->format);
    } else if (item->kind == OOXML_TEXT) {
        const bool is_preserved = f->is_drawing || node->is_preserved;
        size_t begin = node->end, end = node->close_begin;
        while (!is_preserved && begin < end && char_is_space(tree->bytes[begin])) begin++;
        while (!is_preserved && begin < end && char_is_space(tree->bytes[end - 1])) end--;
        switch_to(f, item->format);
        put_range(j, begin, end);
    } else if (item->kind == OOXML_AROUND) {
        const size_t contents = ooxml_contents(tree, item->node);
        switch_to(f, f->base);
        close_run(f);
        put_range(j, node->begin, tree->nodes[contents].end);
        write_flow(j, contents, f->levels + 1);
        put_range(j, tree->nodes[contents].close_begin, xml_tree_end(tree, item->node));
        open_run(f, f->base);
    } else if (item->in_run) {
        write_in_run(f, item);
    } else { /* formatting goes on after it, unless it begins or ends a range: these must not overlap */
        OoxmlRange range;
        if (item->next != f->format || ooxml_range(tree, item->node, &range)) switch_to(f, f->base);
        close_run(f);
        write_element(j, item->node);
        open_run(f, f->format);
    }
}

static bool has_text(const Item *item)
{
    return item->kind == OOXML_TEXT || item->kind == OOXML_AROUND;
}

/* Writes what is in an element that has text. */
static void write_flow(Joiner *j, size_t contents, size_t levels)
{
    Flow f = { .joiner = j, .levels = levels };
    size_t first = 0, end;

    gather(&f, contents);
    end = f.count;
    while (first < f.count && !has_text(&f.items[first])) first++;
    while (end > first && !has_text(&f.items[end - 1])) end--;
    for (size_t i = 0; i < first && j->status == OK; i++) write_outside(&f, &f.items[i]);
    open_run(&f, f.base);
    for (size_t i = first; i < end && j->status == OK; i += 1 + f.items[i].more) write_item(&f, &f.items[i]);
    switch_to(&f, f.base);
    close_run(&f);
    for (size_t i = end; i < f.count && j->status == OK; i++) write_outside(&f, &f.items[i]);
    buf_free(&f.formats.bytes);
    free(f.formats.items);
    free(f.items);
}

static void write_paragraph(Joiner *j, size_t paragraph)
{
    const XmlNode *node = &j->tree->nodes[paragraph];

    if (j->depth == OOXML_DEPTH) {
        put_range(j, node->begin, xml_tree_end(j->tree, paragraph));
        return;
    }
    j->depth++;
    if (!ooxml_has_text(j->tree, paragraph, OOXML_LEVELS)) {
        write_element(j, paragraph);
    } else {
        put_range(j, node->begin, node->end);
        write_flow(j, paragraph, 1);
        put_range(j, node->close_begin, node->close_end);
    }
    j->depth--;
}

Status ooxml_join_runs(const PackageBytes *part, Buf *out, Err *err)
{
    XmlTree tree;
    Status st = xml_source_read(&tree, part, err);
    Joiner j = { .tree = &tree, .out = out, .err = err };

    if (st != OK) return st;
    ooxml_mark_codes(&tree);
    put_range(&j, 0, tree.nodes[0].begin);
    if (xml_tree_is(&tree, 0, "p"))
        write_paragraph(&j, 0);
    else
        write_element(&j, 0);
    put_range(&j, xml_tree_end(&tree, 0), part->size);
    xml_source_free(&tree);
    st = buf_check(out, err);
    return j.status == OK ? st : j.status;
}

/* --- After the translation ------------------------------------------------------------ */

static bool is_empty_text(const XmlTree *tree, size_t node)
{
    return ooxml_kind(tree, node) == OOXML_TEXT && tree->nodes[node].end == tree->nodes[node].close_begin;
}

/* Whether a run has nothing but formatting and empty texts, at least one. */
static bool is_empty_run(const XmlTree *tree, size_t run)
{
    bool is_empty = false;

    for (size_t i = run + 1; i < tree->nodes[run].next; i = tree->nodes[i].next) {
        if (tree->nodes[i].kind != NODE_ELEMENT || xml_tree_is(tree, i, "rPr")) continue;
        if (!is_empty_text(tree, i)) return false;
        is_empty = true;
    }
    return is_empty;
}

/* Whether a run is in a paragraph or in an element around runs; runs of formulas are elsewhere. */
static bool is_in_flow(const XmlTree *tree, size_t run)
{
    const size_t parent = tree->nodes[run].parent;

    return ooxml_kind(tree, run) == OOXML_RUN &&
           (xml_tree_is(tree, parent, "p") || xml_tree_is(tree, parent, "sdtContent") ||
            ooxml_kind(tree, parent) == OOXML_AROUND);
}

/* Empty texts belong to runs; elements with the same name elsewhere stay. */
static bool is_dropped(const XmlTree *tree, size_t node)
{
    const size_t parent = tree->nodes[node].parent;

    if (tree->nodes[node].kind != NODE_ELEMENT || parent == XML_NO_NODE) return false;
    if (is_empty_text(tree, node)) return is_in_flow(tree, parent);
    return is_in_flow(tree, node) && is_empty_run(tree, node);
}

Status ooxml_drop_empty_runs(const PackageBytes *part, Buf *out, Err *err)
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
    xml_source_free(&tree);
    return buf_check(out, err);
}
