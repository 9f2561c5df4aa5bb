/* xml_resx.c - the resources of .NET (.resx): strings are <data> without a type. */
#include "xml_formats.h"
#include "xml_text.h"

static XmlInline inline_kind(const XmlTree *tree, size_t node, Range *id)
{
    (void)tree, (void)node, (void)id;
    return INLINE_SPAN;
}

/* Designers of forms store the names and types of controls under names that begin with >>. */
static bool is_of_designer(const XmlTree *tree, size_t data)
{
    Range name;

    return xml_tree_attribute(tree, data, "name", &name) && name.end > name.begin &&
           (tree->bytes[name.begin] == '>' || tree->bytes[name.begin] == '&');
}

static bool is_string(const XmlTree *tree, size_t node)
{
    Range value;

    return xml_tree_is(tree, node, "data") && !xml_tree_attribute(tree, node, "type", &value) &&
           !xml_tree_attribute(tree, node, "mimetype", &value) && !is_of_designer(tree, node);
}

void xml_report_resx(const XmlTree *tree)
{
    static const XmlTextRules rules = { .inline_kind = inline_kind, .is_preserved = true };

    document_builder_accelerators(tree->builder, "&");
    for (size_t i = 1; i < tree->count && !document_builder_failed(tree->builder); i = tree->nodes[i].next) {
        const size_t value = is_string(tree, i) ? xml_tree_child(tree, i, "value") : XML_NO_NODE;
        if (value != XML_NO_NODE) xml_text_unit(tree, value, &rules);
    }
}
