/* part_parser.h - what the formats of packages share. */
#ifndef DRAGOMAN_PART_PARSER_H
#define DRAGOMAN_PART_PARSER_H

#include <stdbool.h>

#include "document_builder.h"
#include "package.h"
#include "xml_tree.h"

/* An entry of an archive that is XML. Ends with entry_tree_close(). */
typedef struct {
    XmlTree tree; /* empty after a failure */
    Buf bytes;    /* that the tree is of */
} EntryTree;

/* Reads an entry while the parts of an archive are chosen. */
MUST_USE Status entry_tree_open(EntryTree *out, PackageReader *reader, const char *name, Err *err);
void entry_tree_close(EntryTree *entry);

/* Reports the contents of an element as a unit, if it has any. */
void part_parser_report_element(const XmlTree *tree, size_t element);

/* The contents of an element become the language of the translation. */
void part_parser_label_element(const XmlTree *tree, size_t element);

#endif
