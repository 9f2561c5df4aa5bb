/* part_parser.h - what the formats of packages share. */
#ifndef DRAGOMAN_PART_PARSER_H
#define DRAGOMAN_PART_PARSER_H

#include <stdbool.h>

#include "document_builder.h"
#include "package.h"
#include "xml_tree.h"

/* Calls `report` with the tree of each part of the text, until the builder fails. */
void part_parser_run(DocumentBuilder *builder, void (*report)(XmlTree *tree));

/* Reads the tree of an entry of an archive, while its parts are chosen. `bytes` is memory for it. On OK, end the tree
 * with xml_source_free(). */
MUST_USE Status part_parser_read_entry(PackageReader *reader, const char *name, XmlTree *tree, Buf *bytes, Err *err);

/* Reports the contents of an element as a unit, if it has any. */
void part_parser_report_element(const XmlTree *tree, size_t element);

/* The contents of an element become the language of the translation. */
void part_parser_label_element(const XmlTree *tree, size_t element);

/* Whether an element has one of these names, with or without a prefix; the list ends with NULL. */
bool part_parser_is_listed(const XmlTree *tree, size_t node, const char *const *names);

/* The end of a node with all in it. */
size_t part_parser_end(const XmlTree *tree, size_t node);

#endif
