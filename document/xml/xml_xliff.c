/* xml_xliff.c - XLIFF 1.2 (trans-unit) and 2.0 (segment). Translations are marked as needing a review: in 1.2 with the
 * state "needs-review-translation"; in 2.0 with "translated", which comes before "reviewed". */
#include <string.h>

#include "chars.h"
#include "str_map.h"
#include "xml_formats.h"
#include "xml_pairs.h"

typedef struct {
    const char *name;
    XmlInline kind;
    const char *id, *other_id; /* attributes that name the span; the first one that the element has. NULL: tag_kind() */
} InlineCode;

static const InlineCode codes[] = {
    { "x", INLINE_VALUE, NULL, NULL },        { "ph", INLINE_VALUE, NULL, NULL },  { "it", INLINE_OPAQUE, NULL, NULL },
    { "sub", INLINE_OPAQUE, NULL, NULL },     { "cp", INLINE_OPAQUE, NULL, NULL }, { "sm", INLINE_OPAQUE, NULL, NULL },
    { "em", INLINE_OPAQUE, NULL, NULL },      { "bpt", INLINE_OPEN, "rid", "id" }, { "bx", INLINE_OPEN, "rid", "id" },
    { "ept", INLINE_CLOSE, "rid", "id" },     { "ex", INLINE_CLOSE, "rid", "id" }, { "sc", INLINE_OPEN, "id", "id" },
    { "ec", INLINE_CLOSE, "startRef", "id" },
};

static size_t without_number(const char *bytes, Range name)
{
    size_t end = name.end;

    while (end > name.begin && char_is_digit(bytes[end - 1])) end--;
    return end < name.end && end > name.begin + 1 && bytes[end - 1] == '_' ? end - 1 : name.end;
}

/* Angular writes tags as <x id="START_LINK_1"/> and <x id="CLOSE_LINK"/>: only start tags are numbered. */
static XmlInline tag_kind(const XmlTree *tree, size_t node, XmlInline other, Range *id)
{
    static const size_t length = sizeof "START_" - 1;
    Range name;
    bool is_open;

    if (!xml_tree_attribute(tree, node, "id", &name) || name.end - name.begin <= length) return other;
    is_open = !memcmp(tree->bytes + name.begin, "START_", length);
    if (!is_open && memcmp(tree->bytes + name.begin, "CLOSE_", length) != 0) return other;
    name.begin += length;
    *id = (Range){ name.begin, without_number(tree->bytes, name) };
    return is_open ? INLINE_OPEN : INLINE_CLOSE;
}

static XmlInline inline_kind(const XmlTree *tree, size_t node, Range *id)
{
    *id = (Range){ 0, 0 };
    if (xml_tree_attribute_is(tree, node, "mtype", "protected")) return INLINE_KEPT;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!xml_tree_is(tree, node, codes[i].name)) continue;
        if (!codes[i].id) return tag_kind(tree, node, codes[i].kind, id);
        if (xml_tree_attribute(tree, node, codes[i].id, id) || xml_tree_attribute(tree, node, codes[i].other_id, id))
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

/* Whether an element contains text, or elements other than <mrk>, which only marks a part of the text. */
static bool is_filled(const XmlTree *tree, size_t element)
{
    return xml_text_is_filled(tree, element, "mrk");
}

/* Finds source and target directly in the element. Returns whether there is anything to translate. */
static bool find_pair(const XmlTree *tree, size_t element, XmlPair *pair)
{
    *pair = (XmlPair){ .source = xml_tree_child(tree, element, "source"),
                       .target = xml_tree_child(tree, element, "target"),
                       .rules = &rules };
    if (pair->source == XML_NO_NODE || tree->nodes[pair->source].is_protected || !is_filled(tree, pair->source))
        return false;
    xml_pairs_names(tree, pair->source, "xml:lang", LANGUAGE_SOURCE);
    if (pair->target != XML_NO_NODE) xml_pairs_names(tree, pair->target, "xml:lang", LANGUAGE_TARGET);
    return true;
}

/* The language of a target that names one. */
static XmlMark language_mark(const XmlTree *tree)
{
    const DocumentOptions *options = document_builder_input(tree->builder).options;

    if (!options->language || options->keep_language) return (XmlMark){ .name = NULL };
    return (XmlMark){ .name = "xml:lang", .value = options->language, .is_there_only = true, .is_language = true };
}

/* Marks of a target in 1.2. */
static const XmlMark review = { .name = "state", .value = "needs-review-translation" };
static const XmlMark no_qualifier = { .name = "state-qualifier", .is_there_only = true };
static const XmlMark unapproved = { .name = "approved", .value = "no", .is_there_only = true };

/* Whether the target is a translation that stays, apart from its empty segments. */
static bool is_translated(const XmlTree *tree, size_t target)
{
    return is_filled(tree, target) && !xml_tree_attribute_is(tree, target, "state", "new") &&
           !xml_tree_attribute_is(tree, target, "state", "needs-translation");
}

/* Returns the first segment of the element from node `at` on, or XML_NO_NODE. Segments do not contain others. */
static size_t find_segment(const XmlTree *tree, size_t element, size_t at)
{
    for (; at < tree->nodes[element].next; at++)
        if (xml_tree_is(tree, at, "mrk") && xml_tree_attribute_is(tree, at, "mtype", "seg")) return at;
    return XML_NO_NODE;
}

static size_t first_segment(const XmlTree *tree, size_t element)
{
    return find_segment(tree, element, element + 1);
}

static size_t next_segment(const XmlTree *tree, size_t element, size_t segment)
{
    return find_segment(tree, element, tree->nodes[segment].next);
}

