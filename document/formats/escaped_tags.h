/* escaped_tags.h - HTML in the text of documents of other formats: &lt;b&gt; in XML, <b> in a CDATA section,
 * <a href=\"x\"> in JSON. */
#ifndef DRAGOMAN_ESCAPED_TAGS_H
#define DRAGOMAN_ESCAPED_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "document_builder.h"
#include "escaped_part.h"
#include "ranges.h"

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

/* Starts as {0} and ends with escaped_tags_free(). */
typedef struct {
    FoundTag *items; /* [count], in the order of their bytes */
    size_t count, capacity;
    RangeList kept; /* bytes that are code, in their order (escaped_code.h) */
} EscapedTagList;

/* Lists the tags of a text that are markup: those that end lines, HTML's empty elements with attributes, and pairs that
 * do not cross others, also the ends of Markdown's links. All others are words of the text, as <name> in "Hello
 * <name>", <div> in "The <div> element" or <x id="1"/>. So are all tags of a text that has more than a unit can
 * contain. */
MUST_USE Status escaped_tags_find(EscapedTagList *out, const char *bytes, Range text, EscapedReader *read, Err *err);
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
