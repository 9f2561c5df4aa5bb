/* xml_pairs.c - see xml_pairs.h. */
#include "xml_pairs.h"

#include <string.h>

static void append_bytes(const XmlTree *tree, Buf *out, const char *bytes, size_t length)
{
    Err err;

    /* With the NUL, which is not counted. */
    if (buf_append(out, bytes, length, &err) != OK || buf_append(out, "", 1, &err) != OK)
        document_builder_fail_memory(tree->builder);
    else
        out->len--;
}

void xml_pairs_append(const XmlTree *tree, Buf *out, Range range)
{
    append_bytes(tree, out, tree->bytes + range.begin, range.end - range.begin);
}

void xml_pairs_append_text(const XmlTree *tree, Buf *out, const char *text)
{
    append_bytes(tree, out, text, strlen(text));
}

void xml_pairs_append_name(const XmlTree *tree, Buf *out, size_t element, const char *open, const char *name)
{
    Range prefix = xml_tree_name(tree, element);

    while (prefix.end > prefix.begin && tree->bytes[prefix.end - 1] != ':') prefix.end--;
    xml_pairs_append_text(tree, out, open);
    xml_pairs_append(tree, out, prefix);
    xml_pairs_append_text(tree, out, name);
}

/* Appends NAME="VALUE" with a space before it. */
static void append_attribute(const XmlTree *tree, Buf *out, const char *name, const char *value)
{
    xml_pairs_append_text(tree, out, " ");
    xml_pairs_append_text(tree, out, name);
    xml_pairs_append_text(tree, out, "=\"");
    xml_pairs_append_text(tree, out, value);
    xml_pairs_append_text(tree, out, "\"");
}

static bool is_space_at(const XmlTree *tree, size_t at)
{
    return xml_tree_is_space(tree, at, at + 1);
}

/* The bytes of an attribute with this value, and the white space before it. */
static Range whole_attribute(const XmlTree *tree, Range value)
{
    size_t at = value.begin;

    while (tree->bytes[at] != '=') at--;
    while (is_space_at(tree, at - 1)) at--;
    while (!is_space_at(tree, at - 1)) at--;
    while (is_space_at(tree, at - 1)) at--;
    return (Range){ at, value.end + 1 };
}

/* Finds what is replaced to set the attribute, and appends the new bytes. Returns false if nothing changes. */
static bool set_attribute(const XmlTree *tree, size_t element, const XmlMark *mark, Buf *out, Range *place)
{
    const bool is_there = mark->name && xml_tree_attribute(tree, element, mark->name, place);

    if (!is_there && (!mark->name || !mark->value || mark->is_there_only)) return false;
    if (is_there && mark->is_language && document_builder_is_language(tree->builder, place->begin, place->end))
        return false;
    if (!mark->value) {
        xml_pairs_append_text(tree, out, "");
        *place = whole_attribute(tree, *place);
    } else if (is_there) {
        xml_pairs_append_text(tree, out, mark->value);
    } else {
        append_attribute(tree, out, mark->name, mark->value);
        place->begin = place->end = xml_tree_name(tree, element).end;
    }
    return true;
}

void xml_pairs_mark(const XmlTree *tree, size_t unit, size_t element, const XmlMark *mark)
{
    Buf text = { 0 };
    Range place;

    if (set_attribute(tree, element, mark, &text, &place) && !document_builder_failed(tree->builder))
        document_builder_mark(tree->builder, unit, place.begin, place.end, text.data);
    buf_free(&text);
}

void xml_pairs_names(const XmlTree *tree, size_t element, const char *attribute, LanguageSide side)
{
    Range name;

    if (xml_tree_attribute(tree, element, attribute, &name))
        document_builder_names(tree->builder, side, name.begin, name.end);
}

const char *xml_pairs_language(const XmlTree *tree)
{
    return document_builder_input(tree->builder).options->language;
}

void xml_pairs_label(const XmlTree *tree, size_t element, const char *attribute, const char *language)
{
    const XmlMark mark = { .name = attribute, .value = language, .is_language = true };
    Buf text = { 0 };
    Range place;

    if (!language) return;
    if (set_attribute(tree, element, &mark, &text, &place) && !document_builder_failed(tree->builder))
        document_builder_label(tree->builder, place.begin, place.end, text.data);
    buf_free(&text);
}

Range xml_pairs_indent(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const XmlNode *before = element ? node - 1 : NULL;

    if (before && before->kind == NODE_TEXT && before->end == node->begin && before->parent == node->parent &&
        xml_tree_is_space(tree, before->begin, before->end))
        return (Range){ before->begin, before->end };
    return (Range){ node->begin, node->begin };
}

/* Finds the mark that changes the first bytes from *at on, and appends what is before it and its text. Returns false if
 * there is none. */
