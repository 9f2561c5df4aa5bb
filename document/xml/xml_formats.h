/* xml_formats.h - the formats that are XML of a known kind: each finds its units in the tree. */
#ifndef DRAGOMAN_XML_FORMATS_H
#define DRAGOMAN_XML_FORMATS_H

#include "xml_tree.h"

void xml_report_xliff(const XmlTree *tree);
void xml_report_tmx(const XmlTree *tree);
void xml_report_android(const XmlTree *tree);
void xml_report_qt(const XmlTree *tree);
void xml_report_resx(const XmlTree *tree);

#endif
