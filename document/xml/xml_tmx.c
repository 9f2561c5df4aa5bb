/* xml_tmx.c - translation memories: the variant (tuv) of the target language is added to each unit (tu), or filled. */
#include <string.h>
#include <strings.h>

#include "xml_formats.h"
#include "xml_pairs.h"

static XmlInline inline_kind(const XmlTree *tree, size_t node, Range *id)
{
    *id = (Range){ 0, 0 };
    if (xml_tree_is(tree, node, "hi")) return INLINE_SPAN;
    if (xml_tree_is(tree, node, "ph")) return INLINE_VALUE;
    if (!xml_tree_attribute(tree, node, "i", id)) return INLINE_OPAQUE;
    return xml_tree_is(tree, node, "bpt") ? INLINE_OPEN : xml_tree_is(tree, node, "ept") ? INLINE_CLOSE : INLINE_OPAQUE;
}

static const XmlTextRules rules = { .inline_kind = inline_kind };

/* Finds the language of a variant: xml:lang; lang in versions before 1.4. */
static bool find_language(const XmlTree *tree, size_t variant, Range *language)
{
    return xml_tree_attribute(tree, variant, "xml:lang", language) ||
           xml_tree_attribute(tree, variant, "lang", language);
}

static size_t primary_length(const char *language, size_t length)
{
    size_t end = 0;

    while (end < length && language[end] != '-' && language[end] != '_') end++;
    return end;
}

/* Whether two tags are the same, or (loose) have the same primary language. */
static bool matches(const char *a, size_t a_length, const char *b, size_t b_length, bool loose)
{
    if (loose) {
        a_length = primary_length(a, a_length);
        b_length = primary_length(b, b_length);
    }
    return a_length == b_length && strncasecmp(a, b, a_length) == 0;
}

/* Returns the variant of this language that is not `other`, or XML_NO_NODE. */
static size_t find_variant(const XmlTree *tree, size_t unit, const char *language, size_t length, size_t other)
{
    Range found;

    for (int loose = 0; loose < 2; loose++)
        for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
            if (i != other && xml_tree_is(tree, i, "tuv") && find_language(tree, i, &found) &&
                matches(tree->bytes + found.begin, found.end - found.begin, language, length, loose))
                return i;
    return XML_NO_NODE;
}

/* Whether the variant is in this language. */
static bool is_variant(const XmlTree *tree, size_t node, const char *language, bool loose)
{
    Range found;

    return find_language(tree, node, &found) &&
           matches(tree->bytes + found.begin, found.end - found.begin, language, strlen(language), loose);
}

/* Returns the variant in the language that the model translates; if that is not known, the first one that is not in the
 * language of the translation. XML_NO_NODE: there is none. */
static size_t find_other(const XmlTree *tree, size_t unit, const char *language)
{
    const char *source = document_builder_input(tree->builder).options->source_language;

    if (source) return find_variant(tree, unit, source, strlen(source), XML_NO_NODE);
    for (size_t i = unit + 1; i < tree->nodes[unit].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, "tuv") && !is_variant(tree, i, language, true)) return i;
    return XML_NO_NODE;
}

/* The source is the variant of the language that the unit or the header names; if they name none or "*all*", the first
 * one that is no translation. */
static size_t find_source(const XmlTree *tree, size_t unit, size_t header, const char *language)
{
    size_t found;
    Range named;

    if (!xml_tree_attribute(tree, unit, "srclang", &named) &&
        (header == XML_NO_NODE || !xml_tree_attribute(tree, header, "srclang", &named)))
        return find_other(tree, unit, language);
    if (matches(tree->bytes + named.begin, named.end - named.begin, "*all*", strlen("*all*"), false))
        return find_other(tree, unit, language);
    found = find_variant(tree, unit, tree->bytes + named.begin, named.end - named.begin, XML_NO_NODE);
    return found != XML_NO_NODE && is_variant(tree, found, language, false) ? XML_NO_NODE : found;
}

/* Appends a start tag of a variant for the language; `variant` is the source. */
static void append_variant(const XmlTree *tree, Buf *out, size_t variant, size_t segment, const char *language)
{
    Range label;

    xml_pairs_append(tree, out, xml_pairs_indent(tree, variant));
    xml_pairs_append_text(tree, out,
                          xml_tree_attribute(tree, variant, "xml:lang", &label) ? "<tuv xml:lang=\"" : "<tuv lang=\"");
    xml_pairs_append_text(tree, out, language);
    xml_pairs_append_text(tree, out, "\">");
    xml_pairs_append(tree, out, xml_pairs_indent(tree, segment));
    xml_pairs_append_text(tree, out, "<seg>");
}

static void insert_variant(const XmlTree *tree, size_t variant, XmlPair *pair, const char *language)
{
    const XmlNode *node = &tree->nodes[variant], *last = &tree->nodes[node->next - 1];
    Buf before = { 0 }, after = { 0 };

    append_variant(tree, &before, variant, pair->source, language);
    xml_pairs_append_text(tree, &after, "</seg>");
    if (last->kind == NODE_TEXT && last->end == node->close_begin && xml_tree_is_space(tree, last->begin, last->end))
        xml_pairs_append(tree, &after, (Range){ last->begin, last->end });
    xml_pairs_append_text(tree, &after, "</tuv>");
    pair->insert_at = node->close_end;
    pair->before = before.data;
    pair->after = after.data;
    (void)xml_pairs_add(tree, pair);
    buf_free(&before);
    buf_free(&after);
}

/* Returns whether the unit has a source. */
static bool report_unit(const XmlTree *tree, size_t unit, size_t header, const char *language)
{
    const size_t source = find_source(tree, unit, header, language);
    XmlPair pair = { .rules = &rules, .target = XML_NO_NODE };
    Range label;
    size_t target;

    if (source == XML_NO_NODE) return false;
    if (find_language(tree, source, &label))
        document_builder_names(tree->builder, LANGUAGE_SOURCE, label.begin, label.end);
    pair.source = xml_tree_child(tree, source, "seg");
    if (pair.source == XML_NO_NODE || !xml_text_is_filled(tree, pair.source, NULL)) return true;
    target = find_variant(tree, unit, language, strlen(language), source);
    if (target == XML_NO_NODE) {
        insert_variant(tree, source, &pair, language);
        return true;
    }
    pair.target = xml_tree_child(tree, target, "seg");
    if (pair.target == XML_NO_NODE) return true;
    pair.is_done = xml_text_is_filled(tree, pair.target, NULL);
    (void)xml_pairs_add(tree, &pair);
    return true;
}

/* Reports the language of the first variant: no unit has one that the model translates. */
static void name_other(const XmlTree *tree)
{
    Range label;

    for (size_t i = 1; i < tree->count; i++) {
        if (!xml_tree_is(tree, i, "tuv") || !find_language(tree, i, &label)) continue;
        document_builder_names(tree->builder, LANGUAGE_SOURCE, label.begin, label.end);
        return;
    }
}

void xml_report_tmx(const XmlTree *tree)
{
    const size_t header = xml_tree_child(tree, 0, "header");
    const char *language = document_builder_input(tree->builder).options->language;
    bool has_source = false;

    if (header != XML_NO_NODE) xml_pairs_names(tree, header, "srclang", LANGUAGE_SOURCE);
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) {
        const bool is_unit = xml_tree_is(tree, i, "tu");
        if (is_unit) has_source |= report_unit(tree, i, header, language ? language : "und"); /* an unknown language */
        i = is_unit ? tree->nodes[i].next : i + 1;
    }
    if (!has_source) name_other(tree);
}
