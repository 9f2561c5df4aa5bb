/* html.h - HTML, also in documents of other formats. */
#ifndef DRAGOMAN_HTML_H
#define DRAGOMAN_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chars.h"
#include "document_formats.h"
#include "ranges.h"

/* --- The parts of an HTML document, as the HTML standard tokenizes it. Every byte belongs to one part. After the start
 * tag of an element whose contents have no tags, such as <script>, the caller must skip the contents. */

typedef enum {
    HTML_TEXT,
    HTML_START, /* <name ...> */
    HTML_CLOSE, /* </name ...> */
    HTML_OPAQUE /* comments, <!DOCTYPE>, <![CDATA[ ]]>, <?php ?>, <% %>, and an unfinished tag at the end of the file */
} HtmlKind;

typedef struct {
    HtmlKind kind;
    Range bytes, name;
    size_t attributes; /* where they begin */
} HtmlToken;

/* Reads the part that begins at byte `at` < end. */
HtmlToken html_token_read(const char *bytes, size_t at, size_t end);

/* Returns the end of a template's tag at byte `at` < end, {% %}, {{ }}, <% %> or <? ?>, if it ends in the same line;
 * otherwise `at`. Sets *begins, unless `begins` is NULL, to whether such a tag begins at `at`. */
size_t html_template_end(const char *bytes, size_t at, size_t end, bool *begins);

/* Whether the list of names in lower case, separated by spaces, contains the name. */
static inline bool html_name_is_in(const char *bytes, Range name, const char *list)
{
    return chars_are_in(bytes + name.begin, name.end - name.begin, list);
}

/* For an element whose contents have no tags, such as <script>: returns where its end tag begins, or `end`. HTML
 * standard, 13.2.5.18 to 13.2.5.31: in a script, after <!-- and until -->, a start tag <script> and its end tag are
 * text. */
size_t html_raw_end(const char *bytes, size_t at, size_t end, Range name);

/* White space as HTML defines it. */
static inline bool html_is_space(char c)
{
    return char_is_among(c, " \t\n\r\f");
}

static inline size_t html_skip_space(const char *bytes, size_t at, size_t end)
{
    return chars_skip(bytes, at, end, " \t\n\r\f");
}

/* Whether a "<" begins markup if this character follows it. */
static inline bool html_follows_mark(char c)
{
    return char_is_letter(c) || char_is_among(c, "/!?%");
}

typedef struct {
    Range name, value; /* without quotes */
    char quote;        /* 0: none */
} HtmlAttribute;

/* Reads the next attribute of a start tag; *at is after the name of the tag or after an attribute. Quotes in a
 * template's tag do not end a value. Returns false if there are no more attributes. */
bool html_attribute_read(const char *bytes, size_t *at, size_t end, HtmlAttribute *out);

/* Whether the attribute exists and has one of the values. */
bool html_attribute_is(const char *bytes, const HtmlToken *tag, const char *name, const char *values);

/* Whether the value of the attribute contains one of the words, which are separated by spaces. * at the end of a word
 * matches any rest. */
bool html_attribute_has_word(const char *bytes, const HtmlToken *tag, const char *name, const char *words);

/* Returns the name of the attribute that contains text to translate in this element, such as "content" of some <meta>
 * or "value" of a button; "": there is none. Takes time in proportion to the length of the tag. */
const char *html_attribute_of_text(const char *bytes, const HtmlToken *tag);

/* A number for the name; upper and lower case make no difference. */
uint64_t html_name_key(const char *bytes, Range name);

/* --- What elements mean for a translation. */

typedef enum {
    HTML_BLOCK,        /* ends the text before it; also elements with unknown names */
    HTML_INLINE,       /* part of a text */
    HTML_VOID_INLINE,  /* part of a text, without an end tag */
    HTML_CODE,         /* part of a text; its contents are not translated */
    HTML_CONTROL,      /* part of a text if it is short and touches other text, otherwise a block; also elements whose
                          names have a hyphen or a prefix, such as custom elements, o:p, st1:City */
    HTML_EMBEDDED,     /* like HTML_CONTROL, but its contents are a fallback; a block if they are text */
    HTML_PICTURE,      /* reported as one empty element of a text, with all its contents; also the readings in <ruby>.
                          The texts in <svg> are units of their own */
    HTML_PREFORMATTED, /* a block that is not translated */
    HTML_RAW,          /* not translated; its contents have no tags */
    HTML_RCDATA        /* a block; contains text without tags */
} HtmlElement;

HtmlElement html_element_kind(const char *bytes, Range name);

/* The kind of the tag's element. Unlike html_element_kind(), returns HTML_CODE for an inline element with a class of an
 * icon font, because its text is the name of an icon. */
HtmlElement html_element_tag_kind(const char *bytes, const HtmlToken *tag);

typedef enum { HTML_INHERIT, HTML_TRANSLATE, HTML_PROTECT } HtmlTranslate;

/* What the attribute `translate` of a tag says about the contents of its element. Without this attribute, some classes
 * say it, such as `notranslate`. */
HtmlTranslate html_element_translate(const char *bytes, const HtmlToken *tag);

/* Whether an element of this name that contains no text may stand for a word: a picture, an icon, a value that a
 * program inserts. */
bool html_name_is_object(const char *bytes, Range name);

/* html_name_is_object() for a tag. An element that only marks the beginning of a printed page is not an object. */
bool html_element_is_object(const char *bytes, const HtmlToken *tag);

/* Whether the start tag is a whole element, without an end tag: <br>, <hr>, <svg/>, <math/>. */
bool html_extent_is_tag(const char *bytes, const HtmlToken *tag);

/* --- Character references as the HTML standard reads them (13.2.5.72 and following). */

/* The most bytes of the characters that a reference stands for, and the most bytes of an entity's name. */
#define HTML_ENTITY_BYTES 8
#define HTML_ENTITY_NAME  31

/* Decodes the reference at the beginning of text[0..length), which begins with "&", to out[0..*size). Returns the
 * length of the reference, or 0 if the & is plain text. In an attribute, a name without a semicolon before "=", a
 * letter or a digit is not a reference. */
size_t html_entity_read(const char *text, size_t length, bool in_attribute, char out[HTML_ENTITY_BYTES], size_t *size);

/* --- HTML in other formats: the units of a part of a document, and how characters are spelled. */

/* Contexts of texts. Other formats that contain HTML number their own contexts from HTML_CONTEXTS. */
enum {
    HTML_IN_TEXT,
    HTML_IN_SVG,    /* in <svg> or <option>, which cannot contain <span> */
    HTML_IN_RCDATA, /* in <title> */
    HTML_IN_LINES,  /* in <textarea>, where browsers show white space unchanged */
    HTML_IN_DOUBLE_QUOTES,
    HTML_IN_SINGLE_QUOTES,
    HTML_UNQUOTED,
    HTML_CONTEXTS
};

extern const SpellingRules html_spelling;

/* Writes &, <, > and " as named references, other characters as numeric ones. For SpellingRules.spell and .refer. */
size_t html_spell(uint32_t code, const SpellingPlace *place, char *out);

/* Adds the units of the bytes [begin, end). No text may be open. `is_xml`: in XHTML, <title/> and <script/> are whole
 * elements. */
void html_units_add(DocumentBuilder *builder, size_t begin, size_t end, bool is_xml);

/* Adds the attributes of a start tag that users read. A text around the tag may be open. */
void html_units_add_attributes(DocumentBuilder *builder, const HtmlToken *tag);

#endif
