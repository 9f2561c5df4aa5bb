/* xml_xliff.c - XLIFF 1.2 (trans-unit) and 2.0 (segment). Translations are marked as needing a review: in 1.2 with the
 * state "needs-review-translation"; in 2.0 with "translated", which comes before "reviewed". */
#include "xml_formats.h"
#include "xml_pairs.h"

typedef struct {
    const char *name;
    XmlInline kind;
    const char *id, *other_id; /* attributes that name the span; the first one that the element has */
} InlineCode;

static const InlineCode codes[] = {
    { "x", INLINE_OPAQUE, NULL, NULL },       { "ph", INLINE_OPAQUE, NULL, NULL }, { "it", INLINE_OPAQUE, NULL, NULL },
    { "sub", INLINE_OPAQUE, NULL, NULL },     { "cp", INLINE_OPAQUE, NULL, NULL }, { "sm", INLINE_OPAQUE, NULL, NULL },
    { "em", INLINE_OPAQUE, NULL, NULL },      { "bpt", INLINE_OPEN, "rid", "id" }, { "bx", INLINE_OPEN, "rid", "id" },
    { "ept", INLINE_CLOSE, "rid", "id" },     { "ex", INLINE_CLOSE, "rid", "id" }, { "sc", INLINE_OPEN, "id", "id" },
    { "ec", INLINE_CLOSE, "startRef", "id" },
};

static XmlInline inline_kind(const XmlTree *tree, size_t node, ByteRange *id)
{
    *id = (ByteRange){ 0, 0 };
    if (xml_tree_attribute_is(tree, node, "mtype", "protected")) return INLINE_KEPT;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!xml_tree_is(tree, node, codes[i].name)) continue;
        if (!codes[i].id || xml_tree_attribute(tree, node, codes[i].id, id) ||
            xml_tree_attribute(tree, node, codes[i].other_id, id))
            return codes[i].kind;
        return INLINE_OPAQUE;
    }
    return INLINE_SPAN;
}

static const XmlTextRules rules = { .inline_kind = inline_kind };

/* Adds a unit whose target has to be inserted after `after`, which has the same parent as the source. */
static size_t insert_target(const XmlTree *tree, XmlPair *pair, size_t after, const XmlMark *mark)
{
    Buf before = { 0 }, after_text = { 0 };
    size_t unit;

    pair->insert_at = tree->nodes[after].close_end;
    xml_pairs_append(tree, &before, xml_pairs_indent(tree, pair->source));
    xml_pairs_append_name(tree, &before, pair->source, "<", "target");
    if (mark) {
        xml_pairs_append_text(tree, &before, " state=\"");
        xml_pairs_append_text(tree, &before, mark->value);
        xml_pairs_append_text(tree, &before, "\"");
    }
    xml_pairs_append_text(tree, &before, ">");
    xml_pairs_append_name(tree, &after_text, pair->source, "</", "target");
    xml_pairs_append_text(tree, &after_text, ">");
    pair->before = before.data;
    pair->after = after_text.data;
    unit = xml_pairs_add(tree, pair);
    buf_free(&before);
    buf_free(&after_text);
    return unit;
}

/* Finds source and target directly in the element. Returns whether there is anything to translate. */
static bool find_pair(const XmlTree *tree, size_t element, XmlPair *pair)
{
    *pair = (XmlPair){ .source = xml_tree_child(tree, element, "source"),
                       .target = xml_tree_child(tree, element, "target"),
                       .rules = &rules };
    return pair->source != XML_NO_NODE && !tree->nodes[pair->source].is_protected &&
           xml_text_is_filled(tree, pair->source);
}

/* The language of a target that names one. */
static XmlMark language_mark(const XmlTree *tree)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;

    if (!options->language || options->keep_language) return (XmlMark){ NULL, NULL, true };
    return (XmlMark){ "xml:lang", options->language, true };
}

/* 1.2. If the source is segmented, the segments are translated, so that the target has their markup. */
static void report_trans_unit(const XmlTree *tree, size_t element)
{
    static const XmlMark review = { "state", "needs-review-translation", false };
    static const XmlMark unapproved = { "approved", "no", true }, no_qualifier = { "state-qualifier", NULL, true };
    const size_t segments = xml_tree_child(tree, element, "seg-source");
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (segments != XML_NO_NODE && xml_text_is_filled(tree, segments)) pair.source = segments;
    pair.marks[0] = review;
    pair.marks[1] = no_qualifier;
    pair.marks[2] = language_mark(tree);
    if (pair.target == XML_NO_NODE) {
        unit = insert_target(tree, &pair, segments == XML_NO_NODE ? pair.source : segments, &review);
    } else {
        pair.is_done = xml_text_is_filled(tree, pair.target) &&
                       !xml_tree_attribute_is(tree, pair.target, "state", "new") &&
                       !xml_tree_attribute_is(tree, pair.target, "state", "needs-translation");
        unit = xml_pairs_add(tree, &pair);
    }
    xml_pairs_mark(tree, unit, element, &unapproved);
}

/* 2.0 */
static void report_segment(const XmlTree *tree, size_t element)
{
    static const XmlMark translated = { "state", "translated", false };
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (pair.target == XML_NO_NODE) {
        unit = insert_target(tree, &pair, pair.source, NULL);
    } else {
        pair.is_done =
            xml_text_is_filled(tree, pair.target) && !xml_tree_attribute_is(tree, element, "state", "initial");
        unit = xml_pairs_add(tree, &pair);
    }
    xml_pairs_mark(tree, unit, element, &translated);
}

/* Returns the node to go on with. */
static size_t report_node(const XmlTree *tree, size_t node)
{
    const bool is_unit = xml_tree_is(tree, node, "trans-unit"), is_segment = xml_tree_is(tree, node, "segment");
    ByteRange language;

    if (is_unit) report_trans_unit(tree, node);
    if (is_segment) report_segment(tree, node);
    if (xml_tree_is(tree, node, "file") && xml_tree_attribute(tree, node, "source-language", &language))
        xml_pairs_label(tree, node, "target-language", xml_pairs_language(tree));
    return is_unit || is_segment ? tree->nodes[node].next : node + 1;
}

void xml_report_xliff(const XmlTree *tree)
{
    ByteRange language;

    document_builder_accelerators(tree->builder, "&");
    if (xml_tree_attribute(tree, 0, "srcLang", &language))
        xml_pairs_label(tree, 0, "trgLang", xml_pairs_language(tree));
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) i = report_node(tree, i);
}
