/* xml_text.h - the texts of XML documents: decoding and spelling, and the contents of an element as one text. */
#ifndef DRAGOMAN_XML_TEXT_H
#define DRAGOMAN_XML_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
#include "xml_tree.h"

/* What an element in a text is: <x/>, <ph>, <it>, <bpt> of XLIFF and TMX are inline codes. */
typedef enum {
    INLINE_SPAN,
    INLINE_KEPT,   /* a span whose contents stay as they are */
    INLINE_OPAQUE, /* an empty element with all its contents */
    INLINE_VALUE,  /* the same; it may stand for a name or a number */
    INLINE_OPEN,   /* opaque; the beginning of a span */
    INLINE_CLOSE   /* opaque; the end of that span */
} XmlInline;

/* Contexts of texts: XML_IN_TEXT and flags. It is above the contexts of HTML, because EPUB books have both. */
enum {
    XML_IN_CDATA = 1,
    XML_IN_ANDROID = 2,
    XML_AFTER_TAG = 4,     /* the text does not begin its element, so @ and ? at its beginning are not references */
    XML_IN_ATTRIBUTE = 16, /* the value of an attribute */
    XML_IN_TEXT = 32
};

/* How a format reads the contents of an element. */
typedef struct {
    /* For OPEN and CLOSE, *id is the name of the span. NULL: all are spans. */
    XmlInline (*inline_kind)(const XmlTree *tree, size_t node, Range *id);
    bool is_android;   /* with Android's escapes */
    bool is_preserved; /* white space counts, whatever xml:space says */
} XmlTextRules;

/* The context for the contents of an element: CDATA, if one CDATA section is all that it has. */
unsigned xml_text_context(const XmlTree *tree, size_t element, bool is_android);

/* Report a node in a text: a text; the tags of a span. */
void xml_text_report(const XmlTree *tree, size_t node, unsigned context);
/* The same with white space that counts, and with tabs that end the unit; the text after one is another unit. */
void xml_text_report_columns(const XmlTree *tree, size_t node, unsigned context);
void xml_text_open(const XmlTree *tree, size_t node);
void xml_text_close(const XmlTree *tree, size_t node);

/* Reports the contents of an element as a text, whose number is *text, or as a unit. Line breaks do not divide a text
 * that `is_whole`. */
void xml_text_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules, bool is_whole, size_t *text);
void xml_text_unit(const XmlTree *tree, size_t element, const XmlTextRules *rules);

/* Reports the value of an attribute, which is not empty, as a unit. */
void xml_text_attribute(const XmlTree *tree, Range value);

/* Reports an empty text at byte `at` of the document. */
void xml_text_nothing(const XmlTree *tree, size_t at, size_t *text);

/* Reports the contents of an element as a unit, if it has any text other than one CDATA section. */
void xml_text_element(const XmlTree *tree, size_t element);

/* The language of the translation, as BCP 47 writes it; NULL: unknown. */
const char *xml_language(const XmlTree *tree);

/* Sets the language in an attribute of a start tag that has it; NULL: it is unknown, and stays as it is. */
void xml_label(const XmlTree *tree, size_t element, const char *attribute, const char *language);

/* The contents of an element become the language of the translation. */
void xml_label_contents(const XmlTree *tree, size_t element);

/* Whether an element contains elements, or text that is not white space. Elements named `mark`, which only mark parts
 * of the text, do not count; NULL: there are none. */
bool xml_text_is_filled(const XmlTree *tree, size_t element, const char *mark);

extern const SpellingRules xml_spelling;

#endif
