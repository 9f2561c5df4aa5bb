/* html_elements.h - the parts of an HTML document, as the HTML standard tokenizes it, and what its elements mean for
 * a translation. Every byte belongs to one part. A start tag says nothing about what follows: the contents of
 * <script> are found with html_token_raw_end(). */
#ifndef DRAGOMAN_HTML_ELEMENTS_H
#define DRAGOMAN_HTML_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"

typedef enum {
    HTML_TEXT,
    HTML_START, /* <name ...> */
    HTML_CLOSE, /* </name ...> */
    HTML_OPAQUE /* comments, <!DOCTYPE>, <![CDATA[ ]]>, <?php ?>, <% %>, and a tag that the file ends in */
} HtmlKind;

typedef struct {
    HtmlKind kind;
    Range bytes, name;
    size_t attributes; /* where they begin */
} HtmlToken;

/* Reads the part that begins at byte `at` < end. */
HtmlToken html_token_read(const char *bytes, size_t at, size_t end);

/* Returns the end of a template's tag at byte `at` < end, {% %}, {{ }}, <% %> or <? ?>, if it ends in the same line;
 * otherwise `at`. *begins, which may be NULL: whether its first bytes are there. */
size_t html_template_end(const char *bytes, size_t at, size_t end, bool *begins);

/* Returns where the contents of an element without tags in it end: at the end tag with this name, or at `end`. */
size_t html_token_raw_end(const char *bytes, size_t at, size_t end, Range name);

/* White space as HTML defines it. */
static inline bool html_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Compares a name with one in lower case. */
bool html_name_is(const char *bytes, Range name, const char *lower);

/* Whether the list of names in lower case, separated by spaces, contains the name. */
bool html_name_is_in(const char *bytes, Range name, const char *list);

/* A number for the name, the same in upper and lower case. */
uint64_t html_name_key(const char *bytes, Range name);

typedef struct {
    Range name, value; /* without quotes */
    char quote;        /* 0: none */
} HtmlAttribute;

/* Reads the next attribute of a start tag from *at on. Quotes in a template's tag do not end a value in quotes. Returns
 * false if there are no more. */
bool html_attribute_next(const char *bytes, const HtmlToken *tag, size_t *at, HtmlAttribute *out);

/* --- What elements mean for a translation. */

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