static bool has_empty_segment(const XmlTree *tree, size_t target)
{
    for (size_t i = first_segment(tree, target); i != XML_NO_NODE; i = next_segment(tree, target, i))
        if (!is_filled(tree, i)) return true;
    return false;
}

/* Maps the names (mid) of the filled segments of the source to their nodes. Memory that is missing becomes a failure of
 * the builder. */
static StrMap *map_segments(const XmlTree *tree, size_t source)
{
    StrMap *map;
    Range mid;
    bool added;
    Err err;
    Status st = str_map_new(&map, &err);

    for (size_t i = first_segment(tree, source); st == OK && i != XML_NO_NODE; i = next_segment(tree, source, i))
        if (is_filled(tree, i) && xml_tree_attribute(tree, i, "mid", &mid))
            st = str_map_add(map, tree->bytes + mid.begin, mid.end - mid.begin, (int32_t)i, &added, &err);
    if (st != OK) document_builder_fail_memory(tree->builder);
    return map;
}

/* Returns the segment of the source for an empty one of the target, or 0. */
static size_t source_of(const XmlTree *tree, const StrMap *sources, size_t segment)
{
    Range mid;

    if (is_filled(tree, segment) || !xml_tree_attribute(tree, segment, "mid", &mid)) return 0;
    return (size_t)str_map_get(sources, tree->bytes + mid.begin, mid.end - mid.begin, 0);
}

/* Adds a unit for each empty segment of the target that has a source in the map. The first unit marks the target.
 * Returns whether there is one. */
static bool add_segments(const XmlTree *tree, size_t element, const StrMap *sources, size_t target)
{
    const XmlMark marks[] = { review, no_qualifier, language_mark(tree) };
    bool is_marked = false;

    for (size_t i = first_segment(tree, target); i != XML_NO_NODE; i = next_segment(tree, target, i)) {
        const XmlPair pair = { .source = source_of(tree, sources, i), .target = i, .rules = &rules };
        size_t unit;
        if (!pair.source) continue;
        unit = xml_pairs_add(tree, &pair);
        if (is_marked) continue;
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) xml_pairs_mark(tree, unit, target, &marks[k]);
        xml_pairs_mark(tree, unit, element, &unapproved);
        is_marked = true;
    }
    return is_marked;
}

/* Adds the empty segments of a translation that stays, except those whose source is empty, too. Returns whether there
 * are any. */
static bool report_empty_segments(const XmlTree *tree, size_t element, size_t source, size_t target)
{
    StrMap *sources;
    bool is_added;

    if (!has_empty_segment(tree, target)) return false;
    sources = map_segments(tree, source);
    is_added = !document_builder_failed(tree->builder) && add_segments(tree, element, sources, target);
    str_map_free(sources);
    return is_added;
}

/* 1.2. If the source is segmented, the segments are translated, so that the target has their markup. If only some
 * segments of the target are empty, these are translated one by one. */
static void report_trans_unit(const XmlTree *tree, size_t element)
{
    const size_t segments = xml_tree_child(tree, element, "seg-source");
    const bool retranslates = document_builder_input(tree->builder).options->retranslate;
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (segments != XML_NO_NODE && is_filled(tree, segments)) pair.source = segments;
    pair.marks[0] = review;
    pair.marks[1] = no_qualifier;
    pair.marks[2] = language_mark(tree);
    pair.is_done = pair.target != XML_NO_NODE && is_translated(tree, pair.target);
    if (pair.is_done && pair.source == segments && !retranslates &&
        report_empty_segments(tree, element, segments, pair.target))
        return;
    if (pair.target == XML_NO_NODE)
        unit = insert_target(tree, &pair, segments == XML_NO_NODE ? pair.source : segments, &review);
    else
        unit = xml_pairs_add(tree, &pair);
    xml_pairs_mark(tree, unit, element, &unapproved);
}

/* 2.0 */
static void report_segment(const XmlTree *tree, size_t element)
{
    static const XmlMark translated = { .name = "state", .value = "translated" };
    static const XmlMark without_detail = { .name = "subState", .is_there_only = true }; /* of the state before */
    XmlPair pair;
    size_t unit;

    if (!find_pair(tree, element, &pair)) return;
    if (pair.target == XML_NO_NODE) {
        unit = insert_target(tree, &pair, pair.source, NULL);
    } else {
        pair.is_done = is_filled(tree, pair.target) && !xml_tree_attribute_is(tree, element, "state", "initial");
        unit = xml_pairs_add(tree, &pair);
    }
    xml_pairs_mark(tree, unit, element, &translated);
    xml_pairs_mark(tree, unit, element, &without_detail);
}

/* The languages of a file, of which that of the translations may be missing. */
static void report_languages(const XmlTree *tree, size_t element, const char *source, const char *target)
{
    Range language;

    xml_pairs_names(tree, element, source, LANGUAGE_SOURCE);
    xml_pairs_names(tree, element, target, LANGUAGE_TARGET);
    if (xml_tree_attribute(tree, element, source, &language))
        xml_pairs_label(tree, element, target, xml_pairs_language(tree));
}

/* Returns the node to go on with. */
static size_t report_node(const XmlTree *tree, size_t node)
{
    const bool is_unit = xml_tree_is(tree, node, "trans-unit"), is_segment = xml_tree_is(tree, node, "segment");

    if (is_unit) report_trans_unit(tree, node);
    if (is_segment) report_segment(tree, node);
    if (xml_tree_is(tree, node, "file")) report_languages(tree, node, "source-language", "target-language");
    return is_unit || is_segment ? tree->nodes[node].next : node + 1;
}

void xml_report_xliff(const XmlTree *tree)
{
    document_builder_accelerators(tree->builder, "&");
    report_languages(tree, 0, "srcLang", "trgLang");
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder);) i = report_node(tree, i);
}
