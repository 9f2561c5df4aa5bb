/* ooxml.h - what the formats of Office Open XML have in common: the parts with text, paragraphs that consist of runs,
 * and the properties of the document. A paragraph is w:p or a:p; in spreadsheets also si, is, and the text of a
 * comment. */
#ifndef DRAGOMAN_OOXML_H
#define DRAGOMAN_OOXML_H

#include "xml.h"

/* The formats of a part, for PackageRules.kinds. */
enum { IN_DOCX = 1, IN_PPTX = 2, IN_XLSX = 4 };

/* Adds the parts with text; in spreadsheets also their relationships. */
MUST_USE Status ooxml_choose_parts(Package *package, Err *err);

/* Appends a part in the form that ooxml_report_paragraph() reads: neighbouring runs have different formatting. */
Status ooxml_join_runs(const DocumentFile *part, Buf *out, Err *err);

/* Appends a translated part without the empty runs that ooxml_join_runs() needs. */
Status ooxml_drop_empty_runs(const DocumentFile *part, Buf *out, Err *err);

/* Reports the runs of a paragraph as a unit, and before it the texts inside it. */
void ooxml_report_paragraph(const XmlTree *tree, size_t paragraph);

/* Reports all paragraphs of a part and the descriptions of pictures. */
void ooxml_report_texts(XmlTree *tree);

/* Reports the properties of the document, such as its title. */
void ooxml_report_properties(const XmlTree *tree);

#endif
