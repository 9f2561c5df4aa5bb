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
#include "escaped_text.h"
#include "package.h"
#include "ranges.h"

typedef enum { NODE_ELEMENT, NODE_TEXT, NODE_CDATA } XmlKind;

/* A node of the tree. Offsets fit in 32 bits, because no document is larger than DOCUMENT_BYTES. */
typedef struct {
    uint8_t kind;          /* XmlKind */
    bool is_preserved : 1; /* xml:space="preserve", in this element or inherited */
    bool is_protected : 1; /* translate="no", with or without a prefix, in this element or inherited */
    bool has_text : 1;     /* element: it directly contains text other than white space */
    bool is_skipped : 1;   /* for document_xml.c and document_ooxml.c */
    bool is_inline : 1, is_text_owner : 1, is_in_unit : 1, is_selected : 1; /* for document_xml.c */
    uint32_t parent, next;           /* nodes; `next` is the first one after the node and its contents */
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
    bool has_escapes;  /* texts have the escapes _xHHHH_ of spreadsheets; set by the format after reading */
    Buf entry;         /* the bytes, if the tree owns them: xml_entry_read() */
} XmlTree;

/* Reads the document of the builder. Returns whether it is XML; if so, end the tree with xml_tree_free(). Otherwise the
 * builder has the failure. */
bool xml_tree_read(XmlTree *out, DocumentBuilder *builder);
/* Like xml_tree_read(), for a part of the document that is XML. */
bool xml_tree_read_part(XmlTree *out, DocumentBuilder *builder, Range part);
void xml_tree_free(XmlTree *tree);

/* Reads XML that is a part of a package, before the text of the package is read. `part` must stay valid. If it is not
 * XML, returns ERR_FORMAT with the path, the line and the column. On OK, end the tree with xml_tree_free(). */
MUST_USE Status xml_source_read(XmlTree *out, const DocumentFile *part, Err *err);

/* Like xml_source_read(), for an entry of an archive whose parts are not chosen yet. End the tree even after a
 * failure. */
MUST_USE Status xml_entry_read(XmlTree *out, Package *package, const char *name, Err *err);

/* The name of an element as the document has it; `node` must be an element, also in xml_tree_prefix(). */
Range xml_tree_name(const XmlTree *tree, size_t node);

/* The prefix of this name with its colon; empty: it has none. */
Range xml_tree_prefix(const XmlTree *tree, size_t node);

/* Whether a node is an element with one of these names, which are separated by spaces, with or without a prefix.
 * XML_NO_NODE is none. */
bool xml_tree_is(const XmlTree *tree, size_t node, const char *names);

/* Whether bytes of the document are one of these words, which are separated by spaces. */
bool xml_tree_lists(const XmlTree *tree, Range bytes, const char *words);

/* The end of a node, after its contents and its end tag. */
size_t xml_tree_end(const XmlTree *tree, size_t node);

/* An attribute of a start tag, NAME="VALUE". */
typedef struct {
    const char *bytes; /* of the document; NULL: the node has no attributes */
    Range name;        /* with its prefix */
    Range value;       /* without its quotes */
    size_t end;        /* after the closing quote */
} XmlAttribute;

/* Reads the attributes of a node in order; a node that is not an element has none:
 *     for (XmlAttribute a = xml_tree_attributes(tree, node); xml_next_attribute(&a);) … */
XmlAttribute xml_tree_attributes(const XmlTree *tree, size_t node);
bool xml_next_attribute(XmlAttribute *attribute);

/* Finds the value of an attribute, without its quotes; the name includes the prefix. Returns false if there is none, or
 * if the node is not an element. xml_tree_attribute_is() returns whether the attribute exists and has one of these
 * values, which are separated by spaces. */
bool xml_tree_attribute(const XmlTree *tree, size_t node, const char *name, Range *value);
bool xml_tree_attribute_is(const XmlTree *tree, size_t node, const char *name, const char *values);

/* The whole attribute with this value, and the white space before it. */
Range xml_tree_attribute_bytes(const XmlTree *tree, Range value);

/* Returns the first element with one of these names directly in `node`, or XML_NO_NODE. */
size_t xml_tree_child(const XmlTree *tree, size_t node, const char *names);

/* Whether the bytes are white space as XML defines it. */
bool xml_tree_is_space(const XmlTree *tree, size_t begin, size_t end);

/* --- Texts. */

