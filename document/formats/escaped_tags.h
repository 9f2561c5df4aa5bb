/* escaped_tags.h - the characters of strings with escapes, and what they contain besides words: HTML in the text of
 * documents of other formats (&lt;b&gt; in XML, <b> in a CDATA section, <a href=\"x\"> in JSON), links, and code. */
#ifndef DRAGOMAN_ESCAPED_TAGS_H
#define DRAGOMAN_ESCAPED_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "document_builder.h"
#include "ranges.h"

#define ESCAPED_PART_TEXT 8

/* A character of a string, as the document spells it. */
typedef struct {
    size_t length; /* bytes of the document, at least 1 */
    size_t size;   /* of the text; 0: no text, as between two lines that are joined */
    char text[ESCAPED_PART_TEXT];
} EscapedPart;

/* Reads the character that begins at bytes[0], of length > 0 bytes. */
typedef EscapedPart EscapedReader(const char *bytes, size_t length);

typedef enum { ESCAPED_OPEN, ESCAPED_CLOSE, ESCAPED_EMPTY } EscapedKind;

/* A tag that is written in text. */
typedef struct {
    EscapedKind kind;
    Range name;
} EscapedTag;

/* Reads the tag at byte `at` of the text [at, end): a name, and attributes with values. Returns where it ends, or `at`
 * if there is no tag or it has more than 1000 bytes: reading must take linear time. */
size_t escaped_tag_read(const char *bytes, size_t at, size_t end, EscapedReader *read, EscapedTag *tag);

/* Whether the name is that of a block: a paragraph, a heading, an item. */
bool escaped_tag_is_block(const char *bytes, Range name);

/* Whether the tag separates words: <br>, <hr> and the tags of blocks. */
bool escaped_tag_ends_line(const char *bytes, const EscapedTag *tag);

typedef struct {
    Range bytes;
    EscapedTag tag;
    bool ends_line; /* <br>, <hr>, <p/>, all of <style> */
    bool is_block;  /* <p>, <li> and the like: one of a pair */
    bool is_object; /* a picture, all of <i class="icon"></i> */
    bool is_markup; /* otherwise it is a word of the text */
} FoundTag;

/* Ends with escaped_tags_free(). */
typedef struct {
    FoundTag *data; /* in the order of their bytes */
    size_t len, cap;
    bool failed;
    RangeList kept; /* bytes that are code, in their order */
} EscapedTagList;

/* Returns the tags of a text of the document that are markup: those that end lines, HTML's empty elements with
 * attributes, and pairs that do not cross others, also the ends of the links of Markdown and reStructuredText. All
 * others are words of the text, as <name> in "Hello <name>", <div> in "The <div> element" or <x id="1"/>. So are all
 * tags of a text that has more than a unit can contain. Memory that is missing becomes a failure of the builder.
 *
 * Code is `x` in a line, lines between two lines of ```, <!-- x -->, <!DOCTYPE html>, messages of ICU, {n, plural, one
 * {x} other {y}}, and what reStructuredText replaces: |name|, :role:`x`, `x`_, [1]_, name_. */
EscapedTagList escaped_tags_find(DocumentBuilder *builder, Range text, EscapedReader *read);
void escaped_tags_free(EscapedTagList *list);

/* Reports a tag: as a line end, an object, an end of a span or an empty element. */
void escaped_tags_report(DocumentBuilder *builder, const FoundTag *found);

/* Whether byte `at` is in code. */
bool escaped_tags_is_code(const EscapedTagList *list, size_t at);

/* Returns the markup that begins at byte `at`, or NULL. *next is 0 before the first call; `at` must not descend after
 * that. */
const FoundTag *escaped_tags_at(const EscapedTagList *list, size_t *next, size_t at);

/* Returns the first byte after `at` where markup begins, or code begins or ends; SIZE_MAX: none. `next` is that of
 * escaped_tags_at(). */
size_t escaped_tags_next(const EscapedTagList *list, size_t next, size_t at);

#endif
