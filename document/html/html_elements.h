/* html_elements.h - what the elements of HTML mean for a translation, and where they end. */
#ifndef DRAGOMAN_HTML_ELEMENTS_H
#define DRAGOMAN_HTML_ELEMENTS_H

#include <stdbool.h>

#include "html_tokens.h"

typedef enum {
    HTML_BLOCK,        /* ends the text before it; also elements with unknown names */
    HTML_INLINE,       /* part of a text */
    HTML_VOID_INLINE,  /* part of a text, without an end tag */
    HTML_CODE,         /* part of a text; what it contains is kept */
    HTML_CONTROL,      /* part of a text if html_extent_is_in_text(), otherwise a block; also other elements whose names
                          have a hyphen or a prefix: custom elements, o:p, st1:City */
    HTML_EMBEDDED,     /* the same, but it contains fallback content; a block if that is text */
    HTML_PICTURE,      /* part of a text; opaque with all that it contains, as are the readings in <ruby> */
    HTML_PREFORMATTED, /* a block that is left alone */
    HTML_RAW,          /* left alone; contains no tags */
    HTML_RCDATA        /* a block; contains text without tags */
} HtmlElement;

HtmlElement html_element_kind(const char *bytes, Range name);

/* The same for a tag: an inline element with a class of icons, whose text is the name of one, is HTML_CODE. */
HtmlElement html_element_tag_kind(const char *bytes, const HtmlToken *tag);

typedef enum { HTML_INHERIT, HTML_TRANSLATE, HTML_PROTECT } HtmlTranslate;

/* What the attribute `translate` of a tag, or else a class, such as `notranslate` or that of a signature, says about
 * the contents of its element. */
HtmlTranslate html_element_translate(const char *bytes, const HtmlToken *tag);

/* Whether readers see attributes of the element: not those of scripts and styles; the title of a style sheet names the
 * set that it belongs to. */
bool html_element_shows_attributes(const char *bytes, const HtmlToken *tag);

/* The name of an attribute whose value is text in this element: the content of some <meta>, the value of a button, a
 * label. "": none. Takes time in proportion to the tag. */
const char *html_element_text_attribute(const char *bytes, const HtmlToken *tag);

/* Whether the value of the attribute is text: in all elements, as alt, title and placeholder, or `of_element`, the
 * answer of html_element_text_attribute(). */
bool html_attribute_is_text(const char *bytes, const HtmlAttribute *attribute, const char *of_element);

/* Whether an element of this name that contains no text may stand for a word: a picture, an icon, what a program
 * inserts. */
bool html_name_is_object(const char *bytes, Range name);

/* The same for a tag. One that only marks the beginning of a printed page is none. */
bool html_element_is_object(const char *bytes, const HtmlToken *tag);

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
