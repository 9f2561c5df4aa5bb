/* odf_paragraph.h - reports the texts of OpenDocument. */
#ifndef DRAGOMAN_ODF_PARAGRAPH_H
#define DRAGOMAN_ODF_PARAGRAPH_H

#include <stdbool.h>

#include "xml_tree.h"

/* Whether an element is a paragraph or a heading. */
bool odf_is_paragraph(const XmlTree *tree, size_t node);

/* Reports a paragraph as a unit, and before it the units inside it: in notes, comments, text boxes and descriptions. */
void odf_paragraph_report(const XmlTree *tree, size_t paragraph);

/* Whether an element is the title or the description of a picture (svg:title, svg:desc). */
bool odf_is_description(const XmlTree *tree, size_t node);

/* Whether an element of a chart contains data: its table, and the labels of values in a series. */
bool odf_is_data(const XmlTree *tree, size_t node);

#endif
