/* xml.h - the elements and texts of an XML document with their places, and the contents of an element as one text.
 *
 * expat checks the document and finds the places; nothing is decoded or expanded. Comments, processing instructions,
 * the DTD and references to declared entities are the bytes between the nodes. */
#ifndef DRAGOMAN_XML_H
#define DRAGOMAN_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <expat.h>

#include "document_builder.h"
#include "document_formats.h"
#include "package.h"
#include "ranges.h"

typedef enum { NODE_ELEMENT, NODE_TEXT, NODE_CDATA } XmlKind;

/* Offsets fit in 32 bits: DOCUMENT_BYTES. */
typedef struct {
    uint8_t kind;                    /* XmlKind */
    bool is_preserved;               /* xml:space="preserve", here or around it */
    bool is_protected;               /* translate="no", with or without a prefix, here or around it */
    bool has_text;                   /* element: text of its own that is not white space */
    bool is_inline, is_text_owner;   /* for document_xml.c */
    bool is_selected, is_skipped;    /* is_skipped also for document_ooxml.c */
    uint32_t parent, next;           /* nodes; `next` is the first one after the node and all in it */
    uint32_t begin, end;             /* the start tag, the text, or the contents of the CDATA section */
    uint32_t close_begin, close_end; /* element: the end tag; empty if it has none: <br/> */
} XmlNode;

/* The parent of the root element, which is node 0; also "not found". */
#define XML_NO_NODE ((size_t)UINT32_MAX)

typedef struct {
    DocumentBuilder *builder;
    const char *bytes; /* of the document */
    XmlNode *nodes;    /* [count], in the order of the document */
    size_t count, capacity;
    bool owns_builder; /* xml_source_read() */
} XmlTree;

/* Reads the document of the builder. Returns whether it is XML; otherwise the builder has the failure. End the tree
 * with xml_tree_free() in both cases. */
bool xml_tree_read(XmlTree *out, DocumentBuilder *builder);
/* The same for a part of the document that is XML. */
bool xml_tree_read_part(XmlTree *out, DocumentBuilder *builder, Range part);
void xml_tree_free(XmlTree *tree);

/* Reads XML that is no document itself: a part of a package, before its text is read. The part must stay valid. Returns
 * ERR_FORMAT, with the path, the line and the column, if it is not XML. On OK, end the tree with xml_tree_free(). */
MUST_USE Status xml_source_read(XmlTree *out, const PackageBytes *part, Err *err);

/* An entry of an archive that is XML, read while the parts of the archive are chosen. Ends with
 * xml_entry_close(). */
typedef struct {
    XmlTree tree; /* empty after a failure */
    Buf bytes;    /* that the tree is of */
} XmlEntry;

MUST_USE Status xml_entry_open(XmlEntry *out, Package *package, const char *name, Err *err);
void xml_entry_close(XmlEntry *entry);

/* The name of an element as the document has it. */
Range xml_tree_name(const XmlTree *tree, size_t node);

/* Whether a node is an element of this name, with or without a prefix. */
bool xml_tree_is(const XmlTree *tree, size_t node, const char *name);

/* Whether a node is an element with one of these names, which are separated by spaces, with or without a prefix. */
bool xml_tree_is_listed(const XmlTree *tree, size_t node, const char *names);

/* Whether bytes of the document are one of these words, which are separated by spaces. */
bool xml_tree_lists(const XmlTree *tree, Range bytes, const char *words);

/* The end of a node with all in it. */
size_t xml_tree_end(const XmlTree *tree, size_t node);

/* Reads the next attribute of a start tag, NAME="VALUE", from *at on, which is after the name of the element or after
 * another attribute. Returns false if there are no more. */
bool xml_tree_next_attribute(const char *bytes, size_t *at, Range *name, Range *value);

/* Finds the value of an attribute, without its quotes; the name includes the prefix. */
bool xml_tree_attribute(const XmlTree *tree, size_t node, const char *name, Range *value);
bool xml_tree_attribute_is(const XmlTree *tree, size_t node, const char *name, const char *value);

/* Returns the first element of this name directly in `node`, or XML_NO_NODE. */
size_t xml_tree_child(const XmlTree *tree, size_t node, const char *name);

/* Whether the bytes are white space as XML defines it. */
bool xml_tree_is_space(const XmlTree *tree, size_t begin, size_t end);

/* --- Texts. */

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

/* --- Limits on the attributes that a DTD declares. An element has all attributes that are declared for it, even if its
 * tag does not name them: 40 KB of XML could have a hundred million attributes. */

/* Starts as {0}. */
typedef struct {
    size_t declared; /* attributes */
    size_t added;    /* attributes of elements whose tags do not name them */
} XmlDefaults;

/* Called by expat's handlers: the first for each declared attribute, the second for each element, whose attributes from
 * the DTD it counts. They return NULL, or why the file is refused. */
const char *xml_defaults_count_declaration(XmlDefaults *defaults);
const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes);

#endif
