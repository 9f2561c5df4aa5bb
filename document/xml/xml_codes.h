/* xml_codes.h - the inline codes of bilingual files: <x/>, <ph>, <it>, <bpt> of XLIFF and TMX. */
#ifndef DRAGOMAN_XML_CODES_H
#define DRAGOMAN_XML_CODES_H

#include "ranges.h"
#include "xml_tree.h"

/* What an element in a text is. */
typedef enum {
    INLINE_SPAN,
    INLINE_KEPT,   /* a span whose contents stay as they are */
    INLINE_OPAQUE, /* an empty element with all its contents */
    INLINE_VALUE,  /* the same; it may stand for a name or a number */
    INLINE_OPEN,   /* opaque; the beginning of a span */
    INLINE_CLOSE   /* opaque; the end of that span */
} XmlInline;

/* Reports a code with all its contents: as a value or a picture in the text, the end of a line, an end of a span or an
 * empty element. `id` is the name of an INLINE_OPEN or INLINE_CLOSE. */
void xml_codes_report(const XmlTree *tree, size_t node, XmlInline kind, Range id);

#endif
