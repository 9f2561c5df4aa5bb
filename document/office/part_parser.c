/* part_parser.c - see part_parser.h. */
#include "part_parser.h"

#include "xml_pairs.h"
#include "xml_tree.h"
#include "xml_text.h"

Status entry_tree_open(EntryTree *out, PackageReader *reader, const char *name, Err *err)
{
    PackageBytes part = { .name = name };
    const char *read;
    Buf path = { 0 };
    Status st = package_reader_read(reader, name, &read, &part.size, err);

    *out = (EntryTree){ .bytes = { 0 } };
    if (st != OK) return st;
    buf_put(&out->bytes, read, part.size); /* what is read next takes its place */
    buf_put_format(&path, "%s/%s", package_reader_path(reader), name);
    st = buf_check(&out->bytes, err);
    if (st == OK) st = buf_check(&path, err);
    part.bytes = out->bytes.data;
    part.path = path.data;
    if (st == OK) st = xml_source_read(&out->tree, &part, err);
    buf_free(&path);
    return st;
}

void entry_tree_close(EntryTree *entry)
{
    xml_source_free(&entry->tree);
    buf_free(&entry->bytes);
}

void part_parser_report_element(const XmlTree *tree, size_t element)
{
    static const XmlTextRules rules = { .is_preserved = false };
    const XmlNode *node = &tree->nodes[element];

    if (node->close_begin > node->end && xml_text_context(tree, element, false) == XML_IN_TEXT)
        xml_text_unit(tree, element, &rules);
}

void part_parser_label_element(const XmlTree *tree, size_t element)
{
    const XmlNode *node = &tree->nodes[element];
    const char *language = xml_pairs_language(tree);

    if (language && node->close_begin > node->end)
        document_builder_language(tree->builder, node->end, node->close_begin, language);
}
