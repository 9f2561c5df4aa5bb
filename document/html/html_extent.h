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

#endif
