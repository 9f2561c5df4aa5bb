/* ooxml_formats.c - see ooxml_formats.h. */
#include "ooxml_formats.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

/* More formats in a paragraph are not compared with each other. */
#define COMPARED_FORMATS 64

static bool is_listed(const char *const *names, const char *name, size_t length)
{
    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
    return false;
}

/* Attributes of a:rPr. */
static bool is_left_out(const char *name, size_t length)
{
    static const char *const names[] = { "lang", "altLang", "dirty", "err", "smtClean", "noProof", "bmk", NULL };

    return is_listed(names, name, length);
}

/* Appends a start tag without some of its attributes, which expat has checked. */
static Status append_tag(Buf *out, const char *bytes, size_t at, size_t end, Err *err)
{
    Status st = OK;

    while (st == OK && at < end) {
        size_t next = at + 1, name = at;
        while (name < end && char_is_space(bytes[name])) name++;
        if (name == at || bytes[name] == '>' || bytes[name] == '/') {
            while (next < end && !char_is_space(bytes[next])) next++;
            st = buf_append(out, bytes + at, next - at, err);
        } else {
            size_t name_end = name;
            char quote;
            while (!char_is_space(bytes[name_end]) && bytes[name_end] != '=') name_end++;
            for (next = name_end; bytes[next] != '"' && bytes[next] != '\'';) next++;
            quote = bytes[next++];
            while (bytes[next] != quote) next++;
            next++;
            if (!is_left_out(bytes + name, name_end - name)) st = buf_append(out, bytes + at, next - at, err);
        }
        at = next;
    }
    return st;
}

static bool is_left_out_element(const XmlTree *tree, size_t node)
{
    return xml_tree_is(tree, node, "lang") || xml_tree_is(tree, node, "noProof");
}

/* Appends the formatting element. One without attributes and contents is the same as none. */
static Status append_formatting(Buf *out, const XmlTree *tree, size_t node, Err *err)
{
    const XmlNode *n = &tree->nodes[node];
    const size_t start = out->len, name_length = xml_tree_name(tree, node).end - n->begin;
    size_t at = n->end, tag_length;
    Status st = append_tag(out, tree->bytes, n->begin, n->end, err);

    tag_length = out->len - start;
    for (size_t i = node + 1; st == OK && i < n->next; i = tree->nodes[i].next) {
        if (!is_left_out_element(tree, i)) continue;
        st = buf_append(out, tree->bytes + at, tree->nodes[i].begin - at, err);
        at = tree->nodes[i].close_end > tree->nodes[i].end ? tree->nodes[i].close_end : tree->nodes[i].end;
    }
    if (st == OK && n->close_begin > at) st = buf_append(out, tree->bytes + at, n->close_begin - at, err);
    if (st != OK) return st;
    if (tag_length <= name_length + 3 && out->len - start == tag_length) {
        out->len = start;
        return OK;
    }
    return buf_append(out, tree->bytes + n->close_begin, n->close_end - n->close_begin, err);
}

Status ooxml_formats_find(OoxmlFormats *f, const XmlTree *tree, size_t run, size_t *format, Err *err)
{
    const size_t node = xml_tree_child(tree, run, "rPr"), at = f->bytes.len;
    const size_t first = f->count > COMPARED_FORMATS ? f->count - COMPARED_FORMATS : 0;
    Status st = buf_grow_list(&f->items, &f->capacity, f->count, 1, sizeof *f->items, "a paragraph", err);

    if (st == OK) st = buf_append(&f->bytes, "", 0, err);
    if (st == OK && node != XML_NO_NODE) st = append_formatting(&f->bytes, tree, node, err);
    if (st != OK) return st;
    for (size_t i = first; i < f->count; i++) {
        const OoxmlFormat *known = &f->items[i];
        if (known->length != f->bytes.len - at ||
            memcmp(f->bytes.data + known->at, f->bytes.data + at, known->length) != 0)
            continue;
        f->bytes.len = at;
        *format = i;
        return OK;
    }
    *format = f->count;
    f->items[f->count++] = (OoxmlFormat){ at, f->bytes.len - at, 0 };
    return OK;
}

size_t ooxml_formats_main(const OoxmlFormats *f)
{
    size_t best = f->count ? 0 : (size_t)-1;

    for (size_t i = 1; i < f->count; i++)
        if (f->items[i].text > f->items[best].text) best = i;
    return best;
}

void ooxml_formats_free(OoxmlFormats *f)
{
    buf_free(&f->bytes);
    free(f->items);
    *f = (OoxmlFormats){ 0 };
}
