/* ooxml_formats.c - see ooxml_formats.h. */
#include "ooxml_formats.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "ooxml.h"
#include "part_parser.h"
#include "utf8.h"

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

static bool is_value(const XmlTree *tree, Range value, const char *const *values)
{
    return is_listed(values, tree->bytes + value.begin, value.end - value.begin);
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
        if (part_parser_is_listed(tree, i, names) && is_on(tree, i)) return true;
    return false;
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

void ooxml_formats_add_text(OoxmlFormats *f, size_t format, const char *text, size_t length)
{
    f->items[format].text += length;
    if (!f->items[format].has_letter) f->items[format].has_letter = has_letter(text, length);
}

static bool is_quiet(const OoxmlFormat *format)
{
    return format->has_letter && !format->is_visible;
}

size_t ooxml_formats_main(const OoxmlFormats *f)
{
    size_t best = f->count ? 0 : (size_t)-1;

    for (size_t i = 1; i < f->count; i++) {
        const OoxmlFormat *item = &f->items[i], *other = &f->items[best];
        if (is_quiet(item) != is_quiet(other) ? is_quiet(item) : item->text > other->text) best = i;
    }
    return best;
}

void ooxml_formats_free(OoxmlFormats *f)
{
    buf_free(&f->bytes);
    free(f->items);
    *f = (OoxmlFormats){ 0 };
}
