/* html_spelling.h - how characters are spelled in HTML. */
#ifndef DRAGOMAN_HTML_SPELLING_H
#define DRAGOMAN_HTML_SPELLING_H

#include "document_formats.h"

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

#endif
