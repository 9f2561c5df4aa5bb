/* ooxml_join.c - writes paragraphs in the form that ooxml.h describes. */
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "ooxml.h"
#include "ooxml_formats.h"
#include "part_parser.h"
#include "xml_tree.h"

/* A child of a run or of an element around runs. */
typedef struct {
    OoxmlKind kind;
    bool in_run;
    size_t node;
    size_t format; /* in_run: of its run */
    size_t next;   /* the format of the next text in the same element, or NO_FORMAT */
    size_t more;   /* items after it that are written together with it: the code of a field */
} Item;

#define NO_FORMAT ((size_t)-1)

typedef struct {
    const XmlTree *tree;
    Buf *out;
    Err *err;
    Status status; /* the first failure; after it nothing is appended */
    size_t depth;  /* of the paragraphs in each other */
} Joiner;

/* The contents of a paragraph or of an element around runs. */
typedef struct {
    Joiner *joiner;
    size_t levels; /* the paragraph and the elements around runs that this is in, with itself */
    Item *items;   /* [count] */
    size_t count, capacity;
    OoxmlFormats formats;
    size_t base;     /* ooxml_formats_main() */
    Range prefix;    /* of runs and texts */
    bool is_drawing; /* a:r: all white space counts, without xml:space */
    size_t format;   /* of the run that is open */
} Flow;

static void put(Joiner *j, const char *bytes, size_t length)
{
    if (j->status == OK) j->status = buf_append(j->out, bytes, length, j->err);
}

static void put_text(Joiner *j, const char *text)
{
    put(j, text, strlen(text));
}

static void put_range(Joiner *j, size_t begin, size_t end)
{
    put(j, j->tree->bytes + begin, end - begin);
}

/* --- The items of a flow. */

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

    if (f->joiner->status == OK)
        f->joiner->status = ooxml_formats_find(&f->formats, tree, run, &format, f->joiner->err);
    if (f->joiner->status != OK) return;
    for (size_t i = run + 1; i < tree->nodes[run].next; i = tree->nodes[i].next) {
        const OoxmlKind kind = tree->nodes[i].kind == NODE_ELEMENT ? ooxml_kind(tree, i) : OOXML_DROPPED;
        if (kind == OOXML_DROPPED || kind == OOXML_PROPERTIES) continue;
        add_item(f, (Item){ kind == OOXML_TEXT || kind == OOXML_BREAK ? kind : OOXML_OTHER, true, i, format, 0, 0 });
        if (kind == OOXML_TEXT)
            ooxml_formats_add_text(&f->formats, format, tree->bytes + tree->nodes[i].end,
                                   tree->nodes[i].close_begin - tree->nodes[i].end);
    }
}

static void add_child(Flow *f, size_t node)
{
    const XmlTree *tree = f->joiner->tree;
    const OoxmlKind kind = ooxml_kind(tree, node);

    if (kind == OOXML_RUN) {
        add_run(f, node);
    } else if (kind == OOXML_AROUND && ooxml_contents(tree, node) != XML_NO_NODE &&
               ooxml_has_text(tree, ooxml_contents(tree, node), OOXML_LEVELS - f->levels)) {
        add_item(f, (Item){ OOXML_AROUND, false, node, NO_FORMAT, 0, 0 });
    } else if (kind != OOXML_DROPPED) {
        add_item(f, (Item){ kind == OOXML_BREAK ? kind : OOXML_OTHER, false, node, NO_FORMAT, 0, 0 });
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
    for (size_t i = contents + 1; i < tree->nodes[contents].next; i = tree->nodes[i].next)
        if (tree->nodes[i].kind == NODE_ELEMENT) add_child(f, i);
    f->is_drawing = f->prefix.end - f->prefix.begin == 2 && tree->bytes[f->prefix.begin] == 'a';
    f->base = ooxml_formats_main(&f->formats);
    for (size_t i = f->count; i-- > 0;) {
        if (f->items[i].kind == OOXML_AROUND) next = NO_FORMAT;
        if (f->items[i].kind == OOXML_TEXT) next = f->items[i].format;
        f->items[i].next = next;
    }
    join_field_codes(f);
}

/* --- Writing. */

/* A tag of a run or a text: "<", the prefix, and the rest. */
static void put_tag(Flow *f, const char *begin, const char *rest)
{
    put_text(f->joiner, begin);
    put_range(f->joiner, f->prefix.begin, f->prefix.end);
    put_text(f->joiner, rest);
}

static void put_run_open(Flow *f, size_t format)
{
    const OoxmlFormat *of = format == NO_FORMAT ? NULL : &f->formats.items[format];

    put_tag(f, "<", "r>");
    if (of) put(f->joiner, f->formats.bytes.data + of->at, of->length);
}

static void put_run_close(Flow *f)
{
    put_tag(f, "</", "r>");
}

static void put_text_open(Flow *f)
{
    put_tag(f, "<", f->is_drawing ? "t>" : "t xml:space=\"preserve\">");
}

static void put_text_close(Flow *f)
{
    put_tag(f, "</", "t>");
}

static void open_run(Flow *f, size_t format)
{
    put_run_open(f, format);
    put_text_open(f);
    f->format = format;
}

static void close_run(Flow *f)
{
    put_text_close(f);
    put_run_close(f);
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
        at = part_parser_end(tree, i);
        i = tree->nodes[i].next;
    }
    put_range(j, at, part_parser_end(tree, node));
}

