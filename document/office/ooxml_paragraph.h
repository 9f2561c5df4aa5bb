/* ooxml_paragraph.h - reports the texts of a part of Office Open XML whose runs are joined (ooxml.h). */
#ifndef DRAGOMAN_OOXML_PARAGRAPH_H
#define DRAGOMAN_OOXML_PARAGRAPH_H

#include "xml_tree.h"

/* Reports a paragraph as a unit, and before it the units inside it: paragraphs in text boxes, and the descriptions of
 * pictures. */
void ooxml_paragraph_report(const XmlTree *tree, size_t paragraph);

/* Reports the description and the title of a picture or another object, if the element has them. */
void ooxml_paragraph_report_object(const XmlTree *tree, size_t node);

#endif
