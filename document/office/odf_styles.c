/* odf_styles.c - see odf_styles.h. */
#include "odf_styles.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "odf_paragraph.h"
#include "part_parser.h"
#include "str_map.h"
#include "xml_tree.h"

/* How an automatic style looks: its parent and its properties, without languages and numbers of editing sessions. */
typedef struct {
    size_t at, length; /* in Styles.looks; 0: nothing */
} Look;

typedef struct {
    StrMap *names; /* index in `looks_of` */
    Look *looks_of;
    size_t count, capacity;
    Buf looks;
} Styles;

/* The bytes [begin, end) of the part are left out. */
typedef struct {
    Range *items;
    size_t count, capacity;
} Cuts;

static bool is_left_out(const char *name, size_t length)
{
    static const char *const names[] = { "style:name",
                                         "style:family",
                                         "officeooo:rsid",
                                         "officeooo:paragraph-rsid",
                                         "fo:language",
                                         "fo:country",
                                         "style:language-asian",
                                         "style:country-asian",
                                         "style:language-complex",
                                         "style:country-complex",
                                         "style:rfc-language-tag" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
    return false;
}

/* Appends the attributes of an element that change how it looks. expat has checked them. */
static Status append_look(Buf *out, const XmlTree *tree, size_t node, Err *err)
{
    const char *bytes = tree->bytes;
    size_t at = xml_tree_name(tree, node).end;
    Status st = OK;

    while (st == OK) {
        size_t begin, name_end;
        char quote;
        while (char_is_space(bytes[at])) at++;
        if (bytes[at] == '>' || bytes[at] == '/') break;
        begin = at;
        while (!char_is_space(bytes[at]) && bytes[at] != '=') at++;
        name_end = at;
        while (bytes[at] != '"' && bytes[at] != '\'') at++;
        quote = bytes[at++];
        while (bytes[at] != quote) at++;
        at++;
        if (is_left_out(bytes + begin, name_end - begin)) continue;
        st = buf_append(out, bytes + begin, at - begin, err);
        if (st == OK) st = buf_append(out, " ", 1, err);
    }
    return st;
}

/* Adds an automatic style. Elements in its properties are taken as they are. */
static Status add_style(Styles *styles, const XmlTree *tree, size_t node, Range name, Err *err)
{
    const size_t at = styles->looks.len;
    bool added;
    Status st = buf_grow_list(&styles->looks_of, &styles->capacity, styles->count, 1, sizeof *styles->looks_of,
                              "the styles of a document", err);

    if (st == OK) st = append_look(&styles->looks, tree, node, err);
    for (size_t i = node + 1; st == OK && i < tree->nodes[node].next; i++) {
        if (tree->nodes[i].kind != NODE_ELEMENT) continue;
        if (tree->nodes[i].parent != node)
            st = buf_append(&styles->looks, tree->bytes + tree->nodes[i].begin,
                            tree->nodes[i].end - tree->nodes[i].begin, err);
        else
            st = append_look(&styles->looks, tree, i, err);
    }
    if (st == OK)
        st = str_map_add(styles->names, tree->bytes + name.begin, name.end - name.begin, (int32_t)styles->count, &added,
                         err);
    if (st == OK && added) styles->looks_of[styles->count++] = (Look){ at, styles->looks.len - at };
    return st;
}

/* Whether a node is an automatic style of text. */
static bool is_style(const XmlTree *tree, size_t node, Range *name)
{
    return tree->nodes[node].kind == NODE_ELEMENT && xml_tree_is(tree, node, "style") &&
           xml_tree_is(tree, tree->nodes[node].parent, "automatic-styles") &&
           xml_tree_attribute_is(tree, node, "style:family", "text") &&
           xml_tree_attribute(tree, node, "style:name", name);
}

/* Styles are not inside each other; what is in one belongs to its look. */
static Status read_styles(Styles *styles, const XmlTree *tree, Err *err)
{
    Status st = str_map_new(&styles->names, err);

    for (size_t i = 1; st == OK && i < tree->count;) {
        Range name;
        const bool has_style = is_style(tree, i, &name);
        if (has_style) st = add_style(styles, tree, i, name, err);
        i = has_style ? tree->nodes[i].next : i + 1;
    }
    return st;
}

/* Whether a span has no other attribute than the name of its style, which is `name`. */
static bool find_style(const XmlTree *tree, size_t node, Range *name)
{
    static const char attribute[] = " text:style-name=\"";
    const size_t begin = xml_tree_name(tree, node).end, end = tree->nodes[node].end;
    const size_t length = sizeof attribute - 1;

    if (end - begin < length + 2 || memcmp(tree->bytes + begin, attribute, length) != 0) return false;
    name->begin = begin + length;
    name->end = end - 2;
    return memcmp(tree->bytes + name->end, "\">", 2) == 0 &&
           !memchr(tree->bytes + name->begin, '"', name->end - name->begin);
}

/* The look of a span, or NULL if it is not known. */
static const Look *look_of(const Styles *styles, const XmlTree *tree, size_t node)
{
    Range name;
    int32_t index = -1;

    if (!xml_tree_is(tree, node, "text:span") || tree->nodes[node].close_begin <= tree->nodes[node].end) return NULL;
    if (find_style(tree, node, &name))
        index = str_map_get(styles->names, tree->bytes + name.begin, name.end - name.begin, -1);
    return index < 0 ? NULL : &styles->looks_of[index];
}

static Status cut(Cuts *cuts, size_t begin, size_t end, Err *err)
{
    Status st = buf_grow_list(&cuts->items, &cuts->capacity, cuts->count, 1, sizeof *cuts->items, "a document", err);

    if (st == OK) cuts->items[cuts->count++] = (Range){ begin, end };
    return st;
}

/* Cuts the tags of a span without a look, or those between it and the next one with the same look. */
static Status cut_tags(Cuts *cuts, const Styles *styles, const XmlTree *tree, size_t node, Err *err)
{
    const XmlNode *n = &tree->nodes[node], *next;
    const Look *look = look_of(styles, tree, node), *other;
    Status st;

    if (!look) return OK;
    if (!look->length) {
        st = cut(cuts, n->begin, n->end, err);
        return st == OK ? cut(cuts, n->close_begin, n->close_end, err) : st;
    }
    if (n->next >= tree->count) return OK;
    next = &tree->nodes[n->next];
    other = next->kind == NODE_ELEMENT && next->begin == n->close_end ? look_of(styles, tree, n->next) : NULL;
    if (!other || other->length != look->length ||
        memcmp(styles->looks.data + other->at, styles->looks.data + look->at, look->length) != 0)
        return OK;
    st = cut(cuts, n->close_begin, n->close_end, err);
    return st == OK ? cut(cuts, next->begin, next->end, err) : st;
}

static int compare_cuts(const void *a, const void *b)
{
    const Range *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static Status append_rest(const PackageBytes *part, const Cuts *cuts, Buf *out, Err *err)
{
    size_t at = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < cuts->count; i++) {
        st = buf_append(out, part->bytes + at, cuts->items[i].begin - at, err);
        at = cuts->items[i].end;
    }
    return st == OK ? buf_append(out, part->bytes + at, part->size - at, err) : st;
}

Status odf_join_spans(const PackageBytes *part, Buf *out, Err *err)
{
    Styles styles = { .names = NULL };
    Cuts cuts = { .items = NULL };
    XmlTree tree;
    Status st = xml_source_read(&tree, part, err);

    if (st != OK) return st;
    st = read_styles(&styles, &tree, err);
    for (size_t i = 1; st == OK && i < tree.count; i++)
        if (tree.nodes[i].kind == NODE_ELEMENT) st = cut_tags(&cuts, &styles, &tree, i, err);
    if (st == OK && cuts.count) qsort(cuts.items, cuts.count, sizeof *cuts.items, compare_cuts);
    if (st == OK) st = append_rest(part, &cuts, out, err);
    xml_source_free(&tree);
    str_map_free(styles.names);
    free(styles.looks_of);
    buf_free(&styles.looks);
    free(cuts.items);
    return st;
}