static void write_item_text(Flow *f, const Item *item)
{
    const XmlNode *node = &f->joiner->tree->nodes[item->node];
    const char *bytes = f->joiner->tree->bytes;
    size_t begin = node->end, end = node->close_begin;

    while (!f->is_drawing && !node->is_preserved && begin < end && char_is_space(bytes[begin])) begin++;
    while (!f->is_drawing && !node->is_preserved && begin < end && char_is_space(bytes[end - 1])) end--;
    put_range(f->joiner, begin, end);
}

/* Something in a run that is no text. */
static void write_in_run(Flow *f, const Item *item)
{
    const bool ends_field = ooxml_field(f->joiner->tree, item->node) == FIELD_END;

    if (item->format != f->format || ends_field) switch_to(f, f->base);
    put_text_close(f);
    if (item->format == f->format) {
        write_element(f->joiner, item->node);
    } else {
        put_run_close(f);
        put_run_open(f, item->format);
        write_element(f->joiner, item->node);
        put_run_close(f);
        put_run_open(f, f->base);
    }
    put_text_open(f);
}

/* An element between runs. Formatting goes on after it, unless the element begins or ends a range: formatting and
 * ranges must not overlap. */
static void write_between_runs(Flow *f, const Item *item)
{
    OoxmlRange range;

    if (item->next != f->format || ooxml_range(f->joiner->tree, item->node, &range)) switch_to(f, f->base);
    close_run(f);
    write_element(f->joiner, item->node);
    open_run(f, f->format);
}

static void write_around(Flow *f, const Item *item)
{
    Joiner *j = f->joiner;
    const XmlTree *tree = j->tree;
    const size_t contents = ooxml_contents(tree, item->node);

    switch_to(f, f->base);
    close_run(f);
    put_range(j, tree->nodes[item->node].begin, tree->nodes[contents].end);
    write_flow(j, contents, f->levels + 1);
    put_range(j, tree->nodes[contents].close_begin, part_parser_end(tree, item->node));
    open_run(f, f->base);
}

/* Before the first text, after the last one, or between two runs. */
static void write_outside(Flow *f, const Item *item)
{
    if (item->in_run) put_run_open(f, item->format);
    write_element(f->joiner, item->node);
    if (item->in_run) put_run_close(f);
}

static void write_field_code(Flow *f, const Item *item)
{
    switch_to(f, f->base);
    close_run(f);
    for (size_t i = 0; i <= item->more; i++) write_outside(f, &item[i]);
    open_run(f, f->format);
}

static void write_item(Flow *f, const Item *item)
{
    if (item->more) {
        write_field_code(f, item);
    } else if (item->kind == OOXML_TEXT) {
        switch_to(f, item->format);
        write_item_text(f, item);
    } else if (item->kind == OOXML_AROUND) {
        write_around(f, item);
    } else if (item->in_run) {
        write_in_run(f, item);
    } else {
        write_between_runs(f, item);
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
    ooxml_formats_free(&f.formats);
    free(f.items);
}

static void write_paragraph(Joiner *j, size_t paragraph)
{
    const XmlNode *node = &j->tree->nodes[paragraph];

    if (j->depth == OOXML_DEPTH) {
        put_range(j, node->begin, part_parser_end(j->tree, paragraph));
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
    put_range(&j, part_parser_end(&tree, 0), part->size);
    xml_source_free(&tree);
    return j.status;
}

/* --- After the translation. */

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
    for (size_t i = 0; st == OK && i < tree.count;) {
        if (!is_dropped(&tree, i)) {
            i++;
            continue;
        }
        st = buf_append(out, part->bytes + at, tree.nodes[i].begin - at, err);
        at = part_parser_end(&tree, i);
        i = tree.nodes[i].next;
    }
    if (st == OK) st = buf_append(out, part->bytes + at, part->size - at, err);
    xml_source_free(&tree);
    return st;
}
