/* xml_source.c - see xml_source.h. A builder without units takes the failures of the tree. */
#include "xml_source.h"

#include "document_formats.h"

static const DocumentFormat source_format = { .name = "xml" };
static const DocumentOptions source_options = { .encoding = NULL };

static Status end(DocumentBuilder *builder, Err *err)
{
    Document *document;
    Status st = builder ? document_builder_finish(builder, &document, err) : OK;

    if (builder && st == OK) document_free(document);
    return st;
}

Status xml_source_read(XmlTree *tree, const PackageBytes *part, Err *err)
{
    const DocumentFile file = { part->path, part->bytes, part->size };
    DocumentBuilder *builder;
    Status st = document_builder_new(&builder, &source_format, &file, &source_options, err);

    *tree = (XmlTree){ .builder = NULL };
    if (st != OK || xml_tree_read(tree, builder)) return st;
    xml_tree_free(tree);
    return end(builder, err);
}

void xml_source_free(XmlTree *tree)
{
    DocumentBuilder *builder = tree->builder;
    Err err;

    xml_tree_free(tree);
    (void)end(builder, &err);
}
