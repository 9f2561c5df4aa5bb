/* xml_source.h - the tree of XML that is no document itself: a part of a package, before its text is read. */
#ifndef DRAGOMAN_XML_SOURCE_H
#define DRAGOMAN_XML_SOURCE_H

#include "err.h"
#include "package.h"
#include "xml_tree.h"

/* Reads a part, which must stay valid. ERR_FORMAT, with the path, the line and the column, if it is not XML. On OK, end
 * the tree with xml_source_free(). */
MUST_USE Status xml_source_read(XmlTree *out, const PackageBytes *part, Err *err);
void xml_source_free(XmlTree *tree);

#endif
