/* xml_pairs.h - bilingual XML: Qt Linguist, TMX, XLIFF; and the labels of languages in any XML. */
#ifndef DRAGOMAN_XML_PAIRS_H
#define DRAGOMAN_XML_PAIRS_H

#include <stddef.h>

#include "xml_tree.h"

/* Report the units of translation files of Qt Linguist, of translation memories (TMX) and of XLIFF. */
void xml_report_qt(const XmlTree *tree);
void xml_report_tmx(const XmlTree *tree);
void xml_report_xliff(const XmlTree *tree);

/* Sets the language in an attribute of a start tag; NULL: it is unknown, and stays as it is. */
void xml_pairs_label(const XmlTree *tree, size_t element, const char *attribute, const char *language);

/* The language of the translation, as BCP 47 writes it; NULL: unknown. */
const char *xml_pairs_language(const XmlTree *tree);

#endif