/* What an element in a text is: <x/>, <ph>, <it>, <bpt> of XLIFF and TMX are inline codes. */
typedef enum {
    INLINE_SPAN,
    INLINE_KEPT,   /* a span whose contents stay as they are */
    INLINE_OPAQUE, /* reported as one empty element, with all its contents */
    INLINE_VALUE,  /* like INLINE_OPAQUE, but it may stand for a name or a number */
    INLINE_OPEN,   /* the element with all its contents begins a span */
    INLINE_CLOSE   /* the element with all its contents ends the span with the same name */
} XmlInline;

/* Contexts of texts: XML_IN_TEXT and flags. XML_IN_TEXT is greater than HTML_CONTEXTS, because EPUB books have both. */
enum {
    XML_IN_CDATA = 1,
    XML_IN_ANDROID = 2,
    XML_AFTER_TAG = 4,     /* the text does not begin its element, so @ and ? at its beginning are not references */
    XML_IN_ATTRIBUTE = 16, /* the value of an attribute */
    XML_IN_TEXT = 32
};

/* How a format reads the contents of an element. */
typedef struct {
    /* For INLINE_OPEN and INLINE_CLOSE, sets *id to the span's name. If inline_kind is NULL, all elements are spans. */
    XmlInline (*inline_kind)(const XmlTree *tree, size_t node, Range *id);
    bool is_android;   /* texts have the escapes of Android */
    bool is_preserved; /* white space is part of the text, whatever xml:space says */
} XmlTextRules;

/* The context for the contents of an element. Includes XML_IN_CDATA if the contents are one CDATA section. */
unsigned xml_text_context(const XmlTree *tree, size_t element, bool is_android);

/* Reads a character of a text or an attribute, which ends at byte `end`. */
EscapedPart xml_text_read(const XmlTree *tree, size_t at, size_t end);
/* Appends the text that these bytes spell. */
void xml_text_put(Buf *out, const XmlTree *tree, Range bytes);
/* Sets *out to this text, and returns whether it is not empty. */
bool xml_text_decode(Buf *out, const XmlTree *tree, Range bytes);

/* Report a text node, or the start tag or end tag of a span. `has_columns`: white space is part of the text, and each
 * tab ends a unit and begins the next one. */
void xml_text_report(const XmlTree *tree, size_t node, unsigned context, bool has_columns);
void xml_text_open(const XmlTree *tree, size_t node);
void xml_text_close(const XmlTree *tree, size_t node);

/* The key of a span that one empty element begins and another ends, such as bookmark-start and bookmark-end, or
 * bookmarkStart and bookmarkEnd; both have this `name`. Its upper bit is set, unlike in the keys of elements. */
uint64_t xml_text_range_key(const XmlTree *tree, size_t node, Range name);

/* Reports the contents of an element as a text and sets *number to its number; if `number` is NULL, reports them as a
 * unit. `is_whole`: line breaks do not divide the text. */
void xml_text_contents(const XmlTree *tree, size_t element, const XmlTextRules *rules, bool is_whole, size_t *number);

/* Reports the value of an attribute, which is not empty, as a unit; xml_text_attributes() those of all attributes of a
 * node with these names, which are separated by spaces. */
void xml_text_attribute(const XmlTree *tree, Range value);
void xml_text_attributes(const XmlTree *tree, size_t node, const char *names);

/* Reports the contents of an element as a unit, unless they are empty or only one CDATA section. */
void xml_text_element(const XmlTree *tree, size_t element);

/* The language of the translation as a BCP 47 tag; NULL: unknown. */
const char *xml_language(const XmlTree *tree);

/* Sets the language in an attribute, if the start tag has this attribute. Does nothing if `language` is NULL
 * (unknown). */
void xml_label(const XmlTree *tree, size_t element, const char *attribute, const char *language);

/* Replaces the contents of an element by the language of the translation. */
void xml_label_contents(const XmlTree *tree, size_t element);

/* xml_cue_spelling: translations do not get more lines than their sources, as in subtitles. */
extern const SpellingRules xml_spelling, xml_cue_spelling;

/* --- Limits on the attributes that a DTD declares. Each element has all attributes that are declared for it, even
 * those that its tag does not name: 40 KB of XML could make a hundred million attributes. */

/* Starts as {0}. */
typedef struct {
    size_t declared; /* attributes */
    size_t added;    /* attributes of elements whose tags do not name them */
} XmlDefaults;

/* expat's handlers call the first function for each declared attribute, and the second one for each element, to count
 * the attributes that it has from the DTD. Both return NULL, or the reason why the file is refused. */
const char *xml_defaults_count_declaration(XmlDefaults *defaults);
const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes);

#endif
