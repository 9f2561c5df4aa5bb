/* xml_pairs.h - units of bilingual XML: a source element and the element of its translation. */
#ifndef DRAGOMAN_XML_PAIRS_H
#define DRAGOMAN_XML_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "xml_text.h"
#include "xml_tree.h"

/* An attribute of the target that changes with its translation: one that says that this needs a review. */
typedef struct {
    const char *name, *value; /* name NULL: none; value NULL: the attribute is removed */
    bool is_there_only;       /* not added where the element does not have it */
    bool is_language;         /* stays if it names the language of the translation already */
} XmlMark;

#define XML_MARKS 3

typedef struct {
    size_t source, target;      /* elements; target XML_NO_NODE: to be added */
    size_t insert_at;           /* the byte where a target is added */
    const char *before, *after; /* written around a translation: with the tags of a target to be added, otherwise
                                   inside its tags; NULL: nothing */
    XmlMark marks[XML_MARKS];   /* of a target that exists */
    bool is_done;               /* the target is a translation that stays */
    const XmlTextRules *rules;
    const char *form_open, *form_close; /* written around each form; NULL: nothing */
    size_t forms; /* how often the translation is written, one after the other: plural forms; 0 is one */
} XmlPair;

/* Adds the unit, or one for each form. Returns the number of the first for document_builder_mark(). */
size_t xml_pairs_add(const XmlTree *tree, const XmlPair *pair);

/* Sets an attribute of a start tag if the unit is translated. */
void xml_pairs_mark(const XmlTree *tree, size_t unit, size_t element, const XmlMark *mark);

/* Sets the language in an attribute of a start tag; NULL: it is unknown, and stays as it is. */
void xml_pairs_label(const XmlTree *tree, size_t element, const char *attribute, const char *language);

/* Reports the language that an attribute of a start tag names, if it is there. */
void xml_pairs_names(const XmlTree *tree, size_t element, const char *attribute, LanguageSide side);

/* The language of the translation, as BCP 47 writes it; NULL: unknown. */
const char *xml_pairs_language(const XmlTree *tree);

/* Returns the white space before an element. An element that is added after it gets the same. */
Range xml_pairs_indent(const XmlTree *tree, size_t element);

/* Append bytes of the document, or text. Memory that is missing becomes a failure of the builder. */
void xml_pairs_append(const XmlTree *tree, Buf *out, Range range);
void xml_pairs_append_text(const XmlTree *tree, Buf *out, const char *text);

/* Appends "<NAME" or "</NAME" for an element beside `element`: with its prefix, if it has one. */
void xml_pairs_append_name(const XmlTree *tree, Buf *out, size_t element, const char *open, const char *name);

#endif