static bool append_next_mark(const XmlTree *tree, size_t element, const XmlMark *marks, bool *is_used, size_t *at,
                             Buf *out)
{
    size_t best = XML_MARKS;
    Range first = { 0, 0 }, place;
    Buf text = { 0 };

    for (size_t i = 0; i < XML_MARKS; i++) {
        if (is_used[i] || !set_attribute(tree, element, &marks[i], &text, &place)) continue;
        if (best < XML_MARKS && place.begin >= first.begin) continue;
        best = i;
        first = place;
    }
    buf_clear(&text);
    if (best < XML_MARKS && set_attribute(tree, element, &marks[best], &text, &place)) {
        is_used[best] = true;
        xml_pairs_append(tree, out, (Range){ *at, place.begin });
        append_bytes(tree, out, text.data ? text.data : "", text.len);
        *at = place.end;
    }
    buf_free(&text);
    return best < XML_MARKS;
}

/* Appends the start tag for <target/>, with its marks. */
static void append_start(const XmlTree *tree, size_t element, const XmlMark *marks, Buf *out)
{
    const XmlNode *node = &tree->nodes[element];
    size_t at = node->begin, end = node->end - 2; /* "/>" */
    bool is_used[XML_MARKS] = { false };

    while (xml_tree_is_space(tree, end - 1, end)) end--;
    while (append_next_mark(tree, element, marks, is_used, &at, out)) continue;
    xml_pairs_append(tree, out, (Range){ at, end });
    xml_pairs_append_text(tree, out, ">");
}

/* A translation that takes the place of the text `own`, which ends at `end`. */
typedef struct {
    size_t source, own, end;
    const char *before, *after; /* NULL: nothing */
    bool is_done;
} PairUnit;

/* Adds a unit for each form. Those after the first have empty places. */
static size_t add_unit(const XmlTree *tree, const XmlPair *pair, const PairUnit *unit)
{
    const size_t last = pair->forms ? pair->forms - 1 : 0;
    size_t first = 0;

    for (size_t i = 0; i <= last && !document_builder_failed(tree->builder); i++) {
        UnitPlan plan = { .source = unit->source, .own = unit->own, .is_done = unit->is_done };
        Buf before = { 0 }, after = { 0 };
        size_t number;
        if (i) xml_text_nothing(tree, unit->end, unit->end, &plan.own);
        xml_pairs_append_text(tree, &before, !i && unit->before ? unit->before : "");
        xml_pairs_append_text(tree, &before, pair->form_open ? pair->form_open : "");
        xml_pairs_append_text(tree, &after, pair->form_close ? pair->form_close : "");
        xml_pairs_append_text(tree, &after, i == last && unit->after ? unit->after : "");
        plan.before = before.data;
        plan.after = after.data;
        number = document_builder_failed(tree->builder) ? 0 : document_builder_add_unit(tree->builder, &plan);
        if (!i) first = number;
        buf_free(&before);
        buf_free(&after);
    }
    return first;
}

/* The target is an empty tag. */
static size_t fill_target(const XmlTree *tree, const XmlPair *pair, size_t source)
{
    const XmlNode *node = &tree->nodes[pair->target];
    Buf before = { 0 }, after = { 0 };
    size_t own, unit;

    append_start(tree, pair->target, pair->marks, &before);
    if (pair->before) xml_pairs_append_text(tree, &before, pair->before);
    if (pair->after) xml_pairs_append_text(tree, &after, pair->after);
    xml_pairs_append_text(tree, &after, "</");
    xml_pairs_append(tree, &after, xml_tree_name(tree, pair->target));
    xml_pairs_append_text(tree, &after, ">");
    xml_text_nothing(tree, node->begin, node->end, &own);
    unit = add_unit(tree, pair, &(PairUnit){ source, own, node->end, before.data, after.data, false });
    buf_free(&before);
    buf_free(&after);
    return unit;
}

static size_t replace_target(const XmlTree *tree, const XmlPair *pair, size_t source)
{
    size_t own, unit;

    xml_text_contents(tree, pair->target, pair->rules, true, &own);
    unit = add_unit(
        tree, pair,
        &(PairUnit){ source, own, tree->nodes[pair->target].close_begin, pair->before, pair->after, pair->is_done });
    for (size_t i = 0; i < XML_MARKS; i++) xml_pairs_mark(tree, unit, pair->target, &pair->marks[i]);
    return unit;
}

size_t xml_pairs_add(const XmlTree *tree, const XmlPair *pair)
{
    size_t source, own;

    xml_text_contents(tree, pair->source, pair->rules, false, &source);
    if (pair->target == XML_NO_NODE) {
        xml_text_nothing(tree, pair->insert_at, pair->insert_at, &own);
        return add_unit(tree, pair, &(PairUnit){ source, own, pair->insert_at, pair->before, pair->after, false });
    }
    if (tree->nodes[pair->target].close_begin == tree->nodes[pair->target].close_end)
        return fill_target(tree, pair, source);
    return replace_target(tree, pair, source);
}
