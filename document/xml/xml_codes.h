/* xml_codes.h - the inline codes of bilingual files: <x/>, <ph>, <it>, <bpt> of XLIFF and TMX. */
#ifndef DRAGOMAN_XML_CODES_H
#define DRAGOMAN_XML_CODES_H

#include "xml_text.h"

/* Reports a code with all its contents: as a value or a picture in the text, the end of a line, an end of a span or an
 * empty element. `id` is the name of an INLINE_OPEN or INLINE_CLOSE. */
void xml_codes_report(const XmlTree *tree, size_t node, XmlInline kind, ByteRange id);

#endif
