/* xml_android.c - the string resources of Android: string, plurals and string-array. */
#include "xml_formats.h"
#include "xml_text.h"

static XmlInline inline_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)id;
    return xml_tree_is(tree, node, "g") ? INLINE_KEPT : INLINE_SPAN; /* xliff:g: a placeholder */
}

/* Whether the element is a reference to another resource: @string/name. */
static bool is_reference(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    size_t at = node->end;

    while (xml_tree_is_space(tree, at, at + 1)) at++;
    return at < node->close_begin && (tree->bytes[at] == '@' || tree->bytes[at] == '?');
}

static void report_string(const XmlTree *tree, size_t element)
{
    static const XmlTextRules rules = { .inline_kind = inline_kind, .is_android = true };

    if (!xml_tree_attribute_is(tree, element, "translatable", "false") && !is_reference(tree, element))
        xml_text_unit(tree, element, &rules);
}

static void report_items(const XmlTree *tree, size_t list)
{
    if (xml_tree_attribute_is(tree, list, "translatable", "false")) return;
    for (size_t i = list + 1; i < tree->nodes[list].next; i = tree->nodes[i].next)
        if (xml_tree_is(tree, i, "item")) report_string(tree, i);
}

void xml_report_android(const XmlTree *tree)
{
    for (size_t i = 1; i < tree->count; i = tree->nodes[i].next) {
        if (document_builder_failed(tree->builder)) return;
        if (xml_tree_is(tree, i, "string") ||
            (xml_tree_is(tree, i, "item") && xml_tree_attribute_is(tree, i, "type", "string")))
            report_string(tree, i);
        else if (xml_tree_is(tree, i, "plurals") || xml_tree_is(tree, i, "string-array"))
            report_items(tree, i);
    }
}
