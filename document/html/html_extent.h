/* html_extent.h - where an element of HTML ends, also one without an end tag. */
#ifndef DRAGOMAN_HTML_EXTENT_H
#define DRAGOMAN_HTML_EXTENT_H

#include <stdbool.h>

#include "html_tokens.h"

/* Whether the start tag is a whole element: <br>, <hr>, or <svg/> and <math/>, which end as in XML. */
bool html_extent_is_tag(const char *bytes, const HtmlToken *tag);

/* Returns the end of the element that begins with the tag, in a document of `end` bytes: after its end tag; or, for
 * elements that may lack one (<li>, <p>, <td> ...), before the tag that implies it; else `end`. */
size_t html_extent_end(const char *bytes, size_t end, const HtmlToken *tag);

/* Whether the start tag is a whole element in XML: it ends in />, and that slash is not the end of a value without
 * quotes, <a href=x/>. */
bool html_extent_is_whole(const char *bytes, const HtmlToken *tag);

/* Whether an empty element, HTML_CONTROL or HTML_EMBEDDED, is a part of a text: it touches text, or is all that a
 * control contains whose contents begin at `inside`. Between two words without white space, it separates them. */
bool html_extent_empty_is_in_text(const char *bytes, size_t end, Range range, size_t inside);

/* The same for an element with contents or an end tag; it must also be short and contain no block. *close: its end tag.
 */
bool html_extent_is_in_text(const char *bytes, size_t end, const HtmlToken *tag, size_t inside, HtmlToken *close);

#endif
