/* html_units.h - HTML in other formats: the units of a part of a document, and how characters are spelled. */
#ifndef DRAGOMAN_HTML_UNITS_H
#define DRAGOMAN_HTML_UNITS_H

#include "document_formats.h"
#include "html_elements.h"

/* Contexts of texts. Those of other formats that contain HTML are above HTML_CONTEXTS. */
enum {
    HTML_IN_TEXT,
    HTML_IN_RCDATA, /* in <title> */
    HTML_IN_LINES,  /* the same in <textarea>, where white space is shown as it is */
    HTML_IN_DOUBLE_QUOTES,
    HTML_IN_SINGLE_QUOTES,
    HTML_UNQUOTED,
    HTML_CONTEXTS
};

extern const SpellingRules html_spelling;

/* Adds the units of the bytes [begin, end). No text may be open. `is_xml`: in XHTML, <title/> and <script/> are whole
 * elements. */
void html_units_add(DocumentBuilder *builder, size_t begin, size_t end, bool is_xml);

/* Adds the attributes of a start tag that users read. A text around the tag may be open. */
void html_units_add_attributes(DocumentBuilder *builder, const HtmlToken *tag);

#endif
